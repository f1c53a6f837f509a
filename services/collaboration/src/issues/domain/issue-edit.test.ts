import type { Issue } from './issue';
import type { LockedIssue } from './issue-change';
import { editIssue } from './issue-edit';

const now = new Date('2026-01-02T03:04:05Z');
const issue: Issue = {
  id: 9,
  iid: 3,
  projectId: 5,
  authorId: 1,
  title: 'Old',
  description: 'For @ada',
  state: 'opened',
  issueType: 'issue',
  confidential: false,
  severity: 'unknown',
  discussionLocked: undefined,
  milestoneId: 7,
  dueDate: '2026-02-01',
  weight: undefined,
  healthStatus: undefined,
  timeEstimate: 0,
  totalTimeSpent: 60,
  taskCount: 0,
  completedTaskCount: 0,
  userNotesCount: 0,
  upvotes: 0,
  downvotes: 0,
  closedById: undefined,
  closedAt: undefined,
  movedToId: undefined,
  importedFrom: 'none',
  alertId: undefined,
  lockVersion: 4,
  createdAt: now,
  updatedAt: now,
};
const locked: LockedIssue = { issue, assigneeIds: [1, 2], labelIds: [10, 11], epicId: undefined };
const edit = (given: Parameters<typeof editIssue>[1], before: Partial<Issue> = {}) =>
  editIssue({ ...locked, issue: { ...issue, ...before } }, given, 8, now);

describe('an edit of an issue', () => {
  it('reports what changed, before and after', () => {
    const change = edit({
      title: 'New',
      description: '- [x] for @ada and @bob',
      assigneeIds: [2, 3],
      addedLabelIds: [12],
      removedLabelIds: [10],
      milestoneId: null,
      dueDate: '2026-03-01',
      weight: 0,
      confidential: true,
      timeEstimate: 3_600,
    });
    expect(change?.patch).toEqual({
      title: 'New',
      description: '- [x] for @ada and @bob',
      taskCount: 1,
      completedTaskCount: 1,
      milestoneId: null,
      dueDate: '2026-03-01',
      weight: 0,
      confidential: true,
      timeEstimate: 3_600,
    });
    expect(change?.labelIds).toEqual([11, 12]);
    expect(change?.participants).toEqual([8, 2, 3]);
    expect(change?.facts).toEqual([
      {
        kind: 'updated',
        addedAssigneeIds: [3],
        removedAssigneeIds: [1],
        addedLabelIds: [12],
        removedLabelIds: [10],
        mentions: { usernames: ['bob'], directlyAddressed: [] },
        oldDescription: 'For @ada',
        changedFields: [
          'title',
          'description',
          'milestone',
          'due_date',
          'weight',
          'confidential',
          'time_estimate',
          'assignees',
          'labels',
        ],
        changes: [
          { field: 'title', old: 'Old', new: 'New' },
          { field: 'milestone', old: '7', new: '' },
          { field: 'due_date', old: '2026-02-01', new: '2026-03-01' },
          { field: 'weight', old: '', new: '0' },
          { field: 'confidential', old: 'false', new: 'true' },
          { field: 'time_estimate', old: '0', new: '3600' },
        ],
      },
    ]);
  });

  it('of nothing is none', () => {
    expect(edit({})).toBeUndefined();
    expect(
      edit({
        title: 'Old',
        description: 'For @ada',
        labelIds: [11, 10],
        assigneeIds: [2, 1],
        milestoneId: 7,
        discussionLocked: false,
        weight: null,
        stateEvent: 'reopen',
      }),
    ).toBeUndefined();
  });

  it('closes and reopens once, apart from what else it does', () => {
    const closed = edit({ stateEvent: 'close', byMergeRequestId: 5, description: '' });
    expect(closed?.patch).toMatchObject({ state: 'closed', closedById: 8, closedAt: now, description: null });
    expect(closed?.facts?.map(({ kind }) => kind)).toEqual(['updated', 'closed']);
    expect(closed?.facts?.[1]).toEqual({ kind: 'closed', byMergeRequestId: 5 });
    expect(edit({ stateEvent: 'close' }, { state: 'closed' })).toBeUndefined();
    expect(edit({ stateEvent: 'reopen' }, { state: 'closed' })).toMatchObject({
      patch: { state: 'opened', closedById: null, closedAt: null },
      facts: [{ kind: 'reopened' }],
    });
  });

  it('keeps a requested timestamp', () => {
    const then = new Date('2001-01-01T00:00:00Z');
    expect(edit({ title: 'New', updatedAt: then })?.patch).toMatchObject({ updatedAt: then });
    expect(edit({ updatedAt: then })).toEqual({ patch: { updatedAt: then } });
  });
});
