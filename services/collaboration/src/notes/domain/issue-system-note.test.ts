import { type IssueNoteFact, issueSystemNotes } from './issue-system-note';

const said = (fact: IssueNoteFact) =>
  issueSystemNotes(2, fact).map(({ parts }) =>
    parts.map((part) => (typeof part === 'string' ? part : `@${part.userId}`)).join(''),
  );

it('an issue gets a system note for each change except of labels, state, milestone and weight', () => {
  const change = (field: string, old: string, value: string) => ({ field, old, new: value });
  expect(
    said({
      kind: 'updated',
      addedAssigneeIds: [3],
      removedAssigneeIds: [],
      changedFields: ['description', 'labels', 'milestone'],
      changes: [
        change('title', 'a', 'b'),
        change('due_date', '2026-01-01', ''),
        change('confidential', 'false', 'true'),
        change('discussion_locked', 'true', 'false'),
        change('time_estimate', '0', '60'),
        change('time_spent', '10', '30'),
        change('time_spent', '30', '10'),
        change('weight', '1', '2'),
        change('health_status', '', 'at_risk'),
        change('health_status', 'on_track', ''),
        change('milestone', '1', '2'),
      ],
    }),
  ).toEqual([
    'changed the title from **a** to **b**',
    'removed the due date',
    'made it confidential',
    'unlocked the discussion',
    'changed the time estimate to 1m',
    'added 20s of time spent',
    'subtracted 20s of time spent',
    'changed the health status to **at risk**',
    'removed the health status **on track**',
    'changed the description',
    'assigned to @3',
  ]);
});

it('where an issue moved to or from is for those who can read it there', () => {
  const other = { id: 5, projectId: 6, reference: 'a/b#7' };
  expect(said({ kind: 'moved', direction: 'to', other })).toEqual(['moved to a/b#7']);
  expect(issueSystemNotes(2, { kind: 'moved', direction: 'from', other })).toMatchObject([
    { parts: ['moved from a/b#7'], source: { id: 5, projectId: 6 } },
  ]);
});
