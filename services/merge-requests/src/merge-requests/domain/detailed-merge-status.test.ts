import {
  canAutoMerge,
  ciFailure,
  detailedMergeStatus,
  type MergeChecks,
  shownMergeStatus,
} from './detailed-merge-status';

const now = new Date('2024-06-01T12:00:00Z');
const settings = {
  mergeMethod: 'merge',
  onlyAllowMergeIfPipelineSucceeds: false,
  allowMergeOnSkippedPipeline: false,
  onlyAllowMergeIfAllDiscussionsAreResolved: false,
} as const;
const fine: MergeChecks = {
  state: 'opened',
  mergeStatus: 'can_be_merged',
  draft: false,
  changesRequested: false,
  approvalsLeft: 0,
  openBlocks: 0,
  mergeAfter: undefined,
  hasCommits: true,
  unresolvedDiscussions: 0,
  needsRebase: false,
  pipeline: undefined,
  settings,
};
const demanding = { ...settings, onlyAllowMergeIfPipelineSucceeds: true };
const everythingFails: Partial<MergeChecks> = {
  changesRequested: true,
  approvalsLeft: 1,
  openBlocks: 1,
  state: 'closed',
  mergeAfter: new Date(now.getTime() + 1),
  draft: true,
  hasCommits: false,
  unresolvedDiscussions: 1,
  mergeStatus: 'cannot_be_merged',
  needsRebase: true,
  pipeline: 'failed',
  settings: {
    mergeMethod: 'ff',
    onlyAllowMergeIfPipelineSucceeds: true,
    allowMergeOnSkippedPipeline: false,
    onlyAllowMergeIfAllDiscussionsAreResolved: true,
  },
};

describe('detailed_merge_status', () => {
  test.each<[string, Partial<MergeChecks>]>([
    ['mergeable', {}],
    ['preparing', { mergeStatus: 'preparing', state: 'closed' }],
    ['checking', { mergeStatus: 'checking', draft: true }],
    ['checking', { mergeStatus: 'cannot_be_merged_rechecking' }],
    ['unchecked', { mergeStatus: 'unchecked', draft: true }],
    ['unchecked', { mergeStatus: 'cannot_be_merged_recheck' }],
    ['requested_changes', { changesRequested: true }],
    ['not_approved', { approvalsLeft: 1 }],
    ['merge_request_blocked', { openBlocks: 1 }],
    ['merge_request_blocked', { openBlocks: 1, state: 'closed' }],
    ['not_open', { state: 'merged' }],
    ['not_open', { state: 'locked' }],
    ['merge_time', { mergeAfter: new Date(now.getTime() + 1) }],
    ['mergeable', { mergeAfter: now }],
    ['draft_status', { draft: true }],
    ['commits_status', { hasCommits: false }],
    ['mergeable', { unresolvedDiscussions: 3 }],
    [
      'discussions_not_resolved',
      { unresolvedDiscussions: 3, settings: { ...settings, onlyAllowMergeIfAllDiscussionsAreResolved: true } },
    ],
    ['conflict', { mergeStatus: 'cannot_be_merged' }],
    ['mergeable', { needsRebase: true }],
    ['need_rebase', { needsRebase: true, settings: { ...settings, mergeMethod: 'ff' } }],
    ['need_rebase', { needsRebase: true, settings: { ...settings, mergeMethod: 'rebase_merge' } }],
    ['ci_still_running', { pipeline: 'running' }],
    ['ci_still_running', { pipeline: 'created', settings: demanding }],
    ['mergeable', { pipeline: 'failed' }],
    ['ci_must_pass', { pipeline: 'failed', settings: demanding }],
    ['ci_must_pass', { pipeline: 'manual', settings: demanding }],
    ['ci_must_pass', { settings: demanding }],
    ['ci_must_pass', { pipeline: 'skipped', settings: demanding }],
    ['mergeable', { pipeline: 'skipped', settings: { ...demanding, allowMergeOnSkippedPipeline: true } }],
    ['mergeable', { pipeline: 'success', settings: demanding }],
  ])('%s for %j', (status, changes) => {
    expect(detailedMergeStatus({ ...fine, ...changes }, now)).toBe(status);
  });

  test('names the first failure in the order of G-4.2-11', () => {
    const repairs: [string, Partial<MergeChecks>][] = [
      ['requested_changes', { changesRequested: false }],
      ['not_approved', { approvalsLeft: 0 }],
      ['merge_request_blocked', { openBlocks: 0 }],
      ['not_open', { state: 'opened' }],
      ['merge_time', { mergeAfter: undefined }],
      ['draft_status', { draft: false }],
      ['commits_status', { hasCommits: true }],
      ['discussions_not_resolved', { unresolvedDiscussions: 0 }],
      ['conflict', { mergeStatus: 'can_be_merged' }],
      ['need_rebase', { needsRebase: false }],
      ['ci_must_pass', { pipeline: 'success' }],
    ];
    let checks: MergeChecks = { ...fine, ...everythingFails };
    for (const [status, repair] of repairs) {
      expect(detailedMergeStatus(checks, now)).toBe(status);
      checks = { ...checks, ...repair };
    }
    expect(detailedMergeStatus(checks, now)).toBe('mergeable');
  });
});

test('CI forbids a merge only where the project demands success', () => {
  expect(ciFailure({ ...fine, pipeline: 'running' })).toBeUndefined();
  expect(ciFailure({ ...fine, pipeline: 'running', settings: demanding })).toBe('ci_still_running');
});

test.each<[boolean, Partial<MergeChecks>]>([
  [false, {}],
  [true, { pipeline: 'pending' }],
  [true, { draft: true }],
  [true, { openBlocks: 1 }],
  [true, { settings: demanding }],
  [false, { state: 'closed', pipeline: 'running' }],
  [false, { hasCommits: false, pipeline: 'running' }],
])('auto-merge may be set: %p for %j', (may, changes) => {
  expect(canAutoMerge({ ...fine, ...changes }, now)).toBe(may);
});

test('states inside a check are shown as checking', () => {
  expect(
    (['preparing', 'cannot_be_merged_rechecking', 'cannot_be_merged_recheck', 'unchecked'] as const).map(
      shownMergeStatus,
    ),
  ).toEqual(['checking', 'checking', 'cannot_be_merged_recheck', 'unchecked']);
});
