import { milestoneProblems } from './milestone';

const milestone = { title: 'v1', description: '', dueDate: undefined, startDate: undefined };

test.each([
  [{}, {}],
  [{ startDate: '2026-01-01', dueDate: '2026-01-01' }, {}],
  [{ startDate: '2026-01-02', dueDate: '2026-01-01' }, { due_date: ['must be greater than start date'] }],
  [{ title: ' ' }, { title: ["can't be blank"] }],
  [{ title: 'x'.repeat(256) }, { title: ['is too long (maximum is 255 characters)'] }],
  [{ description: 'x'.repeat(1_048_577) }, { description: ['is too long (maximum is 1048576 characters)'] }],
])('with %j', (given, problems) => {
  expect(milestoneProblems({ ...milestone, ...given })).toEqual(problems);
});
