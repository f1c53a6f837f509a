import { type SqlExecutor, sql } from '@switchyard/database';
import { appendAllToOutbox, mergeRequestEventId, mergeRequestEvents } from '@switchyard/events';
import {
  type MergeRequestActed_Kind as ActedKind,
  MergeRequestActed_Kind,
  type MergeRequestEvent,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { Mentions } from '../domain/mentions';
import type { MergeRequest } from '../domain/merge-request';
import type { Act, MergeRequestFact } from '../domain/merge-request-change';

type WireFact = NonNullable<MergeRequestEvent['fact']>;
type Subject = Pick<
  MergeRequest,
  'id' | 'iid' | 'projectId' | 'authorId' | 'title' | 'lockVersion' | 'autoMergeUserId' | 'importedFrom'
>;

const actKinds: Record<Act, ActedKind> = {
  pushed: MergeRequestActed_Kind.KIND_PUSHED,
  auto_merge_changed: MergeRequestActed_Kind.KIND_AUTO_MERGE_CHANGED,
  rebased: MergeRequestActed_Kind.KIND_REBASED,
  pipeline_retried: MergeRequestActed_Kind.KIND_PIPELINE_RETRIED,
};

const mentionsOf = ({ usernames, directlyAddressed }: Mentions) => ({
  usernames: [...usernames],
  directlyAddressedUsernames: [...directlyAddressed],
});

/** A fact as it travels, and what made it happen (the table of causes stands in the proto). */
function wireFact(fact: MergeRequestFact, subject: Subject, mergeUserId: number): { fact: WireFact; cause: string } {
  const version = String(subject.lockVersion);
  switch (fact.kind) {
    case 'created':
      return {
        cause: '1',
        fact: {
          $case: 'created',
          value: {
            assigneeIds: [...fact.assigneeIds],
            reviewerIds: [...fact.reviewerIds],
            mentions: mentionsOf(fact.mentions),
          },
        },
      };
    case 'updated':
      return {
        cause: version,
        fact: {
          $case: 'updated',
          value: {
            addedAssigneeIds: [...fact.addedAssigneeIds],
            removedAssigneeIds: [...fact.removedAssigneeIds],
            addedReviewerIds: [...fact.addedReviewerIds],
            removedReviewerIds: [...fact.removedReviewerIds],
            mentions: mentionsOf(fact.mentions),
            changedFields: [...fact.changedFields],
          },
        },
      };
    case 'closed':
      return { cause: version, fact: { $case: 'closed', value: {} } };
    case 'reopened':
      return { cause: version, fact: { $case: 'reopened', value: {} } };
    case 'merged':
      return { cause: version, fact: { $case: 'merged', value: { mergeCommitSha: fact.mergeCommitSha } } };
    case 'deleted':
      return { cause: '1', fact: { $case: 'deleted', value: {} } };
    case 'became_unmergeable':
      return {
        cause: `${fact.sourceSha}:${fact.targetSha}`,
        fact: { $case: 'becameUnmergeable', value: { mergeUserId } },
      };
    case 'pipeline_failed':
      return {
        cause: String(fact.pipelineId),
        fact: { $case: 'pipelineFailed', value: { pipelineId: fact.pipelineId, mergeUserId } },
      };
    case 'acted':
      return {
        cause: `${fact.act}:${fact.actId}`,
        fact: { $case: 'acted', value: { kind: actKinds[fact.act] } },
      };
  }
}

/** One fact about one merge request. */
export interface Happening {
  /** The merge request after the change. */
  readonly subject: Subject;
  readonly fact: MergeRequestFact;
  /** 0 when nobody did it. */
  readonly actorId: number;
  readonly occurredAt: Date;
  /** Who had set auto-merge before the change; default: who has set it now. */
  readonly mergeUserId?: number | undefined;
}

/** Appends the events of some happenings, in order, in the transaction that made them true. The rows must be locked. */
export async function publishFacts(tx: SqlExecutor, happenings: readonly Happening[]): Promise<void> {
  if (happenings.length === 0) return;
  const [state] = await tx.query<{ sequence: number }>(sql`select sequence from directory.state`);
  const events = happenings.map(({ subject, fact, actorId, occurredAt, mergeUserId }) => {
    const wire = wireFact(fact, subject, mergeUserId ?? subject.autoMergeUserId ?? 0);
    return {
      id: mergeRequestEventId(wire.fact.$case, subject.id, wire.cause),
      payload: {
        mergeRequest: {
          id: subject.id,
          iid: subject.iid,
          projectId: subject.projectId,
          authorId: subject.authorId,
          title: subject.title,
        },
        actorId,
        occurredAt,
        // An import brings the merge request in; whatever happens to it afterwards happens here.
        imported: fact.kind === 'created' && subject.importedFrom !== 'none',
        directorySequence: state?.sequence ?? 0,
        fact: wire.fact,
      },
    };
  });
  await appendAllToOutbox(tx, mergeRequestEvents, events);
}
