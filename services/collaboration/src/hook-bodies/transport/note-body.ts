import { hookGroup, hookProject, hookRepository, hookUser } from '@switchyard/directory';
import type { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { levels } from '@switchyard/rights';
import { awardName, type HookFacts, type HookNote } from '../domain/hook-facts';
import type { HookDraft } from './hook-draft';
import { awardOf, noteIdOf } from './hook-event';
import { type NoteablePart, noteablePart } from './noteable-part';

type Subject = NonNullable<NoteEvent['noteable']>;

const noteAttributes = (note: HookNote, noteable: Subject) => ({
  id: note.id,
  note: note.body,
  description: note.body,
  noteable_type: noteable.kind,
  noteable_id: noteable.id === 0 ? null : noteable.id,
  commit_id: noteable.sha === '' ? null : noteable.sha,
  author_id: note.author_id,
  project_id: note.project_id || null,
  created_at: note.created_at,
  updated_at: note.updated_at,
  attachment: null,
  line_code: null,
  st_diff: null,
  system: false,
  type: note.type,
  discussion_id: note.discussion_id,
  position: note.position,
  resolved_at: note.resolved_at,
  resolved_by_id: note.resolved_by_id,
  internal: note.internal,
  url: `${noteable.webUrl}#note_${note.id}`,
});

/** Internal notes are for Reporters and above, whoever wrote them (G-4.6-9). */
const readersOf = (part: NoteablePart, isInternal: boolean) => {
  const { part: _shown, ...readers } = part;
  return isInternal
    ? { ...readers, confidential: true, leastLevel: levels.reporter, authorId: 0, audienceIds: [] }
    : readers;
};

/** What the bodies of notes and of reactions share. */
function common(event: NoteEvent, facts: HookFacts, externalUrl: string) {
  const actor = facts.users.get(event.actorId);
  const user = actor === undefined ? null : hookUser(actor, externalUrl);
  const group = facts.groups.get(event.noteable?.groupId ?? 0);
  if (group !== undefined) return { projectId: 0, body: { user, project_id: null, group: hookGroup(group) } };
  const project = facts.projects.get(event.noteable?.projectId ?? 0);
  if (project === undefined) return undefined;
  return {
    projectId: project.id,
    body: {
      user,
      project_id: project.id,
      project: hookProject(project, externalUrl),
      repository: hookRepository(project, externalUrl),
    },
  };
}

/** The body of a note that was written or changed (G-6-3, Note Hook and Confidential Note Hook). */
export function noteBodies(event: NoteEvent, facts: HookFacts, externalUrl: string): HookDraft[] {
  const { noteable, fact } = event;
  const note = facts.notes.get(noteIdOf(event));
  const part = noteablePart(event, facts, externalUrl);
  const shared = common(event, facts, externalUrl);
  if (noteable === undefined || note === undefined || part === undefined || shared === undefined) return [];
  const action = fact?.$case === 'created' ? 'create' : 'update';
  const readers = readersOf(part, note.internal);
  return [
    {
      kind: 'note',
      action,
      projectId: shared.projectId,
      ...readers,
      body: {
        object_kind: 'note',
        event_type: readers.confidential ? 'confidential_note' : 'note',
        ...shared.body,
        object_attributes: { ...noteAttributes(note, noteable), action },
        ...part.part,
      },
    },
  ];
}

/** The body of a reaction that was given or taken back (G-6-3, Emoji Hook). */
export function emojiBodies(event: NoteEvent, facts: HookFacts, externalUrl: string): HookDraft[] {
  const { noteable, fact, occurredAt } = event;
  const key = awardOf(event);
  const part = noteablePart(event, facts, externalUrl);
  const shared = common(event, facts, externalUrl);
  if (fact?.$case !== 'reacted' || noteable === undefined || key === undefined) return [];
  const note = facts.notes.get(fact.value.noteId);
  if (part === undefined || shared === undefined || (fact.value.noteId > 0 && note === undefined)) return [];
  const award = facts.awards.get(awardName(key));
  const action = fact.value.given ? 'award' : 'revoke';
  return [
    {
      kind: 'emoji',
      action,
      projectId: shared.projectId,
      ...readersOf(part, note?.internal ?? false),
      body: {
        object_kind: 'emoji',
        event_type: action,
        ...shared.body,
        object_attributes: {
          id: award?.id ?? null,
          user_id: key.userId,
          name: key.name,
          awardable_type: key.type,
          awardable_id: key.on,
          created_at: award?.created_at ?? occurredAt,
          updated_at: award?.updated_at ?? occurredAt,
          action,
          awarded_on_url: note === undefined ? noteable.webUrl : `${noteable.webUrl}#note_${note.id}`,
        },
        ...(note === undefined ? {} : { note: noteAttributes(note, noteable) }),
        ...part.part,
      },
    },
  ];
}
