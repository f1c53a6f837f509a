import type { Tx } from '@switchyard/database';
import {
  type AnySubscription,
  type EventMeta,
  faultPoint,
  faultPoints,
  issueEvents,
  membershipEvents,
  mergeRequestEvents,
  milestoneEvents,
  noteEvents,
  projectEvents,
  repositoryPushed,
  snippetEvents,
  subscription,
} from '@switchyard/events';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { SnippetEvent } from '@switchyard/protos/collaboration/events/v1/snippet_event';
import { MemberRemoved_Reason, type MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import type { MilestoneEvent } from '@switchyard/protos/groups_admin/events/v1/milestone_event';
import type { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import {
  MergeRequestActed_Kind,
  type MergeRequestEvent,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import type { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import {
  type ActivityChange,
  activityOfComment,
  activityOfIssuable,
  activityOfMilestone,
  activityOfProject,
  activityOfPush,
  activityOfSnippet,
  type IssuableActivity,
} from '../domain/activity';

faultPoints.push('activity.written', 'activity.committed');

type ActivityKind = IssuableActivity['action'];
type FactOf<T extends { fact?: { $case: string } | undefined }> = NonNullable<T['fact']>;

function mergeRequestAction(fact: FactOf<MergeRequestEvent>): ActivityKind {
  switch (fact.$case) {
    case 'created':
    case 'closed':
    case 'reopened':
    case 'merged':
    case 'deleted':
      return fact.$case;
    case 'updated':
      return fact.value.changedFields.includes('title') ? 'retitled' : 'other';
    case 'acted':
      return fact.value.kind === MergeRequestActed_Kind.KIND_APPROVED ? 'approved' : 'other';
    default:
      return 'other';
  }
}

function issueAction(fact: FactOf<IssueEvent>): ActivityKind {
  switch (fact.$case) {
    case 'created':
    case 'closed':
    case 'reopened':
    case 'deleted':
      return fact.$case;
    case 'updated':
      return fact.value.changedFields.includes('title') ? 'retitled' : 'other';
    default:
      return 'other';
  }
}

function ofMergeRequest(event: MergeRequestEvent, { id: eventId, time }: EventMeta): ActivityChange {
  const { mergeRequest, fact, actorId, imported, occurredAt } = event;
  if (mergeRequest === undefined || fact === undefined) return {};
  const action = mergeRequestAction(fact);
  return activityOfIssuable({
    ...mergeRequest,
    eventId,
    type: 'merge_request',
    actorId,
    imported,
    action,
    at: occurredAt ?? time,
  });
}

function ofIssue(event: IssueEvent, { id: eventId, time }: EventMeta): ActivityChange {
  const { issue, fact, actorId, imported, occurredAt } = event;
  if (issue === undefined || fact === undefined) return {};
  return activityOfIssuable({
    ...issue,
    eventId,
    type: 'issue',
    actorId,
    imported,
    action: issueAction(fact),
    at: occurredAt ?? time,
  });
}

function ofNote({ noteable, fact, actorId, occurredAt }: NoteEvent, { id: eventId, time }: EventMeta): ActivityChange {
  if (noteable === undefined || (fact?.$case !== 'created' && fact?.$case !== 'deleted')) return {};
  const { note } = fact.value;
  // What happens to epics is no event (api.md 4.8): an event lies in a project.
  if (note === undefined || noteable.projectId === 0) return {};
  return activityOfComment({
    eventId,
    noteId: note.id,
    noteableKind: noteable.kind,
    noteableId: noteable.id,
    noteableIid: noteable.iid,
    noteableTitle: noteable.title,
    projectId: noteable.projectId,
    authorId: actorId,
    action: fact.$case === 'created' ? 'written' : 'deleted',
    inThread: note.type === 'DiscussionNote',
    at: occurredAt ?? time,
  });
}

const pushActions = new Set(['created', 'pushed', 'removed']);

function ofPush(event: RepositoryPushedEvent, { id: eventId, time }: EventMeta): ActivityChange {
  if (!pushActions.has(event.action) || event.source === 'import') return {};
  return activityOfPush({
    ...event,
    eventId,
    refType: event.refType === 'tag' ? 'tag' : 'branch',
    action: event.action as 'created' | 'pushed' | 'removed',
    pushedAt: event.occurredAt ?? time,
  });
}

function ofMembership(event: MembershipEvent, { id: eventId, time }: EventMeta): ActivityChange {
  const { projectId, userId, fact, occurredAt } = event;
  // Members of groups come and go without a word: an event lies in a project.
  if (projectId === 0 || fact === undefined) return {};
  const at = occurredAt ?? time;
  if (fact.$case === 'added') return activityOfProject({ eventId, projectId, userId, action: 'joined', at });
  if (fact.$case !== 'removed') return {};
  const { reason } = fact.value;
  if (reason === MemberRemoved_Reason.REASON_PARENT_DELETED) return {};
  const action = reason === MemberRemoved_Reason.REASON_EXPIRED ? 'expired' : 'left';
  return activityOfProject({ eventId, projectId, userId, action, at });
}

function ofMilestone(event: MilestoneEvent, { id: eventId, time }: EventMeta): ActivityChange {
  const { milestoneId: id, iid, projectId, title, actorId: userId, fact, occurredAt } = event;
  if (projectId === 0 || fact === undefined) return {};
  return activityOfMilestone({
    eventId,
    id,
    iid,
    projectId,
    userId,
    title,
    action: fact.$case,
    at: occurredAt ?? time,
  });
}

function ofSnippet(event: SnippetEvent, { id: eventId, time }: EventMeta): ActivityChange {
  const { snippetId: id, projectId, title, actorId: userId, fact, occurredAt } = event;
  return fact === undefined
    ? {}
    : activityOfSnippet({ eventId, id, projectId, userId, title, action: fact.$case, at: occurredAt ?? time });
}

function ofProject(event: ProjectEvent, { id: eventId, time }: EventMeta): ActivityChange {
  if (event.fact?.$case !== 'created') return {};
  const { projectId, actorId, occurredAt } = event;
  return activityOfProject({ eventId, projectId, userId: actorId, action: 'created', at: occurredAt ?? time });
}

/** Events of every service become activities, each once (D6). */
export function activitySubscriptions(apply: (tx: Tx, change: ActivityChange) => Promise<void>): AnySubscription[] {
  const handling =
    <Payload>(changeOf: (payload: Payload, meta: EventMeta) => ActivityChange) =>
    async (payload: Payload, tx: Tx, meta: EventMeta): Promise<void> => {
      const change = changeOf(payload, meta);
      if (Object.keys(change).length === 0) return;
      await apply(tx, change);
      faultPoint('activity.written');
      tx.afterCommit(() => faultPoint('activity.committed'));
    };
  return [
    subscription({ event: mergeRequestEvents, handle: handling(ofMergeRequest) }),
    subscription({ event: issueEvents, handle: handling(ofIssue) }),
    subscription({
      event: noteEvents,
      concerns: ({ fact }) => fact?.$case === 'created' || fact?.$case === 'deleted',
      handle: handling(ofNote),
    }),
    subscription({ event: snippetEvents, handle: handling(ofSnippet) }),
    subscription({ event: repositoryPushed, handle: handling(ofPush) }),
    subscription({ event: membershipEvents, handle: handling(ofMembership) }),
    subscription({ event: projectEvents, handle: handling(ofProject) }),
    subscription({ event: milestoneEvents, handle: handling(ofMilestone) }),
  ];
}
