import { changeState, type StateChange, type UserState, userProblems } from './user';

test.each<[StateChange, UserState, unknown]>([
  ['block', 'active', { state: 'blocked' }],
  ['block', 'deactivated', { state: 'blocked' }],
  ['block', 'blocked', { unchanged: true }],
  ['block', 'ldap_blocked', { refused: 'LDAP blocked users cannot be modified by the API' }],
  ['unblock', 'blocked', { state: 'active' }],
  ['unblock', 'banned', { state: 'active' }],
  ['unblock', 'active', { unchanged: true }],
  ['unblock', 'deactivated', { refused: 'Deactivated users cannot be unblocked by the API' }],
  ['deactivate', 'active', { state: 'deactivated' }],
  ['deactivate', 'blocked', { refused: 'A blocked user cannot be deactivated by the API' }],
  ['activate', 'deactivated', { state: 'active' }],
  ['activate', 'blocked', { refused: 'A blocked user must be unblocked to be activated' }],
])('%s of a user who is %s', (change, state, outcome) => {
  expect(changeState(change, state, false)).toEqual(outcome);
});

test('no one blocks or deactivates themselves', () => {
  expect(changeState('block', 'active', true)).toHaveProperty('refused');
  expect(changeState('deactivate', 'active', true)).toHaveProperty('refused');
});

test.each(['a@b', 'first.last+tag@sub.example.com'])('%s is an e-mail', (email) => {
  expect(userProblems({ email })).toEqual({});
});

test.each(['', 'a', '@b', 'a@', 'a b@c', 'a@b@c', 'a@b<c>', 'a@b\n', 'a\u0007@b', 'a\u200b@b'])(
  '"%s" is none',
  (email) => {
    expect(userProblems({ email })).toHaveProperty('email');
  },
);

test.each(['None', 'any', 'ALL', 'Me'])('the word %s is no username', (username) => {
  expect(userProblems({ username })).toEqual({ username: [`${username} is a reserved name`] });
});

test.each(['\u202eada', 'a\nb', '\u3164', '\u200b'])('%j is no name of a user', (name) => {
  expect(userProblems({ name })).toHaveProperty('name');
});

test.each(['api', '-', '-x', 'x.git', 'ends.', 'with space', 'ü', 'x'.repeat(256), ''])(
  '%s is no username',
  (username) => {
    expect(userProblems({ username })).toHaveProperty('username');
  },
);
