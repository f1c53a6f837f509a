import { userReference } from '@switchyard/directory';
import type { ActivityRow, PushDataRow } from '../domain/activity-row';

const typeNames: Record<string, string> = {
  issue: 'Issue',
  merge_request: 'MergeRequest',
  milestone: 'Milestone',
  note: 'Note',
  snippet: 'Snippet',
};

const pushNames: Record<PushDataRow['action'], string> = {
  created: 'pushed new',
  pushed: 'pushed to',
  removed: 'deleted',
};

const actionNames: Record<string, string> = {
  commented: 'commented on',
  expired: 'removed due to membership expiration from',
  merged: 'accepted',
  reopened: 'opened',
};

/** What an event is called (G-2-22): a project is `created`, everything else that comes to be is `opened`. */
function actionName({ action, push, targetType }: ActivityRow): string {
  if (push !== undefined) return pushNames[push.action];
  if (action === 'created') return targetType === 'project' ? 'created' : 'opened';
  return actionNames[action] ?? action;
}

/** `push_data` (G-2-21): of a bulk push only the number of refs is said. */
const pushData = (push: PushDataRow) => ({
  commit_count: push.commit_count,
  action: push.ref_count === null ? push.action : null,
  ref_type: push.ref_count === null ? push.ref_type : null,
  commit_from: push.commit_from,
  commit_to: push.commit_to,
  ref: push.ref,
  commit_title: push.commit_title,
  ref_count: push.ref_count,
});

const noteableNames: Record<string, string> = {
  issue: 'Issue',
  merge_request: 'MergeRequest',
  repository: 'Commit',
  snippet: 'Snippet',
};

/** The comment of an event; a commit has neither an id nor a number. */
const eventNote = (event: ActivityRow, note: NonNullable<ActivityRow['note']>, externalUrl: string) => ({
  id: note.id,
  body: note.body,
  attachment: null,
  author: event.author === undefined ? null : userReference(event.author, externalUrl),
  created_at: note.createdAt,
  system: note.system,
  noteable_id: event.subject.type === 'repository' ? null : event.subject.id,
  noteable_type: noteableNames[event.subject.type] ?? null,
  noteable_iid: event.targetIid ?? null,
});

/** What an event points at. A project that was made is where it lies; what has no number goes by its id. */
function targetOf({ targetType, targetId, targetIid, targetTitle, note }: ActivityRow) {
  if (targetType === undefined || targetType === 'project') return undefined;
  const type = note?.type === 'DiffNote' ? note.type : typeNames[targetType];
  return { type, id: targetId, iid: targetType === 'note' ? targetId : (targetIid ?? targetId), title: targetTitle };
}

/**
 * The public activity event (api.md section 2, G-2-20).
 * @param ofProject true in the listing of a project, whose items carry `data`
 */
export function presentActivity(event: ActivityRow, externalUrl: string, ofProject: boolean) {
  const target = targetOf(event);
  return {
    id: event.id,
    project_id: event.projectId,
    title: null,
    action_name: actionName(event),
    target_id: target?.id ?? null,
    target_iid: target?.iid ?? null,
    target_type: target?.type ?? null,
    author_id: event.author?.id ?? event.authorId,
    target_title: target?.title ?? null,
    created_at: event.createdAt,
    author: event.author === undefined ? null : userReference(event.author, externalUrl),
    imported: event.imported,
    imported_from: 'none',
    ...(event.note === undefined ? {} : { note: eventNote(event, event.note, externalUrl) }),
    ...(event.push === undefined ? {} : { push_data: pushData(event.push) }),
    author_username: event.author?.username ?? null,
    ...(ofProject ? { data: null } : {}),
  };
}
