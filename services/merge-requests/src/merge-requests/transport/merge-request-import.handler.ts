import {
  MergeRequestImportServiceService,
  type ImportedMergeRequest as MergeRequestMessage,
  type ImportedReview as ReviewMessage,
} from '@switchyard/protos/merge_requests/v1/merge_request_import';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ImportMergeRequests } from '../application/import-merge-requests';
import type { ReviewState } from '../domain/approvals';
import type { ImportedMergeRequest, ImportedReview } from '../domain/merge-request-import';

/** Items of one request (see the proto). */
const maxItems = 100;
/** Reviews of one request. */
const maxReviews = 1_000;

const reviewStates: readonly string[] = [
  'reviewed',
  'requested_changes',
  'approved',
  'unapproved',
] satisfies ReviewState[];

const toReview = ({ userId, state, createdAt }: ReviewMessage, otherwise: Date): ImportedReview => ({
  userId,
  state: reviewStates.includes(state) ? (state as ReviewState) : 'unreviewed',
  createdAt: createdAt ?? otherwise,
});

const stateOf = (state: string): ImportedMergeRequest['state'] =>
  state === 'merged' || state === 'closed' ? state : 'opened';

const orUndefined = <T extends string | number>(value: T): T | undefined =>
  value === '' || value === 0 ? undefined : value;

/** Field by field: V8 keeps an object that is copied in part, or copied and given further fields, in four times the memory. */
function toImportedMergeRequest(one: MergeRequestMessage): ImportedMergeRequest {
  const { createdAt = new Date(0), updatedAt = createdAt } = one;
  return {
    iid: one.iid,
    authorId: one.authorId,
    title: one.title,
    description: orUndefined(one.description),
    state: stateOf(one.state),
    draft: one.draft,
    sourceBranch: one.sourceBranch,
    targetBranch: one.targetBranch,
    diffs: one.diffs.map((diff) => ({ ...diff, createdAt: diff.createdAt })),
    assigneeIds: one.assigneeIds,
    reviewers: one.reviewers.map((review) => toReview(review, createdAt)),
    approvals: one.approvals.map((review) => toReview(review, createdAt)),
    labels: one.labels,
    milestone: { iid: one.milestoneIid, title: one.milestoneTitle },
    squash: one.squash,
    forceRemoveSourceBranch: one.forceRemoveSourceBranch,
    discussionLocked: one.discussionLocked,
    mergeCommitSha: orUndefined(one.mergeCommitSha),
    squashCommitSha: orUndefined(one.squashCommitSha),
    mergedById: orUndefined(one.mergedById),
    mergedAt: one.mergedAt,
    closedById: orUndefined(one.closedById),
    closedAt: one.closedAt,
    timeEstimate: one.timeEstimate,
    totalTimeSpent: one.totalTimeSpent,
    createdAt,
    updatedAt,
  };
}

const byForges = { callers: ['imports-exports'] };

/** Serves `MergeRequestImportService`. */
export const mergeRequestImportHandler = (imports: ImportMergeRequests): ServiceImplementation =>
  implement(
    MergeRequestImportServiceService,
    {
      async reserveMergeRequestNumbers({ projectId, highest }) {
        await imports.reserveNumbers(projectId, highest);
        return {};
      },
      importMergeRequests: async ({ projectId, importedFrom, actorId, mergeRequests, knownBefore }) => ({
        imported: await imports.add(
          { projectId, importedFrom },
          actorId,
          mergeRequests.slice(0, maxItems).map(toImportedMergeRequest),
          knownBefore,
        ),
      }),
      importMergeRequestReviews: async ({ projectId, importedFrom, reviews }) => ({
        imported: await imports.review(
          { projectId, importedFrom },
          reviews
            .slice(0, maxReviews)
            .flatMap(({ mergeRequestIid, review }) =>
              review === undefined ? [] : [{ mergeRequestIid, ...toReview(review, new Date()) }],
            ),
        ),
      }),
      importMergeRequestEvents: async ({ projectId, importedFrom, events }) => ({
        imported: await imports.addEvents(
          { projectId, importedFrom },
          events.slice(0, maxItems).map((event) => ({ ...event, createdAt: event.createdAt ?? new Date(0) })),
        ),
      }),
      nextImportedMergeRequest: async ({ fromIid, ...key }) => ({ iid: (await imports.next(key, fromIid)) ?? 0 }),
      async locateImportedNotes({ projectId, importedFrom, iids, places }) {
        const { mergeRequests, positions } = await imports.locate(
          { projectId, importedFrom },
          iids.slice(0, maxItems),
          places.slice(0, maxItems),
        );
        return { mergeRequests: [...mergeRequests], places: positions.map((position) => ({ position })) };
      },
    },
    {
      reserveMergeRequestNumbers: byForges,
      importMergeRequests: byForges,
      importMergeRequestReviews: byForges,
      importMergeRequestEvents: byForges,
      nextImportedMergeRequest: byForges,
      locateImportedNotes: { callers: ['collaboration'] },
    },
  );
