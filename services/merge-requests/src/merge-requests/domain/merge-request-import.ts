import type { ImportedEvent, ImportedTimelog } from '@switchyard/directory';
import { isShowableTime, shortLine } from '@switchyard/texts';
import type { ReviewState } from './approvals';
import { isDraftTitle, type MergeRequestState, maxPeople, mergeRequestFieldProblems } from './merge-request';
import type { DiffVersion } from './merge-request-change';

/** Where merge requests are imported to, and what they are marked with. */
export interface ImportKey {
  readonly projectId: number;
  /** Kind of the forge, or of the archive. */
  readonly importedFrom: string;
}

/** A version of a diff as another system names it; commits may not be there, or be no commits. */
export interface ImportedDiff {
  /** Empty: it is found out. */
  readonly baseSha: string;
  readonly startSha: string;
  readonly headSha: string;
  readonly createdAt: Date | undefined;
}

/** What a user said to a merge request, and when. */
export interface ImportedReview {
  readonly userId: number;
  readonly state: ReviewState;
  readonly createdAt: Date;
}

/** A merge request as it was in another system. */
export interface ImportedMergeRequest {
  readonly iid: number;
  readonly authorId: number;
  readonly title: string;
  readonly description: string | undefined;
  readonly state: Exclude<MergeRequestState, 'locked'>;
  readonly draft: boolean;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** The oldest first. */
  readonly diffs: readonly ImportedDiff[];
  readonly assigneeIds: readonly number[];
  readonly reviewers: readonly ImportedReview[];
  readonly approvals: readonly ImportedReview[];
  /** Titles. */
  readonly labels: readonly string[];
  /** Number of its milestone in the project, or its title. */
  readonly milestone: { readonly iid: number } | { readonly title: string } | undefined;
  readonly squash: boolean;
  /** Undefined: its author did not say. */
  readonly forceRemoveSourceBranch: boolean | undefined;
  readonly discussionLocked: boolean;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly mergedById: number | undefined;
  readonly mergedAt: Date | undefined;
  readonly closedById: number | undefined;
  readonly closedAt: Date | undefined;
  readonly timeEstimate: number;
  readonly totalTimeSpent: number;
  /** Undefined: none. */
  readonly timelogs?: readonly ImportedTimelog[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An imported merge request with what git says of it. */
export interface PreparedMergeRequest extends ImportedMergeRequest {
  /** The oldest first. */
  readonly versions: readonly (DiffVersion & { readonly createdAt: Date })[];
  readonly sourceSha: string | undefined;
  readonly targetSha: string | undefined;
  readonly sourceBranchExists: boolean;
}

/** A merge request with the tasks of its description. */
export type CountedMergeRequest = PreparedMergeRequest & {
  readonly taskCount: number;
  readonly completedTaskCount: number;
};

/** A review of an imported merge request. */
export interface ReviewOfImported extends ImportedReview {
  readonly mergeRequestIid: number;
}

/** Versions of a merge request that are taken, the newest ones: git compares each. */
const maxVersions = 100;

/** The title as it is stored: cut where it is too long, and saying that it is a draft. */
const titleOf = ({ title, draft }: Pick<ImportedMergeRequest, 'title' | 'draft'>): string =>
  shortLine(draft && !isDraftTitle(title) ? `Draft: ${title}` : title);

/** An event of an imported merge request. */
export type EventOfImported = Omit<ImportedEvent, 'ownerId'> & { readonly iid: number };

/** What is imported of given ones: those that a merge request can be, each number once. */
export function importable(given: readonly ImportedMergeRequest[]): ImportedMergeRequest[] {
  const byIid = new Map<number, ImportedMergeRequest>();
  for (const one of given) {
    const { iid, authorId, description, createdAt, updatedAt } = one;
    const title = titleOf(one);
    const isOne =
      iid > 0 &&
      authorId > 0 &&
      [createdAt, updatedAt].every(isShowableTime) &&
      Object.keys(mergeRequestFieldProblems({ title, description })).length === 0;
    if (isOne && !byIid.has(iid)) {
      const assigneeIds = one.assigneeIds.slice(0, maxPeople);
      // Two names may mean the same user, who reviews once.
      const reviewers = [...new Map(one.reviewers.map((review) => [review.userId, review])).values()];
      const diffs = one.diffs.slice(-maxVersions);
      byIid.set(iid, { ...one, title, diffs, assigneeIds, reviewers: reviewers.slice(0, maxPeople) });
    }
  }
  return [...byIid.values()];
}
