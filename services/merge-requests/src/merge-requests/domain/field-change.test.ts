import { fieldChanges } from './field-change';
import type { MergeRequest } from './merge-request';
import type { LockedMergeRequest, MergeRequestPatch } from './merge-request-change';

const mergeRequest = {
  title: 'Old',
  description: undefined,
  milestoneId: 4,
  draft: false,
  discussionLocked: undefined,
};
const locked = {
  mergeRequest: mergeRequest as Partial<MergeRequest> as MergeRequest,
  assigneeIds: [1],
  reviewerIds: [],
  labelIds: [7, 8],
  planned: undefined,
} satisfies LockedMergeRequest;

const cases: [string, MergeRequestPatch, [old: string, now: string]][] = [
  ['title', { title: 'New' }, ['Old', 'New']],
  ['description', { description: 'x'.repeat(5_000) }, ['', 'x'.repeat(4_096)]],
  ['milestone', { milestoneId: null }, ['4', '']],
  ['draft', { draft: true }, ['false', 'true']],
  ['discussion_locked', { discussionLocked: true }, ['', 'true']],
  ['merge_after', { mergeAfter: new Date('2026-01-02T03:04:05.678Z') }, ['', '2026-01-02T03:04:05.678Z']],
];

test.each(cases)('%s was and is', (field, patch, [old, now]) => {
  expect(fieldChanges(locked, patch, locked, [field])).toEqual([{ field, old, new: now, oldIds: [], newIds: [] }]);
});

test('sets are named by ids, in the order of the fields, and times elsewhere', () => {
  const after = { assigneeIds: [1, 2], reviewerIds: [3], labelIds: [] };
  expect(fieldChanges(locked, {}, after, ['time_spent', 'assignees', 'reviewers', 'labels'])).toEqual([
    { field: 'assignees', old: '', new: '', oldIds: [1], newIds: [1, 2] },
    { field: 'reviewers', old: '', new: '', oldIds: [], newIds: [3] },
    { field: 'labels', old: '', new: '', oldIds: [7, 8], newIds: [] },
  ]);
});
