import { consequencesOfNote } from './note-consequences';

const mentions = { usernames: ['ada', 'Bob'], directlyAddressed: ['bob'] };

it('a comment resolves the to-dos of its author, and raises one for each mentioned user', () => {
  expect(consequencesOfNote(2, { kind: 'written', noteId: 7, mentions })).toEqual({
    removeAll: false,
    resolveFor: 2,
    raise: [
      { action: 'directly_addressed', to: { usernames: ['bob'] }, authorId: 2, cause: 'note:7', noteId: 7 },
      { action: 'mentioned', to: { usernames: ['ada'] }, authorId: 2, cause: 'note:7', noteId: 7 },
    ],
  });
});

it('an edit resolves nothing; a reaction raises nothing', () => {
  expect(consequencesOfNote(2, { kind: 'edited', noteId: 7, mentions })).toMatchObject({ resolveFor: undefined });
  expect(consequencesOfNote(2, { kind: 'acted' })).toMatchObject({ resolveFor: 2, raise: [] });
  expect(consequencesOfNote(0, { kind: 'acted' })).toMatchObject({ resolveFor: undefined });
});
