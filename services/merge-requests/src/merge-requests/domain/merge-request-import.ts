import type { ImportedEvent, ImportedTimelog, MilestoneName } from '@switchyard/directory';
import {
  ascending,
  fieldsToTake,
  type ImportedFields,
  type IssueReferences,
  importedFields,
  isShowableTime,
  issueReferences,
  shortLine,
} from '@switchyard/texts';
import type { ReviewState } from './approvals';
import type { ContextCommit } from './context-commit';
import { isDraftTitle, type MergeRequestState, maxPeople, mergeRequestFieldProblems } from './merge-request';
import type { DiffVersion, LockedMergeRequest, MergeRequestChange, MergeRequestPatch } from './merge-request-change';
import { unchecked } from './mergeability';

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
  /** Who takes part beside them, in order; undefined: nobody. */
  readonly participantIds?: readonly number[];
  /** Undefined: none. */
  readonly contextCommits?: readonly ContextCommit[];
  /** Undefined: at any time. */
  readonly mergeAfter?: Date | undefined;
  /** Undefined: it does not say. */
  readonly approvalsBeforeMerge?: number | undefined;
  /** Titles. */
  readonly labels: readonly string[];
  readonly milestone: MilestoneName | undefined;
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

/** One with what its texts name. */
export type NamingMergeRequest = CountedMergeRequest & { readonly issueReferences: IssueReferences };

/** One with the labels and the milestone that it names. */
export type AttachedMergeRequest = CountedMergeRequest & {
  readonly labelIds: readonly number[];
  readonly milestoneId: number | undefined;
};

/** What an import wrote of a merge request. */
export interface WroteMergeRequest {
  readonly id: number;
  readonly fields: ImportedFields;
  /** Empty for one whose commit did not come in. */
  readonly headSha: string;
}

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

type RefreshedFields = Pick<
  AttachedMergeRequest,
  | 'title'
  | 'description'
  | 'targetBranch'
  | 'labelIds'
  | 'milestoneId'
  | 'assigneeIds'
  | 'discussionLocked'
  | 'sourceSha'
> & { readonly state: MergeRequestState };

/** Digests of what an import writes of a merge request, but for who is asked for a review. */
const fieldsOf = (one: RefreshedFields): ImportedFields =>
  importedFields({
    title: one.title,
    description: one.description ?? '',
    state: one.state,
    target: one.targetBranch,
    labels: ascending(one.labelIds),
    milestone: one.milestoneId ?? 0,
    assignees: ascending(one.assigneeIds),
    locked: one.discussionLocked,
    head: one.sourceSha ?? '',
  });

const reviewersOf = ({ reviewers }: Pick<AttachedMergeRequest, 'reviewers'>): number[] =>
  ascending(reviewers.map(({ userId }) => userId));

/** Digests of what an import writes of a merge request. */
const fieldsOfImported = (one: AttachedMergeRequest): ImportedFields => ({
  ...fieldsOf(one),
  ...importedFields({ reviewers: reviewersOf(one) }),
});

/** Fields that a merge request keeps while it is under way to be merged. */
const heldFields = ['state', 'head', 'target'];

/** Whether somebody has set a merge request to be merged here, or it is on a train. */
export const isUnderWay = ({ mergeRequest, planned }: LockedMergeRequest): boolean =>
  mergeRequest.autoMergeStrategy !== undefined || planned !== undefined || mergeRequest.state === 'locked';

/**
 * What an import has written of a merge request.
 * @param held what it had written of one that was under way: the fields that it keeps are as the import before wrote them, so
 *   that a later refresh takes them
 */
export function wroteOf(one: AttachedMergeRequest & Pick<WroteMergeRequest, 'id'>, held?: WroteMergeRequest) {
  const wrote = { id: one.id, fields: fieldsOfImported(one), headSha: one.sourceSha ?? '' };
  if (held === undefined) return wrote;
  const left = Object.entries(held.fields).filter(([name]) => heldFields.includes(name));
  return { ...wrote, fields: { ...wrote.fields, ...Object.fromEntries(left) }, headSha: held.headSha };
}

/** A state of the forge as one that comes to be here. */
const stateOf = (one: AttachedMergeRequest): MergeRequestPatch => {
  const ended = { mergedAt: null, closedAt: null, closedById: null, mergeUserId: null, mergeError: null };
  if (one.state === 'merged')
    return {
      ...ended,
      ...{ state: 'merged', mergedAt: one.mergedAt ?? one.updatedAt, mergeCommitSha: one.mergeCommitSha ?? null },
      mergeStatus: 'can_be_merged',
    };
  if (one.state === 'closed') return { ...ended, state: 'closed', closedAt: one.closedAt ?? one.updatedAt };
  return { ...ended, state: 'opened' };
};

/**
 * What a refresh changes of a merge request: fields that changed at the forge and still are what an import wrote (ADR 73).
 * What somebody has set to be merged here keeps its state, head and target.
 * @param externalUrl start of all addresses of this installation
 * @returns undefined for nothing
 */
export function decideRefresh(
  locked: LockedMergeRequest,
  { fields: wrote }: WroteMergeRequest,
  theirs: AttachedMergeRequest,
  externalUrl: string,
): MergeRequestChange | undefined {
  const { mergeRequest, labelIds, assigneeIds, reviewerIds } = locked;
  const { description, discussionLocked } = mergeRequest;
  const ours = {
    ...fieldsOf({ ...mergeRequest, description, labelIds, assigneeIds, discussionLocked: discussionLocked === true }),
    // Who is asked here since stays asked: others come to them.
    reviewers: wrote.reviewers ?? '',
  };
  const taken = new Set(fieldsToTake(wrote, ours, fieldsOfImported(theirs)));
  if (isUnderWay(locked)) for (const name of heldFields) taken.delete(name);
  if (taken.size === 0) return undefined;
  const version = theirs.versions.at(-1);
  const hasNewDiff = version !== undefined && (taken.has('head') || taken.has('target'));
  const isOpen = (taken.has('state') ? theirs.state : mergeRequest.state) === 'opened';
  const isChecked = isOpen && ['state', 'head', 'target'].some((name) => taken.has(name));
  const patch: MergeRequestPatch = {
    ...(taken.has('title') ? { title: theirs.title, draft: theirs.draft } : {}),
    ...(taken.has('description')
      ? {
          description: theirs.description ?? null,
          taskCount: theirs.taskCount,
          completedTaskCount: theirs.completedTaskCount,
        }
      : {}),
    ...(taken.has('target') ? { targetBranch: theirs.targetBranch } : {}),
    ...(taken.has('milestone') ? { milestoneId: theirs.milestoneId ?? null } : {}),
    ...(taken.has('locked') ? { discussionLocked: theirs.discussionLocked || null } : {}),
    ...(taken.has('head') ? { sourceBranchExists: theirs.sourceBranchExists } : {}),
    ...(hasNewDiff ? { changesCount: version.filesCount, targetSha: theirs.targetSha ?? null } : {}),
    ...(isChecked ? unchecked(mergeRequest) : {}),
    ...(taken.has('state') ? stateOf(theirs) : {}),
    updatedAt: new Date(Math.max(mergeRequest.updatedAt.getTime(), theirs.updatedAt.getTime())),
  };
  const texts = [
    patch.title ?? mergeRequest.title,
    (taken.has('description') ? theirs.description : description) ?? undefined,
  ];
  return {
    history: true,
    patch,
    ...(taken.has('title') || taken.has('description') ? { issueReferences: issueReferences(texts, externalUrl) } : {}),
    ...(taken.has('labels') ? { labelIds: ascending(theirs.labelIds) } : {}),
    ...(taken.has('assignees') ? { assigneeIds: theirs.assigneeIds } : {}),
    ...(taken.has('reviewers') ? { reviewerIds: [...new Set([...reviewerIds, ...reviewersOf(theirs)])] } : {}),
    ...(taken.has('head') && theirs.sourceSha !== undefined ? { newHead: theirs.sourceSha } : {}),
    ...(hasNewDiff ? { diff: version } : {}),
    participants: [...theirs.assigneeIds, ...reviewersOf(theirs)],
    jobs: isChecked ? [{ kind: 'mergeability', projectId: mergeRequest.projectId }] : [],
  };
}
