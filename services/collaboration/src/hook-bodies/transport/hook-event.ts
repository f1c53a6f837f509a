import type { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { AwardKey, Named } from '../domain/hook-facts';

/** An event of this service that can lead to hooks. */
export type HookEvent =
  | { readonly of: 'issue'; readonly event: IssueEvent }
  | { readonly of: 'epic'; readonly event: EpicEvent }
  | { readonly of: 'note'; readonly event: NoteEvent };

const nothing: Named = {
  users: [],
  projects: [],
  groups: [],
  labels: [],
  epics: [],
  issues: [],
  notes: [],
  snippets: [],
  awards: [],
  mergeRequests: [],
  commits: [],
};

/** What an edit took off is no longer on the issue, and is named all the same. */
function namedInIssue({ issue, actorId, fact }: IssueEvent): Named {
  const removed = fact?.$case === 'updated' ? fact.value : undefined;
  return {
    ...nothing,
    users: [actorId, issue?.authorId ?? 0, ...(issue?.assigneeIds ?? []), ...(removed?.removedAssigneeIds ?? [])],
    projects: [issue?.projectId ?? 0],
    labels: [...(issue?.labelIds ?? []), ...(removed?.removedLabelIds ?? [])],
    issues: [issue?.id ?? 0],
  };
}

/** The link of an event of an epic; undefined for every other fact. */
export const linkOf = ({ fact }: EpicEvent) =>
  fact?.$case === 'linked' || fact?.$case === 'unlinked' ? fact.value.link : undefined;

function namedInEpic(event: EpicEvent): Named {
  const { epic, actorId, fact } = event;
  const link = linkOf(event);
  const removed = fact?.$case === 'updated' ? fact.value.removedLabelIds : [];
  return {
    ...nothing,
    users: [actorId],
    groups: [epic?.groupId ?? 0, link?.otherGroupId ?? 0],
    labels: [...(epic?.labelIds ?? []), ...removed],
    epics: [epic?.id ?? 0, link?.otherId ?? 0],
  };
}

/** The reaction of an event; undefined for every other fact. */
export function awardOf({ noteable, fact }: NoteEvent): AwardKey | undefined {
  if (fact?.$case !== 'reacted' || noteable === undefined) return undefined;
  const { noteId, name, userId } = fact.value;
  return noteId > 0
    ? { type: 'Note', on: noteId, name, userId }
    : { type: noteable.kind, on: noteable.id, name, userId };
}

/** The note of an event; 0 for none. */
export function noteIdOf({ fact }: NoteEvent): number {
  if (fact?.$case === 'created' || fact?.$case === 'updated') return fact.value.note?.id ?? 0;
  return fact?.$case === 'reacted' ? fact.value.noteId : 0;
}

function namedInNote(event: NoteEvent): Named {
  const { noteable, actorId } = event;
  const award = awardOf(event);
  return {
    ...nothing,
    users: [actorId],
    projects: [noteable?.projectId ?? 0],
    groups: [noteable?.groupId ?? 0],
    epics: noteable?.kind === 'Epic' ? [noteable.id] : [],
    issues: noteable?.kind === 'Issue' ? [noteable.id] : [],
    snippets: noteable?.kind === 'Snippet' ? [noteable.id] : [],
    notes: [noteIdOf(event)],
    awards: award === undefined ? [] : [award],
    mergeRequests: noteable?.kind === 'MergeRequest' ? [noteable.id] : [],
    commits: noteable?.kind === 'Commit' ? [{ projectId: noteable.projectId, sha: noteable.sha }] : [],
  };
}

/** What the bodies of an event need. */
export function namedIn(given: HookEvent): Named {
  switch (given.of) {
    case 'issue':
      return namedInIssue(given.event);
    case 'epic':
      return namedInEpic(given.event);
    case 'note':
      return namedInNote(given.event);
  }
}

const carried: Readonly<Record<HookEvent['of'], readonly string[]>> = {
  issue: ['created', 'updated', 'closed', 'reopened'],
  epic: ['created', 'updated', 'closed', 'reopened', 'linked', 'unlinked'],
  note: ['created', 'updated', 'reacted'],
};

/** Whether hooks carry an event at all. Imported history gives none (D6). */
export function isCarried(given: HookEvent): boolean {
  if (given.event.imported) return false;
  const fact = given.event.fact?.$case;
  return fact !== undefined && carried[given.of].includes(fact);
}
