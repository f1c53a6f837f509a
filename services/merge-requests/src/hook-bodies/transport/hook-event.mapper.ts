import { invalid } from '@switchyard/errors';
import {
  decodeBody,
  deploymentEvents,
  type EventDefinition,
  mergeRequestEvents,
  pipelineEvents,
  releaseEvents,
  repositoryPushed,
} from '@switchyard/events';
import type { DeploymentEvent } from '@switchyard/protos/merge_requests/events/v1/deployment_event';
import {
  MergeRequestActed_Kind as ActKind,
  MergeRequestAutoMergeChanged_Change as AutoMergeChange,
  type MergeRequestEvent,
  MergeTrainStateChanged_State as TrainState,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type {
  MergeTrainEntryRemoved,
  MergeTrainEntryRemoved_Reason as Reason,
} from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import type { PipelineEvent, PipelineSubject } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import type { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import type { ReleaseEvent } from '@switchyard/protos/merge_requests/events/v1/release_event';
import type { HookEvent as WireEvent } from '@switchyard/protos/rpc/v1/hook_body';
import type { HookEvent, HookPipeline } from '../domain/hook-event';
import {
  type HookAct,
  type MergeRequestHappened,
  mergeRequestHooks,
  type TrainHappened,
} from '../domain/merge-request-hook';

type MergeRequestFact = NonNullable<MergeRequestEvent['fact']>;
type FactOf<Case extends MergeRequestFact['$case']> = Extract<MergeRequestFact, { $case: Case }>['value'];

/** The wire does not know undefined: empty is none. */
const given = (text: string): string | undefined => text || undefined;
const id = (value: number): number | undefined => (value === 0 ? undefined : value);
const timeOf = (date: Date | undefined): Date => date ?? new Date(0);

/** `pipeline_failed` for `REASON_PIPELINE_FAILED`. */
const reasonOf = (reason: Reason): string => reason.replace(/^REASON_/, '').toLowerCase();

const acts: Partial<Record<ActKind, HookAct>> = {
  [ActKind.KIND_PUSHED]: 'pushed',
  [ActKind.KIND_APPROVED]: 'approved',
  [ActKind.KIND_UNAPPROVED]: 'unapproved',
  [ActKind.KIND_CHANGES_REQUESTED]: 'changes_requested',
};

const trainStates = {
  [TrainState.STATE_UNSPECIFIED]: 'running',
  [TrainState.STATE_RUNNING]: 'running',
  [TrainState.STATE_PAUSED]: 'paused',
  [TrainState.STATE_DRAINING]: 'draining',
} as const;

const autoMergeChanges = {
  [AutoMergeChange.CHANGE_UNSPECIFIED]: 'set',
  [AutoMergeChange.CHANGE_SET]: 'set',
  [AutoMergeChange.CHANGE_CANCELED]: 'canceled',
  [AutoMergeChange.CHANGE_ABORTED]: 'aborted',
} as const;

const removed = (fact: MergeTrainEntryRemoved): TrainHappened => {
  const { entryId, targetBranch, addedById, evidence } = fact;
  return {
    ...{ event: 'removed', entryId, targetBranch, addedById },
    reason: reasonOf(fact.reason),
    pipelineId: id(fact.pipelineId),
    evidence: evidence && {
      testedSha: given(evidence.testedSha),
      baseSha: evidence.baseSha,
      pipelineId: id(evidence.pipelineId),
      statuses: evidence.statuses.map(({ name, targetUrl }) => ({ name, targetUrl: given(targetUrl) })),
      reruns: evidence.reruns,
    },
  };
};

const stateChanged = (fact: FactOf<'mergeTrainStateChanged'>): TrainHappened => {
  const { entryId, targetBranch, until, targetFailing, statusNames, firstCar } = fact;
  return {
    event: trainStates[fact.state],
    reason: given(fact.reason),
    ...{ entryId, targetBranch, until, targetFailing, statusNames, firstCar },
  };
};

function happenedOf(fact: MergeRequestFact): MergeRequestHappened {
  switch (fact.$case) {
    case 'created':
    case 'closed':
    case 'reopened':
    case 'merged':
      return { kind: fact.$case };
    case 'updated':
      return { kind: 'updated', changes: fact.value.changes, timeChanges: fact.value.timeChanges };
    case 'acted': {
      const { kind, push, approved, lostApprovalUserIds } = fact.value;
      return { kind: 'acted', act: acts[kind] ?? 'other', push, approved, lostApprovalUserIds };
    }
    case 'mergeTrainEntryAdded': {
      const { entryId, targetBranch, position, first } = fact.value;
      return { kind: 'train', train: { event: first ? 'moved_to_front' : 'added', entryId, targetBranch, position } };
    }
    case 'mergeTrainEntryOvertaken': {
      const { entryId, targetBranch, position, byIid, addedById } = fact.value;
      return { kind: 'train', train: { event: 'overtaken', entryId, targetBranch, position, byIid, addedById } };
    }
    case 'mergeTrainEntryRemoved':
      return { kind: 'train', train: removed(fact.value) };
    case 'mergeTrainStateChanged':
      return { kind: 'train', train: stateChanged(fact.value) };
    case 'autoMergeChanged': {
      const { change, mergeTrain, setById, abortReason } = fact.value;
      const reason = abortReason === undefined ? undefined : reasonOf(abortReason);
      return { kind: 'auto_merge', autoMerge: { event: autoMergeChanges[change], mergeTrain, setById, reason } };
    }
    // A deletion has no hook, as in GitLab; the others are told by a push, a pipeline, or to users alone.
    case 'deleted':
    case 'becameUnmergeable':
    case 'pipelineFailed':
    case 'approvalRequested':
    case 'suggestionsApplied':
      return { kind: 'other' };
  }
}

const ofMergeRequest = (
  { mergeRequest, actorId, occurredAt, imported, fact }: MergeRequestEvent,
  eventId: string,
): HookEvent[] => {
  if (mergeRequest === undefined || imported || fact === undefined) return [];
  const { projectId } = mergeRequest;
  return mergeRequestHooks(happenedOf(fact)).map((hook) => ({
    kind: 'merge_request',
    ...{ eventId, projectId, actorId, mergeRequest, hook },
    occurredAt: timeOf(occurredAt),
  }));
};

const ofPush = (event: RepositoryPushedEvent, eventId: string): HookEvent[] => {
  const { projectId, authorId: actorId, ref, refName, refType, action, before, after, commitCount, since } = event;
  if (event.source === 'import') return [];
  if (action !== 'created' && action !== 'pushed' && action !== 'removed') return [];
  return [
    {
      kind: 'push',
      ...{ eventId, projectId, actorId, ref, action, before, after, commitCount },
      name: refName,
      tag: refType === 'tag',
      since: given(since),
      occurredAt: timeOf(event.occurredAt),
    },
  ];
};

const pipelineOf = (pipelineId: number, subject: PipelineSubject): HookPipeline => ({
  ...subject,
  id: pipelineId,
  mergeRequestId: id(subject.mergeRequestId),
});

const ofPipeline = (event: PipelineEvent, eventId: string): HookEvent[] => {
  const { pipelineId, projectId, pipeline: subject, actorId, fact } = event;
  if (subject === undefined || fact === undefined || fact.$case === 'runEnded') return [];
  const pipeline = pipelineOf(pipelineId, subject);
  const by = { eventId, projectId, actorId, occurredAt: timeOf(event.occurredAt), pipeline };
  if (fact.$case !== 'jobChanged') return [{ kind: 'pipeline', ...by }];
  const { jobId, ...job } = fact.value;
  return [{ kind: 'job', ...by, job: { ...job, id: jobId } }];
};

const ofDeployment = ({ deployment, actorId, occurredAt }: DeploymentEvent, eventId: string): HookEvent[] =>
  deployment === undefined
    ? []
    : [
        {
          kind: 'deployment',
          ...{ eventId, projectId: deployment.projectId, actorId, deployment },
          occurredAt: timeOf(occurredAt),
        },
      ];

const releaseActions = { created: 'create', updated: 'update', deleted: 'delete' } as const;

const ofRelease = ({ release, actorId, occurredAt, fact }: ReleaseEvent, eventId: string): HookEvent[] =>
  release === undefined || fact === undefined
    ? []
    : [
        {
          kind: 'release',
          action: releaseActions[fact.$case],
          ...{ eventId, projectId: release.projectId, actorId, release },
          occurredAt: timeOf(occurredAt),
        },
      ];

/** An event of a type, and what it tells. */
const reader =
  <Payload>(event: EventDefinition<Payload>, read: (payload: Payload, id: string) => HookEvent[]) =>
  (body: string, eventId: string): HookEvent[] =>
    read(decodeBody(event, body), eventId);

const readers: Readonly<Record<string, ReturnType<typeof reader>>> = {
  [mergeRequestEvents.type]: reader(mergeRequestEvents, ofMergeRequest),
  [repositoryPushed.type]: reader(repositoryPushed, ofPush),
  [pipelineEvents.type]: reader(pipelineEvents, ofPipeline),
  [deploymentEvents.type]: reader(deploymentEvents, ofDeployment),
  [releaseEvents.type]: reader(releaseEvents, ofRelease),
};

/**
 * What an event tells, one for each hook body; none for a type that no hook tells.
 * @throws AppError invalid for a body that is no event
 */
export function hookEventsOf({ id: eventId, type, body }: WireEvent): HookEvent[] {
  const read = readers[type];
  if (read === undefined) return [];
  try {
    return read(body, eventId);
  } catch (cause) {
    throw invalid({ events: [`${eventId} is no event: ${cause instanceof Error ? cause.message : String(cause)}`] });
  }
}
