import type { FieldChange } from '../../merge-requests';
import { type MergeRequestHappened, type MergeRequestHook, mergeRequestHooks } from './merge-request-hook';

const field = (name: string, old: string, now: string): FieldChange => ({
  field: name,
  old,
  new: now,
  oldIds: [],
  newIds: [],
});
const state = (previous: number, current: number) => [{ name: 'state_id', type: 'value' as const, previous, current }];
const acted = (more: Partial<Extract<MergeRequestHappened, { kind: 'acted' }>>): MergeRequestHappened => ({
  kind: 'acted',
  act: 'other',
  lostApprovalUserIds: [],
  ...more,
});
const push = { oldSha: 'a', newSha: 'b' };
const stopped = {
  event: 'paused',
  entryId: 1,
  targetBranch: 'main',
  reason: undefined,
  until: undefined,
  targetFailing: true,
  statusNames: ['build'],
} as const;

const cases: [string, MergeRequestHappened, MergeRequestHook[]][] = [
  ['created', { kind: 'created' }, [{ action: 'open', changes: [] }]],
  ['closed', { kind: 'closed' }, [{ action: 'close', changes: state(1, 2) }]],
  ['reopened', { kind: 'reopened' }, [{ action: 'reopen', changes: state(2, 1) }]],
  ['merged', { kind: 'merged' }, [{ action: 'merge', changes: state(1, 3) }]],
  ['a push', acted({ act: 'pushed', push }), [{ action: 'update', changes: [], push }]],
  ['an approval', acted({ act: 'approved', approved: false }), [{ action: 'approval', changes: [] }]],
  ['the last approval', acted({ act: 'approved', approved: true }), [{ action: 'approved', changes: [] }]],
  ['an approval of an earlier version', acted({ act: 'approved' }), [{ action: 'approved', changes: [] }]],
  [
    'an approval taken back of one that was approved',
    acted({ act: 'unapproved', approved: true, lostApprovalUserIds: [2] }),
    [{ action: 'unapproved', changes: [] }],
  ],
  [
    'an approval taken back of one that was not',
    acted({ act: 'unapproved', approved: false, lostApprovalUserIds: [2] }),
    [{ action: 'unapproval', changes: [] }],
  ],
  [
    'a push that ends approvals',
    acted({ act: 'pushed', push, approved: true, lostApprovalUserIds: [2, 3] }),
    [
      { action: 'update', changes: [], push },
      { action: 'unapproved', changes: [], systemAction: 'approvals_reset_on_push' },
    ],
  ],
  [
    'a request for changes by who had approved',
    acted({ act: 'changes_requested', approved: false, lostApprovalUserIds: [2] }),
    [{ action: 'unapproval', changes: [] }],
  ],
  ['a request for changes', acted({ act: 'changes_requested' }), []],
  ['another act', acted({}), []],
  [
    'a train that stops, of its first car',
    { kind: 'train', train: { ...stopped, firstCar: true } },
    [{ action: 'update', changes: [], train: { ...stopped, firstCar: true } }],
  ],
  ['a train that stops, of any other car', { kind: 'train', train: { ...stopped, firstCar: false } }, []],
  ['what no hook tells', { kind: 'other' }, []],
];

test.each(cases)('%s (G-6-4)', (_, happened, hooks) => {
  expect(mergeRequestHooks(happened)).toEqual(hooks);
});

const fields: [FieldChange, [name: string, previous: unknown, current: unknown]][] = [
  [field('title', 'Old', 'New'), ['title', 'Old', 'New']],
  [field('description', '', 'text'), ['description', null, 'text']],
  [field('target_branch', 'main', 'next'), ['target_branch', 'main', 'next']],
  [field('draft', 'true', 'false'), ['draft', true, false]],
  [field('milestone', '', '4'), ['milestone_id', null, 4]],
  [field('discussion_locked', '', 'true'), ['discussion_locked', null, true]],
  [field('merge_after', '2026-01-02T03:04:05.678Z', ''), ['merge_after', '2026-01-02T03:04:05.678Z', null]],
];

test.each(fields)('a change of %j is shown with the name and type of GitLab', (change, [name, previous, current]) => {
  expect(mergeRequestHooks({ kind: 'updated', changes: [change], timeChanges: [] })).toEqual([
    { action: 'update', changes: [{ name, type: 'value', previous, current }] },
  ]);
});

test('an edit of people, labels and times is one update with all of them; unknown fields are left out', () => {
  const ids = (name: string): FieldChange => ({ ...field(name, '', ''), oldIds: [1], newIds: [2, 3] });
  const timeChanges = [{ field: 'time_spent', old: 60, new: 90 }];
  const changes = [ids('assignees'), ids('reviewers'), ids('labels'), field('of_later', '1', '2')];
  const [hook, ...more] = mergeRequestHooks({ kind: 'updated', changes, timeChanges });
  expect(more).toEqual([]);
  expect(hook?.changes).toEqual([
    { name: 'assignees', type: 'people', previous: [1], current: [2, 3] },
    { name: 'reviewers', type: 'people', previous: [1], current: [2, 3] },
    { name: 'labels', type: 'labels', previous: [1], current: [2, 3] },
    { name: 'total_time_spent', type: 'value', previous: 60, current: 90 },
  ]);
});
