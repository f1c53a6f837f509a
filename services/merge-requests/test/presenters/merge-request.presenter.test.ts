import type { UserRow } from '@switchyard/directory';
import { inlineRenderer, projectMarkdownRenderer } from '@switchyard/markdown';
import { replyValidator } from '../../../gateway/test/support/reply-validator';
import type { MergeRequest } from '../../src/merge-requests/domain/merge-request';
import type { MergeRequestDetails } from '../../src/merge-requests/domain/merge-request-details';
import type { MergeRequestView } from '../../src/merge-requests/domain/merge-request-view';
import { presentMergeRequest } from '../../src/merge-requests/presenters/merge-request.presenter';
import { presentMergeRequestDetails } from '../../src/merge-requests/presenters/merge-request-details.presenter';
import type { Pipeline } from '../../src/pipelines/domain/pipeline';

const at = (day: number): Date => new Date(Date.UTC(2024, 0, day, 8, 39, 14, 883));
const sha = (digit: string): string => digit.repeat(40);
const names = ['', 'ada', 'bob', 'cleo', 'dan', 'eve', 'finn'];
const person = (id: number): UserRow => ({
  id,
  username: names[id] ?? '',
  name: `${names[id]} L.`,
  state: 'active',
  avatar_url: `https://avatars.example/${id}.png`,
  public_email: `${names[id]}@example.org`,
});

/** A row in which no field has the value that an empty one has. */
const row: MergeRequest = {
  id: 11,
  iid: 7,
  projectId: 21,
  sourceProjectId: 22,
  sourceBranch: 'feature',
  targetBranch: 'stable',
  authorId: 1,
  title: 'Draft: Faster <engines>',
  description: 'First.\n\nSecond & last.',
  state: 'merged',
  draft: true,
  taskCount: 3,
  completedTaskCount: 2,
  sourceSha: sha('a'),
  targetSha: sha('b'),
  sourceBranchExists: true,
  mergeStatus: 'cannot_be_merged',
  mergeStatusGeneration: 4,
  needsRebase: true,
  mergeError: 'It failed',
  rebaseInProgress: true,
  squash: true,
  forceRemoveSourceBranch: true,
  shouldRemoveSourceBranch: false,
  allowCollaboration: true,
  approvalsBeforeMerge: 2,
  discussionLocked: true,
  milestoneId: 31,
  mergeAfter: at(2),
  preparedAt: at(3),
  autoMergeStrategy: 'merge_when_checks_pass',
  autoMergeUserId: 2,
  autoMergeSha: sha('a'),
  mergeCommitMessage: 'Merge',
  squashCommitMessage: 'Squash',
  mergeCommitSha: sha('c'),
  squashCommitSha: sha('d'),
  mergeUserId: 3,
  mergedAt: at(5),
  closedById: 4,
  closedAt: at(4),
  headPipelineId: 41,
  latestDiffId: 51,
  changesCount: 1_001,
  userNotesCount: 12,
  internalNotesCount: 3,
  upvotes: 5,
  downvotes: 2,
  unresolvedDiscussionsCount: 1,
  timeEstimate: 12_600,
  totalTimeSpent: 144_060,
  importedFrom: 'github',
  lockVersion: 9,
  createdAt: at(1),
  updatedAt: at(6),
};

const view: MergeRequestView = {
  mergeRequest: row,
  project: {
    id: 21,
    name: 'Engine',
    path: 'engine',
    namespace_id: 2,
    namespace_full_path: 'team/core',
    namespace_full_name: 'Team / Core',
    visibility: 'private',
  },
  settings: {
    mergeMethod: 'merge',
    squashOption: 'default_off',
    onlyAllowMergeIfPipelineSucceeds: true,
    allowMergeOnSkippedPipeline: true,
    onlyAllowMergeIfAllDiscussionsAreResolved: true,
    removeSourceBranchAfterMerge: true,
    mergeRequestsEnabled: true,
    mergeCommitTemplate: undefined,
    squashCommitTemplate: undefined,
    suggestionCommitMessage: undefined,
    mergeTrains: {
      enabled: false,
      skipAllowed: false,
      requiredStatuses: [],
      timeoutMinutes: 60,
      parallelCars: 20,
      retries: 1,
      batchSize: 4,
      requiredStatusCount: 0,
      settlingSeconds: 2,
    },
  },
  people: new Map([1, 2, 3, 4, 5, 6].map((id) => [id, person(id)])),
  assigneeIds: [5, 6],
  reviewerIds: [2],
  labels: [{ id: 61, title: 'bug', color: '#ff0000', description: 'Wrong' }],
  milestone: {
    id: 31,
    iid: 3,
    project_id: null,
    group_id: 2,
    group_path: 'team/core',
    title: 'v1',
    description: 'The first',
    state: 'active',
    created_at: at(1).toISOString(),
    updated_at: at(2).toISOString(),
    due_date: '2024-02-01',
    start_date: '2024-01-01',
  },
  pipelineStatus: 'success',
  changesRequested: true,
  approval: {
    settings: {
      required: true,
      beforeMerge: 0,
      byAuthor: false,
      notByCommitters: false,
      resetOnPush: true,
      overridingDisabled: false,
    },
    approvals: [],
    rules: [],
  },
  openBlocks: 0,
  collaborates: true,
  readsInternalNotes: true,
  commitsCount: 2,
  sourceProjectId: 22,
};

const pipeline: Pipeline = {
  id: 41,
  iid: 4,
  projectId: 22,
  sha: sha('a'),
  beforeSha: sha('e'),
  ref: 'feature',
  tag: false,
  source: 'external',
  status: 'success',
  userId: 2,
  mergeRequestId: undefined,
  name: 'Checks',
  coverage: 98.5,
  yamlErrors: undefined,
  committedAt: at(2),
  startedAt: at(3),
  finishedAt: at(4),
  duration: 60,
  queuedDuration: 5,
  archived: false,
  jobTokensIssued: false,
  createdAt: at(2),
  updatedAt: at(4),
};

const details: MergeRequestDetails = {
  view,
  diff: {
    id: 51,
    baseSha: sha('1'),
    headSha: sha('a'),
    startSha: sha('2'),
    commitsCount: 2,
    filesCount: 1_001,
    createdAt: at(2),
  },
  headPipeline: { pipeline, user: person(2), fullPath: 'team/core/engine' },
  subscribed: true,
  firstContribution: true,
  canMerge: true,
  firstDeployedAt: undefined,
  divergedCommits: 3,
};

const rendering = { externalUrl: 'https://forge.example', context: 'instance', now: at(20), tier: 'ultimate' } as const;
const problems = replyValidator();
const wire = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const user = (id: number) => ({
  id,
  username: names[id],
  public_email: `${names[id]}@example.org`,
  name: `${names[id]} L.`,
  state: 'active',
  locked: false,
  avatar_url: `https://avatars.example/${id}.png`,
  web_url: `https://forge.example/${names[id]}`,
});

const listed = {
  id: 11,
  iid: 7,
  project_id: 21,
  title: 'Draft: Faster <engines>',
  description: 'First.\n\nSecond & last.',
  state: 'merged',
  created_at: '2024-01-01T08:39:14.883Z',
  updated_at: '2024-01-06T08:39:14.883Z',
  merged_by: user(3),
  merge_user: user(3),
  merged_at: '2024-01-05T08:39:14.883Z',
  merge_after: '2024-01-02T08:39:14.883Z',
  closed_by: user(4),
  closed_at: '2024-01-04T08:39:14.883Z',
  prepared_at: '2024-01-03T08:39:14.883Z',
  target_branch: 'stable',
  source_branch: 'feature',
  user_notes_count: 12,
  upvotes: 5,
  downvotes: 2,
  author: user(1),
  assignee: user(5),
  assignees: [user(5), user(6)],
  reviewers: [user(2)],
  source_project_id: 22,
  target_project_id: 21,
  labels: ['bug'],
  draft: true,
  work_in_progress: true,
  imported: true,
  imported_from: 'github',
  milestone: {
    id: 31,
    iid: 3,
    group_id: 2,
    title: 'v1',
    description: 'The first',
    state: 'active',
    created_at: '2024-01-01T08:39:14.883Z',
    updated_at: '2024-01-02T08:39:14.883Z',
    due_date: '2024-02-01',
    start_date: '2024-01-01',
    expired: false,
    web_url: 'https://forge.example/groups/team/core/-/milestones/3',
  },
  merge_when_pipeline_succeeds: true,
  merge_status: 'cannot_be_merged',
  detailed_merge_status: 'requested_changes',
  sha: sha('a'),
  merge_commit_sha: sha('c'),
  squash_commit_sha: sha('d'),
  discussion_locked: true,
  should_remove_source_branch: false,
  force_remove_source_branch: true,
  allow_collaboration: true,
  allow_maintainer_to_push: true,
  reference: 'team/core/engine!7',
  references: { short: '!7', relative: 'team/core/engine!7', full: 'team/core/engine!7' },
  web_url: 'https://forge.example/team/core/engine/-/merge_requests/7',
  time_stats: {
    time_estimate: 12_600,
    total_time_spent: 144_060,
    human_time_estimate: '3h 30m',
    human_total_time_spent: '1w 1m',
  },
  squash: true,
  squash_on_merge: true,
  task_completion_status: { count: 3, completed_count: 2 },
  has_conflicts: true,
  blocking_discussions_resolved: false,
  approvals_before_merge: 2,
};

test('a merge request in a list shows what every column says', () => {
  const printed = wire(presentMergeRequest(view, rendering));
  expect(printed).toEqual(listed);
  expect(problems('GET', '/merge_requests', 200, [printed])).toEqual([]);
});

test('a merge request by itself adds its details', () => {
  const printed = wire(
    presentMergeRequestDetails(
      details,
      { ...rendering, html: projectMarkdownRenderer(new Map(), '') },
      { rebaseInProgress: true },
    ),
  );
  expect(printed).toMatchObject({
    ...listed,
    title_html: 'Draft: Faster &lt;engines&gt;',
    description_html: '<p>First.</p>\n<p>Second &amp; last.</p>',
    subscribed: true,
    changes_count: '1000+',
    latest_build_started_at: '2024-01-03T08:39:14.883Z',
    latest_build_finished_at: '2024-01-04T08:39:14.883Z',
    pipeline: { id: 41, status: 'success', project_id: 22 },
    head_pipeline: { id: 41, coverage: '98.50', user: { username: 'bob' } },
    diff_refs: { base_sha: sha('1'), head_sha: sha('a'), start_sha: sha('2') },
    merge_error: 'It failed',
    first_contribution: true,
    user: { can_merge: true },
    diverged_commits_count: 3,
    rebase_in_progress: true,
  });
  expect(problems('GET', '/projects/21/merge_requests/7', 200, printed)).toEqual([]);
});

test('every stored field has a value that an empty one has not', () => {
  const empty = Object.entries(row).filter(([name, value]) => !value && name !== 'shouldRemoveSourceBranch');
  expect(empty).toEqual([]);
});

test('within its project, not from a fork, on the free tier: shorter, and without the fields that are not there', () => {
  const own = { ...view, mergeRequest: { ...row, sourceProjectId: row.projectId, totalTimeSpent: -60 } };
  const printed = wire(presentMergeRequest(own, { ...rendering, context: 'project', tier: 'free' }));
  expect(printed.reference).toBe('!7');
  expect(printed.references).toEqual({ short: '!7', relative: '!7', full: 'team/core/engine!7' });
  expect(printed.time_stats.human_total_time_spent).toBe('-1m');
  for (const field of ['allow_collaboration', 'allow_maintainer_to_push', 'approvals_before_merge'])
    expect(printed).not.toHaveProperty(field);
});

test('labels in full', () => {
  const printed = wire(presentMergeRequest(view, { ...rendering, labelHtml: inlineRenderer() }));
  expect(printed.labels).toEqual([
    {
      id: 61,
      name: 'bug',
      description: 'Wrong',
      description_html: 'Wrong',
      text_color: '#FFFFFF',
      color: '#ff0000',
      archived: false,
    },
  ]);
  expect(problems('GET', '/merge_requests?with_labels_details=true', 200, [printed])).toEqual([]);
});

test('the description of a label is Markdown of one line', () => {
  const description = '**bold** [site](https://example.com) <script>alert(1)</script>';
  const labels = [{ id: 61, title: 'bug', color: '#ff0000', description }];
  const printed = wire(presentMergeRequest({ ...view, labels }, { ...rendering, labelHtml: inlineRenderer() }));
  expect(printed.labels).toMatchObject([
    {
      description,
      description_html:
        '<strong>bold</strong> <a href="https://example.com" rel="nofollow noreferrer noopener">site</a>',
    },
  ]);
});

test('notes that whom it is read for may not read do not count (G-4.6-9)', () => {
  const printed = wire(presentMergeRequest({ ...view, readsInternalNotes: false }, rendering)) as Record<
    string,
    unknown
  >;
  expect(printed.user_notes_count).toBe(9);
});
