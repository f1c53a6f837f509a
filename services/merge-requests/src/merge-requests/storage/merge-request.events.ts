import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, mergeRequestEventId, mergeRequestEvents } from '@switchyard/events';
import {
  type MergeRequestActed_Kind as ActedKind,
  MergeRequestAutoMergeChanged_Change as AutoMergeChange,
  MergeRequestActed_Kind,
  type MergeRequestEvent,
  MergeTrainStateChanged_State as TrainState,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { MergeTrainEntryRemoved_Reason as Reason } from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import type { IssueReferences, Mentions } from '@switchyard/texts';
import type { MergeRequest } from '../domain/merge-request';
import type { Act, MergeRequestFact, TrainEvidence } from '../domain/merge-request-change';
import type { RemovalReason } from '../domain/removal-reason';

type WireFact = NonNullable<MergeRequestEvent['fact']>;
type Subject = Pick<
  MergeRequest,
  | 'id'
  | 'iid'
  | 'projectId'
  | 'authorId'
  | 'title'
  | 'targetBranch'
  | 'lockVersion'
  | 'state'
  | 'autoMergeUserId'
  | 'importedFrom'
>;

const actKinds: Record<Act, ActedKind> = {
  approved: MergeRequestActed_Kind.KIND_APPROVED,
  unapproved: MergeRequestActed_Kind.KIND_UNAPPROVED,
  reviewed: MergeRequestActed_Kind.KIND_REVIEWED,
  changes_requested: MergeRequestActed_Kind.KIND_CHANGES_REQUESTED,
  pushed: MergeRequestActed_Kind.KIND_PUSHED,
  auto_merge_changed: MergeRequestActed_Kind.KIND_AUTO_MERGE_CHANGED,
  rebased: MergeRequestActed_Kind.KIND_REBASED,
  pipeline_retried: MergeRequestActed_Kind.KIND_PIPELINE_RETRIED,
};

const wireReason = (reason: RemovalReason): Reason =>
  Reason[`REASON_${reason.toUpperCase() as Uppercase<RemovalReason>}`];

const autoMergeChanges = {
  set: AutoMergeChange.CHANGE_SET,
  canceled: AutoMergeChange.CHANGE_CANCELED,
  aborted: AutoMergeChange.CHANGE_ABORTED,
};

const trainStates = {
  running: TrainState.STATE_RUNNING,
  paused: TrainState.STATE_PAUSED,
  draining: TrainState.STATE_DRAINING,
};

/** Status names of one removal that travel: a pipeline may have thousands. */
const sentNames = 100;

const wireEvidence = ({ testedSha = '', baseSha, pipelineId = 0, statuses, reruns }: TrainEvidence) => ({
  testedSha,
  baseSha,
  pipelineId,
  statuses: statuses.slice(0, sentNames).map(({ name, targetUrl = '' }) => ({ name, targetUrl })),
  reruns,
});

const mentionsOf = ({ usernames, directlyAddressed }: Mentions) => ({
  usernames: [...usernames],
  directlyAddressedUsernames: [...directlyAddressed],
});

const referencesOf = ({ closing, mentioned, mergeRequests, epics }: IssueReferences) => ({
  epics: [...epics],
  closing: [...closing],
  mentioned: [...mentioned],
  mergeRequests: [...mergeRequests],
});

/** A fact as it travels, and its cause (the table of causes is in the proto). */
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
            issueReferences: referencesOf(fact.issueReferences),
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
            issueReferences: fact.issueReferences && referencesOf(fact.issueReferences),
            timeChanges: [...fact.timeChanges],
            changes: fact.changes.map((change) => ({
              ...change,
              oldIds: [...change.oldIds],
              newIds: [...change.newIds],
            })),
            discussionLocked: fact.discussionLocked,
          },
        },
      };
    case 'closed':
      return { cause: version, fact: { $case: 'closed', value: {} } };
    case 'reopened':
      return { cause: version, fact: { $case: 'reopened', value: {} } };
    case 'merged':
      return {
        cause: version,
        fact: { $case: 'merged', value: { mergeCommitSha: fact.mergeCommitSha, targetBranch: subject.targetBranch } },
      };
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
    case 'train_entry_added': {
      const { entryId, targetBranch, position, first } = fact;
      return {
        cause: first === undefined ? String(entryId) : `${entryId}:${first.rank}`,
        fact: {
          $case: 'mergeTrainEntryAdded',
          value: { entryId, targetBranch, position, first: first !== undefined, moved: first?.moved ?? false },
        },
      };
    }
    case 'train_entry_removed': {
      const { entryId, targetBranch, addedById, reason, pipelineId = 0, evidence } = fact;
      return {
        cause: String(entryId),
        fact: {
          $case: 'mergeTrainEntryRemoved',
          value: {
            entryId,
            targetBranch,
            addedById,
            reason: wireReason(reason),
            pipelineId,
            evidence: evidence && wireEvidence(evidence),
          },
        },
      };
    }
    case 'train_entry_overtaken': {
      const { entryId, targetBranch, position, by, addedById = 0 } = fact;
      return {
        cause: `${entryId}:${by.entryId}:${by.rank}`,
        fact: {
          $case: 'mergeTrainEntryOvertaken',
          value: { entryId, targetBranch, position, byIid: by.iid, byId: by.id, addedById },
        },
      };
    }
    case 'train_state_changed': {
      const {
        entryId,
        targetBranch,
        changeId,
        state,
        reason = '',
        until,
        failingNames,
        firstCar,
        addedById = 0,
      } = fact;
      return {
        cause: `${entryId}:${changeId}`,
        fact: {
          $case: 'mergeTrainStateChanged',
          value: {
            entryId,
            targetBranch,
            state: trainStates[state],
            reason,
            until,
            targetFailing: failingNames !== undefined,
            statusNames: [...(failingNames ?? [])],
            firstCar,
            addedById,
          },
        },
      };
    }
    case 'auto_merge_changed':
      return {
        cause: version,
        fact: {
          $case: 'autoMergeChanged',
          value: {
            change: autoMergeChanges[fact.change],
            mergeTrain: fact.addsToTrain,
            setById: fact.setById || (subject.autoMergeUserId ?? 0),
            reason: '',
            abortReason: fact.change === 'aborted' && fact.reason ? wireReason(fact.reason) : undefined,
          },
        },
      };
    case 'approval_requested':
      return { cause: version, fact: { $case: 'approvalRequested', value: { userIds: [...fact.userIds] } } };
    case 'suggestions_applied':
      return {
        cause: String(fact.changeId),
        fact: {
          $case: 'suggestionsApplied',
          value: { suggestionIds: [...fact.suggestionIds], commitSha: fact.commitSha },
        },
      };
    case 'acted':
      return {
        cause: `${fact.act}:${fact.actId}`,
        fact: {
          $case: 'acted',
          value: {
            kind: actKinds[fact.act],
            push: fact.push,
            approved: fact.approved,
            lostApprovalUserIds: [...(fact.lostApprovalUserIds ?? [])],
          },
        },
      };
  }
}

/** One fact about one merge request. */
export interface MergeRequestEventInput {
  /** The merge request after the change. */
  readonly subject: Subject;
  readonly fact: MergeRequestFact;
  /** 0 when no user did it. */
  readonly actorId: number;
  readonly occurredAt: Date;
  /** Who had set auto-merge before the change; default: who has set it now. */
  readonly mergeUserId?: number | undefined;
}

/** What the events of merge requests share: what the directory was, and their labels. */
async function stateOf(
  tx: SqlExecutor,
  ids: readonly number[],
): Promise<{ readonly sequence: number; labelsOf(id: number): number[] }> {
  const [state] = await tx.query<{ sequence: number; labels: Record<string, number[]> | null }>(sql`
    select sequence, (
      select json_object_agg(merge_request_id, label_ids) from (
        select merge_request_id, array_agg(label_id order by label_id) as label_ids from merge_request_labels
        where merge_request_id = any(${[...ids]}::bigint[]) group by merge_request_id) as labelled) as labels
    from directory.state`);
  return { sequence: state?.sequence ?? 0, labelsOf: (id) => state?.labels?.[id] ?? [] };
}

/** A merge request as its events carry it. */
const wireSubject = (subject: Subject, labelIds: number[]) => ({
  id: subject.id,
  iid: subject.iid,
  projectId: subject.projectId,
  authorId: subject.authorId,
  title: subject.title,
  state: subject.state,
  labelIds,
  version: subject.lockVersion,
});

/**
 * Notifies readers of a change that is history: without a fact nobody is notified of it (D6). The row must be locked.
 * @param issueReferences what its texts name; undefined where these stayed
 */
export async function publishRefreshed(
  tx: SqlExecutor,
  subject: MergeRequest,
  issueReferences?: IssueReferences,
): Promise<void> {
  const { sequence, labelsOf } = await stateOf(tx, [subject.id]);
  const payload = {
    mergeRequest: wireSubject(subject, labelsOf(subject.id)),
    actorId: 0,
    occurredAt: subject.updatedAt,
    imported: true,
    directorySequence: sequence,
    issueReferences: issueReferences && referencesOf(issueReferences),
    fact: undefined,
  };
  const id = `${mergeRequestEvents.type}:refreshed:${subject.id}:${subject.lockVersion}`;
  await appendAllToOutbox(tx, mergeRequestEvents, [{ id, payload }]);
}

/** Appends the events of some inputs, in order, in the transaction that made them true. The rows must be locked. */
export async function publishFacts(tx: SqlExecutor, inputs: readonly MergeRequestEventInput[]): Promise<void> {
  if (inputs.length === 0) return;
  const { sequence, labelsOf } = await stateOf(
    tx,
    inputs.map(({ subject }) => subject.id),
  );
  const events = inputs.map(({ subject, fact, actorId, occurredAt, mergeUserId }) => {
    const wire = wireFact(fact, subject, mergeUserId ?? subject.autoMergeUserId ?? 0);
    return {
      id: mergeRequestEventId(wire.fact.$case, subject.id, wire.cause),
      payload: {
        mergeRequest: wireSubject(subject, labelsOf(subject.id)),
        actorId,
        occurredAt,
        // An import brings the merge request in; whatever happens to it afterwards happens here.
        imported: fact.kind === 'created' && subject.importedFrom !== 'none',
        directorySequence: sequence,
        issueReferences: undefined,
        fact: wire.fact,
      },
    };
  });
  await appendAllToOutbox(tx, mergeRequestEvents, events);
}

/** Merge requests after an id as they are now, as events without a fact; what `publishStates` reads. */
export async function mergeRequestStates(
  tx: SqlExecutor,
  after: number,
  limit: number,
): Promise<{ id: number; payload: MergeRequestEvent }[]> {
  const rows = await tx.query<{
    id: number;
    iid: number;
    project_id: number;
    author_id: number;
    title: string;
    state: string;
    labels: number[];
    lock_version: number;
    updated_at: Date;
    sequence: number | null;
  }>(sql`
    select mr.id, mr.iid, mr.project_id, mr.author_id, mr.title, mr.state, mr.lock_version, mr.updated_at,
      (select sequence from directory.state) as sequence,
      array(select l.label_id from merge_request_labels l where l.merge_request_id = mr.id order by l.label_id) as labels
    from merge_requests mr where mr.id > ${after} order by mr.id limit ${limit}`);
  return rows.map(({ id, iid, project_id, author_id, title, state, labels, lock_version, updated_at, sequence }) => ({
    id,
    payload: {
      mergeRequest: {
        id,
        iid,
        projectId: project_id,
        authorId: author_id,
        title,
        state,
        labelIds: labels,
        version: lock_version,
      },
      actorId: 0,
      occurredAt: updated_at,
      imported: false,
      directorySequence: sequence ?? 0,
      issueReferences: undefined,
      fact: undefined,
    },
  }));
}
