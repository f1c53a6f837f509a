import type { Directory } from '@switchyard/directory';
import { unavailable } from '@switchyard/errors';
import { type AnySubscription, faultPoint, faultPoints, mergeRequestEvents, subscription } from '@switchyard/events';
import type {
  MergeRequestEvent,
  MergeRequestMentions,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { followMergeRequests } from '../application/follow-merge-requests';
import type { MergeRequestFact, MergeRequestHappening } from '../domain/merge-request-happening';

faultPoints.push('todo.written', 'todo.committed');

const mentionsOf = (mentions: MergeRequestMentions | undefined) => ({
  usernames: mentions?.usernames ?? [],
  directlyAddressed: mentions?.directlyAddressedUsernames ?? [],
});

function factOf(fact: NonNullable<MergeRequestEvent['fact']>): MergeRequestFact {
  switch (fact.$case) {
    case 'created':
      return {
        kind: 'created',
        assigneeIds: fact.value.assigneeIds,
        reviewerIds: fact.value.reviewerIds,
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'updated':
      return {
        kind: 'updated',
        addedAssigneeIds: fact.value.addedAssigneeIds,
        addedReviewerIds: fact.value.addedReviewerIds,
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'closed':
    case 'reopened':
    case 'merged':
    case 'acted':
      return { kind: 'acted' };
    case 'deleted':
      return { kind: 'deleted' };
    case 'becameUnmergeable':
      return { kind: 'became_unmergeable', mergeUserId: fact.value.mergeUserId };
    case 'pipelineFailed':
      return { kind: 'pipeline_failed', mergeUserId: fact.value.mergeUserId };
  }
}

/** The happening an event tells of; undefined when this version does not know its fact. */
function toHappening(event: MergeRequestEvent): MergeRequestHappening | undefined {
  const { mergeRequest, fact } = event;
  if (mergeRequest === undefined || fact === undefined) return undefined;
  return {
    target: {
      type: 'MergeRequest',
      id: mergeRequest.id,
      iid: mergeRequest.iid,
      projectId: mergeRequest.projectId,
    },
    authorId: mergeRequest.authorId,
    actorId: event.actorId,
    imported: event.imported,
    fact: factOf(fact),
  };
}

/** What happens to merge requests raises and resolves to-dos, each event once (D6). */
export const mergeRequestSubscription = (
  follow: ReturnType<typeof followMergeRequests>,
  directory: Pick<Directory, 'sequence' | 'ensure'>,
): AnySubscription =>
  subscription({
    event: mergeRequestEvents,
    async handle(event, tx) {
      const happening = toHappening(event);
      if (happening === undefined) return;
      if (event.directorySequence > directory.sequence()) {
        // A user named here may not have arrived yet. The wait happens between two tries: no remote call inside the transaction.
        directory.ensure(event.directorySequence).catch(() => undefined);
        throw unavailable(`the directory has not reached ${event.directorySequence}`);
      }
      await follow(tx, happening);
      faultPoint('todo.written');
      tx.afterCommit(() => faultPoint('todo.committed'));
    },
  });
