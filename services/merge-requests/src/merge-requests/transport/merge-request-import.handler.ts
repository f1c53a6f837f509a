import {
  MergeRequestImportServiceService,
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
          mergeRequests
            .slice(0, maxItems)
            .map(({ milestoneIid, milestoneTitle, createdAt = new Date(0), updatedAt = createdAt, ...one }) => ({
              ...one,
              description: orUndefined(one.description),
              state: stateOf(one.state),
              diffs: one.diffs.map(({ createdAt: at, ...diff }) => ({ ...diff, createdAt: at })),
              reviewers: one.reviewers.map((review) => toReview(review, createdAt)),
              approvals: one.approvals.map((review) => toReview(review, createdAt)),
              milestone:
                milestoneIid > 0
                  ? { iid: milestoneIid }
                  : milestoneTitle === ''
                    ? undefined
                    : { title: milestoneTitle },
              mergeCommitSha: orUndefined(one.mergeCommitSha),
              squashCommitSha: orUndefined(one.squashCommitSha),
              mergedById: orUndefined(one.mergedById),
              mergedAt: one.mergedAt,
              closedById: orUndefined(one.closedById),
              closedAt: one.closedAt,
              createdAt,
              updatedAt,
            })),
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
          events.slice(0, maxItems).map(({ createdAt = new Date(0), ...event }) => ({ ...event, createdAt })),
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
