import { z } from '@switchyard/config';
import type { ImportedPeople } from '@switchyard/directory';
import { recordFields, timelogRecords, toImportedTimelogs } from '@switchyard/service';
import { mostContextCommits } from '../domain/context-commit';
import type { ImportedMergeRequest, ImportedReview } from '../domain/merge-request-import';

const { iid, text, body, sha, user, names, count, time } = recordFields;

/** A merge request as an archive has it (ADR 60). */
export const mergeRequestRecord = z.object({
  iid,
  title: text(1_024),
  description: body.nullable(),
  state: z.enum(['opened', 'closed', 'merged', 'locked']),
  draft: z.boolean(),
  source_branch: text(255),
  target_branch: text(255),
  from_fork: z.boolean(),
  author: user,
  assignees: names,
  reviewers: z
    .array(
      z.object({
        username: user,
        state: z.enum(['unreviewed', 'reviewed', 'requested_changes', 'approved', 'unapproved']),
        created_at: time,
      }),
    )
    .max(1_000),
  approvals: z.array(z.object({ username: user, created_at: time })).max(1_000),
  // The first archives have none of the next four.
  participants: z.array(user).max(1_000).default([]),
  context_commits: z
    .array(z.object({ sha, committed_at: time }))
    .max(mostContextCommits)
    .default([]),
  merge_after: time.nullable().default(null),
  approvals_before_merge: count.nullable().default(null),
  labels: names,
  milestone: text(255).nullable(),
  squash: z.boolean(),
  force_remove_source_branch: z.boolean().nullable(),
  discussion_locked: z.boolean().nullable(),
  diffs: z.array(z.object({ base_sha: sha, start_sha: sha, head_sha: sha, created_at: time })).max(10_000),
  merge_commit_sha: sha.nullable(),
  squash_commit_sha: sha.nullable(),
  merged_by: user,
  merged_at: time.nullable(),
  closed_by: user,
  closed_at: time.nullable(),
  time_estimate: count,
  total_time_spent: count,
  time_logs: timelogRecords,
  created_at: time,
  updated_at: time,
});

type MergeRequestRecord = z.infer<typeof mergeRequestRecord>;

/** Names of the people of merge requests. */
export const peopleOf = (given: readonly MergeRequestRecord[]): (string | null)[] =>
  given.flatMap(({ author, merged_by, closed_by, assignees, reviewers, approvals, participants, time_logs }) => [
    ...[author, merged_by, closed_by, ...assignees, ...participants],
    ...[...reviewers, ...approvals].map(({ username }) => username),
    ...time_logs.map(({ user: name }) => name),
  ]);

/** A branch of a fork by a name that tells forks apart. */
const branchOf = ({ from_fork, source_branch, iid: number }: MergeRequestRecord): string =>
  from_fork ? `imported-${number}-${source_branch}`.slice(0, 255) : source_branch;

/** A merge request of an archive with its people as users. */
export const toImported =
  (people: ImportedPeople) =>
  (record: MergeRequestRecord): ImportedMergeRequest => {
    const reviewers = record.reviewers.flatMap(({ username, created_at: createdAt, state }): ImportedReview[] => {
      const userId = people.user(username);
      if (userId === undefined) return [];
      return [{ userId, state: people.decider(username) === userId ? state : 'unreviewed', createdAt }];
    });
    const approvals = record.approvals.flatMap(({ username, created_at: createdAt }): ImportedReview[] => {
      const userId = people.decider(username);
      return userId === undefined ? [] : [{ userId, state: 'approved', createdAt }];
    });
    return {
      ...{ iid: record.iid, title: record.title, draft: record.draft, squash: record.squash, labels: record.labels },
      authorId: people.writer(record.author),
      description: record.description || undefined,
      state: record.state === 'locked' ? 'opened' : record.state,
      sourceBranch: branchOf(record),
      targetBranch: record.target_branch,
      diffs: record.diffs.map((diff) => ({
        ...{ baseSha: diff.base_sha, startSha: diff.start_sha, headSha: diff.head_sha, createdAt: diff.created_at },
      })),
      assigneeIds: people.users(record.assignees),
      reviewers,
      approvals,
      participantIds: record.participants.flatMap((name) => people.user(name) ?? []),
      contextCommits: record.context_commits.map(({ sha, committed_at: committedAt }) => ({ sha, committedAt })),
      mergeAfter: record.merge_after ?? undefined,
      approvalsBeforeMerge: record.approvals_before_merge ?? undefined,
      milestone: record.milestone === null ? undefined : { title: record.milestone },
      forceRemoveSourceBranch: record.force_remove_source_branch ?? undefined,
      discussionLocked: record.discussion_locked ?? false,
      mergeCommitSha: record.merge_commit_sha ?? undefined,
      squashCommitSha: record.squash_commit_sha ?? undefined,
      mergedById: people.user(record.merged_by),
      mergedAt: record.merged_at ?? undefined,
      closedById: people.user(record.closed_by),
      closedAt: record.closed_at ?? undefined,
      timeEstimate: record.time_estimate,
      totalTimeSpent: record.total_time_spent,
      timelogs: toImportedTimelogs(record.time_logs, people),
      createdAt: record.created_at,
      updatedAt: record.updated_at,
    };
  };
