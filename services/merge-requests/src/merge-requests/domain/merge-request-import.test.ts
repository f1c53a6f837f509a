import { type ImportedMergeRequest, importable } from './merge-request-import';

const at = new Date('2026-01-02T03:04:05Z');
const given: ImportedMergeRequest = {
  ...{ iid: 1, authorId: 1, title: 'Title', description: undefined, state: 'opened', draft: false },
  ...{ sourceBranch: 'topic', targetBranch: 'main', diffs: [], assigneeIds: [], reviewers: [], approvals: [] },
  ...{ labels: [], milestone: undefined, squash: false, forceRemoveSourceBranch: undefined, discussionLocked: false },
  ...{ mergeCommitSha: undefined, squashCommitSha: undefined, mergedById: undefined, mergedAt: undefined },
  ...{ closedById: undefined, closedAt: undefined, timeEstimate: 0, totalTimeSpent: 0, createdAt: at, updatedAt: at },
};

it('takes the last review of a user who stands twice among the reviewers', () => {
  const reviewers = [
    { userId: 2, state: 'unreviewed', createdAt: at },
    { userId: 3, state: 'reviewed', createdAt: at },
    { userId: 2, state: 'approved', createdAt: at },
  ] as const;
  const [made] = importable([{ ...given, reviewers }]);
  expect(made?.reviewers).toEqual([reviewers[2], reviewers[1]]);
});

it('takes the newest 100 versions', () => {
  const diffs = Array.from({ length: 101 }, (_, n) => ({ baseSha: '', startSha: '', headSha: `${n}`, createdAt: at }));
  const [made] = importable([{ ...given, diffs }]);
  expect(made?.diffs).toEqual(diffs.slice(1));
});
