import {
  allowedAssignees,
  checkIssueFields,
  mayAdminIssue,
  mayDateIssue,
  mayDeleteIssue,
  maySeeIssue,
  mayUpdateIssue,
} from './issue';

const author = 1;
const assignee = 2;
const other = 3;
const issue = { authorId: author, confidential: true };
const as = (userId: number, level: number, admin = false) => ({ userId, level, admin });

/** Who may what: see a confidential issue, edit its text, set the rest, delete it, date it. */
test.each<[string, ReturnType<typeof as>, string]>([
  ['anonymous', as(0, 0), '-----'],
  ['a stranger', as(other, 0), '-----'],
  ['a guest', as(other, 10), '-----'],
  ['a planner', as(other, 15), 'suad-'],
  ['a reporter', as(other, 20), 'sua--'],
  ['a maintainer', as(other, 40), 'sua--'],
  ['an owner', as(other, 50), 'suadt'],
  ['an administrator', as(other, 0, true), 'suadt'],
  ['its author', as(author, 0), 'su-d-'],
  ['its author, a guest', as(author, 10), 'su-d-'],
  ['an assignee', as(assignee, 0), 'su---'],
])('%s', (_, who, may) => {
  const rights = [
    maySeeIssue(issue, [assignee], who),
    mayUpdateIssue(issue, [assignee], who),
    mayAdminIssue(who),
    mayDeleteIssue(issue, who),
    mayDateIssue(who),
  ];
  expect(rights.map((right, at) => (right ? 'suadt'[at] : '-')).join('')).toBe(may);
});

test('an issue that is not confidential is seen by all who see its project', () => {
  expect(maySeeIssue({ ...issue, confidential: false }, [], as(0, 0))).toBe(true);
});

test('fields are checked together', () => {
  expect(() => checkIssueFields({ title: '  ', description: 'x'.repeat(1_048_577), assignees: 201 })).toThrow(
    expect.objectContaining({
      kind: 'invalid',
      body: {
        message: {
          title: ["can't be blank"],
          description: ['is too long (maximum is 1048576 characters)'],
          assignees: ['total must be less than or equal to 200'],
        },
      },
    }),
  );
  expect(() => checkIssueFields({ title: '😀'.repeat(255), description: '😀'.repeat(1_048_576) })).not.toThrow();
  expect(() => checkIssueFields({ title: 'x'.repeat(256) })).toThrow();
  expect(() => checkIssueFields({ createdAt: new Date('1969-12-31T23:59:59Z') })).toThrow(
    expect.objectContaining({ body: { message: { created_at: ['must be after 1970-01-01'] } } }),
  );
  expect(() => checkIssueFields({ createdAt: new Date('1970-01-02T00:00:00Z') })).not.toThrow();
});

test('the free tier keeps the first assignee', () => {
  expect(allowedAssignees('free', [0, 4, 4, 5])).toEqual([4]);
  expect(allowedAssignees('premium', [4, 4, 5])).toEqual([4, 5]);
});
