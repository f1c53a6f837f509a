import { beginsThread, listIdOf, rootOf, threadOf, urlOf } from './thread';

const long = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(60)).join('/');

it.each([
  ['a path', 'Team/My App', 'Team/My App <17.my-app.team.code.example>'],
  ['a path that does not fit beside its name', `${'a'.repeat(120)}/b`, `<17.b.${'a'.repeat(120)}.code.example>`],
  ['a path that does not fit at all', long, '<17.project.code.example>'],
])('a list of %s has a name that is whole', (_what, path, expected) => {
  const listId = listIdOf({ kind: 'Project', id: 17, path }, 'code.example');
  expect(listId).toBe(expected);
  expect(listId.length).toBeLessThanOrEqual(250);
});

it('what happens to an epic is one conversation, which its opening begins', () => {
  const subject = { type: 'Epic', id: 4, iid: 2, projectId: 0, groupId: 9 } as const;
  const thread = threadOf({ subject, facts: { title: 'Plan', noteId: 7 } });
  expect([thread, rootOf(thread)]).toEqual(['Epic:4', 'epic.4']);
  expect((['new_epic', 'close_epic', 'new_note'] as const).map((action) => beginsThread({ action }))).toEqual([
    true,
    false,
    false,
  ]);
  expect(urlOf(subject, 'https://code.example/groups/team')).toBe('https://code.example/groups/team/-/epics/2');
});
