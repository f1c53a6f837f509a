import type { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import {
  MergeRequestActed_Kind as Acted,
  MergeRequestAutoMergeChanged_Change as AutoMergeChange,
  type MergeRequestEvent,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { PipelineEvent } from '@switchyard/protos/merge_requests/events/v1/pipeline_event';
import type { ReleaseEvent } from '@switchyard/protos/merge_requests/events/v1/release_event';
import { removalSentence, trainRemovalOf } from '../../merge-requests';
import type { Action, EventFacts, NotificationEvent, Subject } from '../domain/notification-event';
import {
  type EndedPipeline,
  outcomeOf,
  type PipelineOutcome,
  pipelineAction,
  refName,
} from '../domain/pipeline-outcome';

/** An event with the id that makes it happen once. */
export interface NewNotificationEvent extends NotificationEvent {
  readonly eventId: string;
}

interface Mentions {
  readonly usernames: readonly string[];
  readonly directlyAddressedUsernames: readonly string[];
}

const named = (mentions: Mentions | undefined): string[] => [
  ...new Set(
    [...(mentions?.usernames ?? []), ...(mentions?.directlyAddressedUsernames ?? [])].map((name) => name.toLowerCase()),
  ),
];

type Happened = readonly [Action, Omit<EventFacts, 'title'>];

/** Mentions that came with an edit. */
const mentioned = (action: Action, mentions: Mentions | undefined): Happened[] => {
  const names = named(mentions);
  return names.length === 0 ? [] : [[action, { mentions: names }]];
};

/** People who came and went by an edit. */
const changed = (action: Action, facts: Omit<EventFacts, 'title'>): Happened[] =>
  Object.values(facts).some((ids) => Array.isArray(ids) && ids.length > 0) ? [[action, facts]] : [];

interface Origin {
  readonly id: string;
  readonly subject: Subject;
  readonly title: string;
  readonly actorId: number;
  readonly occurredAt: Date;
}

const eventsOf = ({ id, title, ...origin }: Origin, happened: readonly Happened[]): NewNotificationEvent[] =>
  happened.map(([action, facts]) => ({ ...origin, eventId: `${id}:${action}`, action, facts: { title, ...facts } }));

function issueHappened(fact: NonNullable<IssueEvent['fact']>): Happened[] {
  switch (fact.$case) {
    case 'created':
      // It stands for an issue that everybody knows of.
      if (fact.value.movedFromId > 0) return [];
      return [['new_issue', { mentions: named(fact.value.mentions), assigned: fact.value.assigneeIds }]];
    case 'updated':
      return [
        ...changed('reassign_issue', {
          assigned: fact.value.addedAssigneeIds,
          unassigned: fact.value.removedAssigneeIds,
        }),
        ...mentioned('mention_in_issue', fact.value.mentions),
      ];
    case 'closed':
      return [['close_issue', {}]];
    case 'reopened':
      return [['reopen_issue', {}]];
    case 'moved':
      return [['move_issue', {}]];
    case 'deleted':
      return [];
  }
}

/** What mail may follow from an event of issues; nothing from imported history (D6). */
export function issueNotifications(event: IssueEvent, id: string, time: Date): NewNotificationEvent[] {
  const { issue, fact, actorId, imported, occurredAt = time } = event;
  if (issue === undefined || fact === undefined || imported) return [];
  const subject = { type: 'Issue', id: issue.id, iid: issue.iid, projectId: issue.projectId } as const;
  return eventsOf({ id, subject, title: issue.title, actorId, occurredAt }, issueHappened(fact));
}

function epicHappened(fact: NonNullable<EpicEvent['fact']>): Happened[] {
  switch (fact.$case) {
    case 'created':
      return [['new_epic', { mentions: named(fact.value.mentions) }]];
    case 'updated':
      return mentioned('mention_in_epic', fact.value.mentions);
    case 'closed':
      return [['close_epic', {}]];
    case 'reopened':
      return [['reopen_epic', {}]];
    default:
      return [];
  }
}

/** What mail may follow from an event of epics; nothing from imported history (D6). */
export function epicNotifications(event: EpicEvent, id: string, time: Date): NewNotificationEvent[] {
  const { epic, fact, actorId, imported, occurredAt = time } = event;
  if (epic === undefined || fact === undefined || imported) return [];
  const subject = { type: 'Epic', id: epic.id, iid: epic.iid, projectId: 0, groupId: epic.groupId } as const;
  return eventsOf({ id, subject, title: epic.title, actorId, occurredAt }, epicHappened(fact));
}

function mergeRequestHappened(event: MergeRequestEvent): Happened[] {
  const { fact, mergeRequest } = event;
  switch (fact?.$case) {
    case 'created': {
      const { mentions, assigneeIds: assigned, reviewerIds: reviewRequested } = fact.value;
      return [['new_merge_request', { mentions: named(mentions), assigned, reviewRequested }]];
    }
    case 'updated': {
      const { value } = fact;
      return [
        ...changed('reassign_merge_request', {
          assigned: value.addedAssigneeIds,
          unassigned: value.removedAssigneeIds,
        }),
        ...changed('change_reviewer_merge_request', {
          reviewRequested: value.addedReviewerIds,
          reviewRemoved: value.removedReviewerIds,
        }),
        ...mentioned('mention_in_merge_request', value.mentions),
      ];
    }
    case 'closed':
      return [['close_merge_request', {}]];
    case 'reopened':
      return [['reopen_merge_request', {}]];
    case 'merged':
      return [['merge_merge_request', {}]];
    case 'acted':
      return acted(fact.value);
    case 'approvalRequested':
      return changed('approver', { approvers: fact.value.userIds });
    case 'becameUnmergeable':
      return [['merge_request_unmergeable', { concerned: concerned(mergeRequest?.authorId, fact.value.mergeUserId) }]];
    case 'mergeTrainEntryRemoved': {
      const removal = trainRemovalOf(fact.value);
      // It has landed, so there is nothing to be done.
      if (removal.reason === 'merged_by_push' || removal.reason === 'skipped') return [];
      const ids = concerned(mergeRequest?.authorId, fact.value.addedById);
      return [['merge_train_removed', { concerned: ids, text: removalSentence(removal) }]];
    }
    case 'autoMergeChanged':
      return fact.value.change === AutoMergeChange.CHANGE_SET ? [['merge_when_pipeline_succeeds', {}]] : [];
    default:
      return [];
  }
}

const concerned = (...ids: (number | undefined)[]): number[] => [...new Set(ids.flatMap((id) => id || []))];

function acted({
  kind,
  push,
}: Extract<NonNullable<MergeRequestEvent['fact']>, { $case: 'acted' }>['value']): Happened[] {
  if (kind === Acted.KIND_PUSHED)
    return [['push_to_merge_request', { commits: push?.commits ?? 0, sha: push?.newSha ?? '' }]];
  if (kind === Acted.KIND_APPROVED) return [['approve_merge_request', {}]];
  return kind === Acted.KIND_UNAPPROVED ? [['unapprove_merge_request', {}]] : [];
}

/**
 * What mail may follow from an event of merge requests; nothing from imported history (D6). Mail about their pipelines
 * follows from the events of pipelines.
 */
export function mergeRequestNotifications(event: MergeRequestEvent, id: string, time: Date): NewNotificationEvent[] {
  const { mergeRequest, actorId, imported, occurredAt = time } = event;
  if (mergeRequest === undefined || imported) return [];
  const { iid, projectId, title } = mergeRequest;
  const subject = { type: 'MergeRequest', id: mergeRequest.id, iid, projectId } as const;
  return eventsOf({ id, subject, title, actorId, occurredAt }, mergeRequestHappened(event));
}

const kinds = {
  Issue: 'Issue',
  MergeRequest: 'MergeRequest',
  Commit: 'Commit',
  Snippet: 'Snippet',
  Epic: 'Epic',
} as const;

/**
 * What mail may follow from an event of notes; nothing from imported history (D6), nor from notes on alerts.
 * @param commitRow id of the row that the notes of a commit hang on
 */
export function noteNotifications(
  event: NoteEvent,
  { id, time, commitRow }: { readonly id: string; readonly time: Date; readonly commitRow: number },
): NewNotificationEvent[] {
  const { noteable, fact, actorId, imported, occurredAt = time } = event;
  const type = kinds[noteable?.kind as keyof typeof kinds];
  if (noteable === undefined || type === undefined || imported) return [];
  if (fact?.$case !== 'created' && fact?.$case !== 'updated') return [];
  const { note, mentions } = fact.value;
  if (note === undefined) return [];
  const { iid, projectId, groupId, title, sha } = noteable;
  const place = groupId === 0 ? { projectId } : { projectId, groupId };
  const subject = { type, id: type === 'Commit' ? commitRow : noteable.id, iid, ...place };
  const facts = { noteId: note.id, mentions: named(mentions), ...(sha === '' ? {} : { sha }) };
  if (fact.$case === 'updated' && facts.mentions.length === 0) return [];
  const action = fact.$case === 'created' ? 'new_note' : 'mention_in_note';
  return eventsOf({ id, subject, title, actorId, occurredAt }, [[action, facts]]);
}

/** Characters of a text that a mail shows. */
const maxText = 32_768;

/** What mail may follow from an event of releases: of new ones alone. */
export function releaseNotifications(event: ReleaseEvent, id: string, time: Date): NewNotificationEvent[] {
  const { release, fact, actorId, occurredAt = time } = event;
  if (release === undefined || fact?.$case !== 'created') return [];
  const { projectId, tag, name, description } = release;
  const subject = { type: 'Project', id: projectId, iid: 0, projectId } as const;
  const facts = { ref: tag, text: description.slice(0, maxText).toWellFormed() };
  return eventsOf({ id, subject, title: name || tag, actorId, occurredAt }, [['new_release', facts]]);
}

/** The pipeline that an event says has ended; undefined when it says another thing. */
export function endedPipeline({ pipelineId, projectId, pipeline, fact }: PipelineEvent): EndedPipeline | undefined {
  const outcome = outcomeOf(pipeline?.status ?? '');
  if (fact?.$case !== 'statusChanged' || pipeline === undefined || outcome === undefined) return undefined;
  return { id: pipelineId, projectId, ref: pipeline.ref, tag: pipeline.tag, outcome };
}

/**
 * What mail follows from the end of a pipeline. It has no actor: an owner who reports the outcome with their own token
 * is to get the mail all the same.
 * @param previous outcome before it of its ref
 */
export function pipelineNotifications(
  { pipeline, occurredAt }: PipelineEvent,
  ended: EndedPipeline,
  { id, time, previous }: { readonly id: string; readonly time: Date; readonly previous: PipelineOutcome | undefined },
): NewNotificationEvent[] {
  if (!pipeline?.userId) return [];
  const subject = { type: 'Pipeline', id: ended.id, iid: pipeline.iid, projectId: ended.projectId } as const;
  const facts = { ownerId: pipeline.userId, ref: refName(ended.ref), sha: pipeline.sha };
  return eventsOf({ id, subject, title: '', actorId: 0, occurredAt: occurredAt ?? time }, [
    [pipelineAction(ended.outcome, previous), facts],
  ]);
}

/**
 * What mail may follow from an event of projects: of those that have another path.
 * @param path full path now
 */
export function projectNotifications(
  event: ProjectEvent,
  { id, time, path }: { readonly id: string; readonly time: Date; readonly path: string },
): NewNotificationEvent[] {
  const { projectId, actorId, fact, occurredAt = time } = event;
  if (fact?.$case !== 'renamed' && fact?.$case !== 'transferred') return [];
  const { oldFullPath: oldPath } = fact.value;
  if (oldPath === path) return [];
  const subject = { type: 'Project', id: projectId, iid: 0, projectId } as const;
  return eventsOf({ id, subject, title: '', actorId, occurredAt }, [['moved_project', { oldPath }]]);
}
