import { decideAnswer, decideReassignment, type Placeholder } from './placeholder';

const now = new Date(0);
const one: Placeholder = {
  ...{ id: 1, projectId: 7, userId: 50, foreignId: '9', login: 'octocat', name: '', state: 'pending' },
  ...{ targetId: null, requestedById: null, createdAt: now, updatedAt: now, importType: 'github', host: '' },
  importRuns: false,
};
const target = { id: 6, active: true, kind: 'human' };
const owner = { userId: 5, admin: false };

test.each([
  ['themselves', { userId: 6, admin: false }, 'reassigning'],
  ['an administrator', { userId: 1, admin: true }, 'reassigning'],
  ['somebody else', owner, 'awaiting_approval'],
])('a user takes the place when %s asks for it', (_, by, state) => {
  expect(decideReassignment(one, target, by)).toEqual({ state, targetId: 6, requestedById: by.userId });
});

test.each([
  ['nobody', one, undefined, 'not_found'],
  ['a blocked user', one, { ...target, active: false }, 'bad_request'],
  ['a bot', one, { ...target, kind: 'bot' }, 'bad_request'],
  ['another placeholder', one, { ...target, kind: 'placeholder' }, 'bad_request'],
  ['anybody while the import runs', { ...one, importRuns: true }, target, 'conflict'],
  ['a second user', { ...one, state: 'reassigning' as const, targetId: 8 }, target, 'conflict'],
  ['a later user', { ...one, state: 'reassigned' as const, targetId: 8 }, target, 'conflict'],
])('%s does not take the place', (_, given, candidate, kind) => {
  expect(() => decideReassignment(given, candidate, owner)).toThrow(expect.objectContaining({ kind }));
});

test('one who was asked can be replaced by another one, and only they answer', () => {
  const asked = { ...one, state: 'awaiting_approval' as const, targetId: 6, requestedById: 5 };
  expect(decideReassignment(asked, { ...target, id: 8 }, owner).targetId).toBe(8);
  const they = { userId: 6, admin: false };
  expect(decideAnswer(asked, true, they)).toEqual({ state: 'reassigning', targetId: 6, requestedById: 5 });
  expect(decideAnswer(asked, false, they)).toEqual({ state: 'pending', targetId: null, requestedById: null });
  for (const by of [owner, { userId: 1, admin: true }, { userId: 0, admin: false }])
    expect(() => decideAnswer(asked, true, by)).toThrow(expect.objectContaining({ kind: 'not_found' }));
  expect(() => decideAnswer(one, true, they)).toThrow(expect.objectContaining({ kind: 'not_found' }));
  expect(() => decideAnswer({ ...asked, importRuns: true }, true, they)).toThrow(
    expect.objectContaining({ kind: 'conflict' }),
  );
});
