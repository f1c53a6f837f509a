import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import {
  type AnySubscription,
  epicEvents,
  faultPoint,
  issueEvents,
  membershipEvents,
  noteEvents,
  shareEvents,
  subscription,
} from '@switchyard/events';
import type { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { IssueEvent, IssueMentions } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { NoteEvent, NoteMentions } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { NoteableKey } from '../../noteables';
import type { Target } from '../../targets';
import type { followNotes } from '../application/follow-notes';
import type { followTargets } from '../application/follow-targets';
import type { NoteTodoFact } from '../domain/note-consequences';
import type { TargetFact } from '../domain/target-consequences';

/** What to-dos need of the rest of the service. */
interface TodoEdges {
  readonly followIssues: ReturnType<typeof followTargets>;
  readonly followEpics: ReturnType<typeof followTargets>;
  readonly followMergeRequests: ReturnType<typeof followTargets>;
  readonly followNotes: ReturnType<typeof followNotes>;
  /** Id of the row that the notes of a commit hang on. */
  readonly commitRow: (tx: Tx, commit: NoteableKey) => Promise<number | undefined>;
  readonly removeNote: (tx: Tx, noteId: number) => Promise<void>;
  readonly removeLost: (
    tx: Tx,
    ended: {
      userId: number;
      place: { readonly projectId: number } | { readonly groupId: number };
      at: Date;
    },
  ) => Promise<void>;
  readonly removeUnshared: (
    tx: Tx,
    ended: {
      groupId: number;
      place: { readonly projectId: number } | { readonly groupId: number };
      at: Date;
    },
  ) => Promise<void>;
  readonly directory: Pick<Directory, 'ensure'>;
}

const mentionsOf = (mentions: IssueMentions | NoteMentions | undefined) => ({
  usernames: mentions?.usernames ?? [],
  directlyAddressed: mentions?.directlyAddressedUsernames ?? [],
});

function issueFact(fact: NonNullable<IssueEvent['fact']>): TargetFact {
  switch (fact.$case) {
    case 'created':
      // It stands for an issue on which everybody was asked already.
      if (fact.value.movedFromId > 0) return { kind: 'noted' };
      return {
        kind: 'created',
        assigneeIds: fact.value.assigneeIds,
        reviewerIds: [],
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'updated':
      return {
        kind: 'updated',
        addedAssigneeIds: fact.value.addedAssigneeIds,
        addedReviewerIds: [],
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'closed':
    case 'reopened':
    case 'moved':
      return { kind: 'acted' };
    case 'deleted':
      return { kind: 'deleted' };
  }
}

function epicFact(fact: NonNullable<EpicEvent['fact']>): TargetFact {
  const nobody = { assigneeIds: [], addedAssigneeIds: [], reviewerIds: [], addedReviewerIds: [] };
  switch (fact.$case) {
    case 'created':
    case 'updated':
      return { ...nobody, kind: fact.$case, mentions: mentionsOf(fact.value.mentions) };
    case 'closed':
    case 'reopened':
      return { kind: 'acted' };
    // Both epics have the event, and the actor has looked at one of them.
    case 'linked':
    case 'unlinked':
      return { kind: 'noted' };
    case 'deleted':
      return { kind: 'deleted' };
  }
}

function noteFact(fact: NonNullable<NoteEvent['fact']>): NoteTodoFact | undefined {
  switch (fact.$case) {
    case 'created':
    case 'updated':
      return {
        kind: fact.$case === 'created' ? 'written' : 'edited',
        noteId: fact.value.note?.id ?? 0,
        mentions: mentionsOf(fact.value.mentions),
      };
    case 'discussionChanged':
      return { kind: 'acted' };
    case 'reacted':
      return fact.value.given ? { kind: 'acted' } : undefined;
    default:
      return undefined;
  }
}

/** What the to-dos of a note point at; undefined where its noteable is none of those, or gone. */
async function targetOfNote(
  tx: Tx,
  { noteable }: NoteEvent,
  commitRow: TodoEdges['commitRow'],
): Promise<Target | undefined> {
  if (noteable === undefined) return undefined;
  const { kind, id, iid, projectId, groupId, sha, confidential: wasConfidential } = noteable;
  if (kind === 'Issue' || kind === 'MergeRequest' || kind === 'AlertManagement::Alert')
    return { type: kind, id, iid, projectId, wasConfidential };
  if (kind === 'Epic') return { type: kind, id, iid, projectId, groupId, wasConfidential };
  if (kind !== 'Commit') return undefined;
  const row = await commitRow(tx, { kind, projectId, targetId: 0, sha });
  return row === undefined ? undefined : { type: kind, id: row, iid: 0, projectId };
}

/** Whether something has happened that is no imported history, which raises no to-do (D6). */
const isNews = ({ fact, imported }: { readonly fact?: unknown; readonly imported: boolean }): boolean =>
  fact !== undefined && !imported;

/** What happens to issues, epics, comments, memberships and shares raises, resolves and removes to-dos, each event once (D6). */
export function todoSubscriptions(edges: TodoEdges): AnySubscription[] {
  const { directory } = edges;
  const written = (tx: Tx): void => {
    faultPoint('todo.written');
    tx.afterCommit(() => faultPoint('todo.committed'));
  };
  return [
    subscription({
      event: issueEvents,
      concerns: isNews,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        const { issue, fact, actorId, imported } = event;
        if (issue === undefined || fact === undefined) return;
        const { id, iid, projectId, authorId, confidential: wasConfidential } = issue;
        const target = { type: 'Issue', id, iid, projectId, wasConfidential } as const;
        const targetEvent = { target, authorId, actorId, imported, fact: issueFact(fact) };
        await edges.followIssues(tx, targetEvent, event.occurredAt ?? time);
        written(tx);
      },
    }),
    subscription({
      event: epicEvents,
      concerns: isNews,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        const { epic, fact, actorId, imported } = event;
        if (epic === undefined || fact === undefined) return;
        const { id, iid, groupId, authorId, confidential: wasConfidential } = epic;
        const target = { type: 'Epic', id, iid, projectId: 0, groupId, wasConfidential } as const;
        const targetEvent = { target, authorId, actorId, imported, fact: epicFact(fact) };
        await edges.followEpics(tx, targetEvent, event.occurredAt ?? time);
        written(tx);
      },
    }),
    subscription({
      event: noteEvents,
      concerns: isNews,
      before: afterDirectory(directory),
      async handle(event, tx, { time }) {
        if (event.fact === undefined) return;
        if (event.fact.$case === 'deleted') await edges.removeNote(tx, event.fact.value.note?.id ?? 0);
        const target = await targetOfNote(tx, event, edges.commitRow);
        const fact = noteFact(event.fact);
        const { actorId, imported, occurredAt = time } = event;
        if (target !== undefined && fact !== undefined && !imported)
          await edges.followNotes(tx, { target, actorId, fact, at: occurredAt });
        if (target?.type === 'MergeRequest' && event.fact.$case === 'reviewed') {
          const { authorId = 0 } = event.noteable ?? {};
          const review = { target, authorId, actorId, imported, fact: { kind: 'reviewed' } } as const;
          await edges.followMergeRequests(tx, review, occurredAt);
        }
        written(tx);
      },
    }),
    subscription({
      event: membershipEvents,
      async before({ fact }) {
        if (fact?.$case === 'removed') await directory.ensure(fact.value.directorySequence);
      },
      async handle({ fact, userId, projectId, groupId, occurredAt }, tx, { time }) {
        if (fact?.$case !== 'removed') return;
        const place = projectId > 0 ? { projectId } : { groupId };
        await edges.removeLost(tx, { userId, place, at: occurredAt ?? time });
        written(tx);
      },
    }),
    subscription({
      event: shareEvents,
      async before({ fact }) {
        if (fact?.$case === 'removed') await directory.ensure(fact.value.directorySequence);
      },
      async handle({ fact, groupId, projectId, namespaceId, occurredAt }, tx, { time }) {
        if (fact?.$case !== 'removed') return;
        const place = projectId > 0 ? { projectId } : { groupId: namespaceId };
        await edges.removeUnshared(tx, { groupId, place, at: occurredAt ?? time });
        written(tx);
      },
    }),
  ];
}
