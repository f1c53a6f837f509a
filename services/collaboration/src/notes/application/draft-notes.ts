import { createHash } from 'node:crypto';
import type { PageInfo, PageRequest } from '@switchyard/database';
import { conflict, isAppError } from '@switchyard/errors';
import { type Command, parseQuickActions } from '@switchyard/texts';
import { type Noteable, type Reader, seesInternal } from '../../noteables';
import {
  checkRoom,
  commitOf,
  type DraftNote,
  type DraftPublication,
  noDraft,
  noThread,
  refusedDraft,
} from '../domain/draft-note';
import { checkBody, checkMayComment, checkMayResolve, type Writer } from '../domain/note';
import {
  decideNewDiscussion,
  decideReply,
  decideResolution,
  type NoteDecision,
  withNoteId,
} from '../domain/note-change';
import { invalidPosition, type NotePosition, type PositionInput, toPosition } from '../domain/note-position';
import { checkSuggestions, type NewSuggestion, suggestedBlocks } from '../domain/suggestion';
import { type DiscussionEdges, visibleDiscussion } from './discuss';
import type { DraftNoteStore } from './draft-note.ports';
import { writerOf } from './list-notes';
import { tracksTime } from './run-quick-actions';
import { type PlacedText, suggestionsIn } from './suggestions';

/** What drafts need. */
export interface DraftNoteEdges
  extends Pick<DiscussionEdges, 'find' | 'discussions' | 'positions' | 'changes' | 'runCommands' | 'clock'> {
  readonly drafts: DraftNoteStore;
}

/** Names a merge request in the project of the request. */
export interface DraftNoteParent {
  readonly projectId: number;
  readonly iid: number;
}

/** A draft and its merge request. */
export interface FoundDraftNote {
  readonly noteable: Noteable;
  readonly draft: DraftNote;
}

/** A draft as it is requested. */
export interface NewDraftNoteRequest {
  readonly body: string;
  /** Empty: it starts a thread. */
  readonly discussionId: string;
  readonly resolveDiscussion: boolean;
  readonly position: PositionInput | undefined;
  /** Empty for none. */
  readonly commitId: string;
}

const mergeRequestOf = ({ find }: Pick<DraftNoteEdges, 'find'>, reader: Reader, at: DraftNoteParent) =>
  find({ kind: 'MergeRequest', ...at }, reader);

function mayResolve(writer: Writer, noteable: Noteable): boolean {
  try {
    checkMayResolve(writer, noteable);
    return true;
  } catch (error) {
    if (isAppError(error, 'forbidden')) return false;
    throw error;
  }
}

/** A position that is one of the diff, with the line code that clients know its line by. */
async function placeOf(
  { positions }: Pick<DraftNoteEdges, 'positions'>,
  noteable: Noteable,
  input: PositionInput | undefined,
  commitId: string | undefined,
): Promise<{ position: NotePosition | undefined; lineCode: string | undefined }> {
  if (input === undefined) return { position: undefined, lineCode: undefined };
  const position = toPosition(input, commitId);
  const code = await positions.codeLines(noteable.projectId, position);
  if (code === undefined) throw invalidPosition();
  const digest = () => createHash('sha1').update(position.newPath).digest('hex');
  return { position, lineCode: code === null ? undefined : `${digest()}_${code.oldLine}_${code.newLine}` };
}

/** One page of the caller's drafts on a merge request. Fails with `not_found`. */
export const listDraftNotes =
  (edges: DraftNoteEdges) =>
  async (
    reader: Reader,
    at: DraftNoteParent,
    request: PageRequest,
  ): Promise<{ noteable: Noteable; rows: DraftNote[]; page: PageInfo }> => {
    const noteable = await mergeRequestOf(edges, reader, at);
    return { noteable, ...(await edges.drafts.page(noteable, reader.actor.userId, request)) };
  };

/** One draft of the caller. Fails with `not_found`. */
export const getDraftNote =
  (edges: DraftNoteEdges) =>
  async (reader: Reader, at: DraftNoteParent, id: number): Promise<FoundDraftNote> => {
    const noteable = await mergeRequestOf(edges, reader, at);
    const [draft] = await edges.drafts.all(noteable, reader.actor.userId, id);
    if (draft === undefined) throw noDraft();
    return { noteable, draft };
  };

/** Writes a draft. Fails with `not_found`, `forbidden`, `bad_request`, `invalid`. */
export const createDraftNote =
  (edges: DraftNoteEdges) =>
  async (reader: Reader, at: DraftNoteParent, wanted: NewDraftNoteRequest): Promise<FoundDraftNote> => {
    const { body, discussionId, resolveDiscussion } = wanted;
    const noteable = await mergeRequestOf(edges, reader, at);
    const writer = writerOf(reader);
    checkMayComment(writer, noteable, false);
    checkBody(body);
    checkSuggestions(suggestedBlocks(body));
    const commitId = commitOf(wanted.commitId);
    if (discussionId !== '') {
      const thread = await visibleDiscussion(edges, reader, noteable, discussionId).catch((error: unknown) => {
        throw isAppError(error, 'not_found') ? refusedDraft(noThread) : error;
      });
      if (thread.notes[0].system) throw refusedDraft(noThread);
    }
    if (resolveDiscussion && (discussionId === '' || !mayResolve(writer, noteable)))
      throw refusedDraft('User is not allowed to resolve thread');
    const place = await placeOf(edges, noteable, wanted.position, commitId);
    const draft = await edges.drafts.create(
      noteable,
      {
        authorId: writer.userId,
        body,
        discussionId: discussionId || undefined,
        resolveDiscussion,
        commitId,
        ...place,
      },
      (others) => checkRoom(others, body),
    );
    return { noteable, draft };
  };

/** Changes a draft of the caller. Fails like `createDraftNote`. */
export const updateDraftNote =
  (edges: DraftNoteEdges) =>
  async (
    reader: Reader,
    at: DraftNoteParent,
    id: number,
    { body, position }: { body: string | undefined; position: PositionInput | undefined },
  ): Promise<FoundDraftNote> => {
    const { noteable, draft: seen } = await getDraftNote(edges)(reader, at, id);
    checkMayComment(writerOf(reader), noteable, false);
    if (body !== undefined) {
      checkBody(body);
      checkSuggestions(suggestedBlocks(body));
    }
    const place = position && (await placeOf(edges, noteable, position, seen.commitId));
    const draft = await edges.drafts.update(noteable, reader.actor.userId, id, (now, others) => {
      const edited = { ...now, ...place, body: body ?? now.body };
      checkRoom(others, edited.body);
      return edited;
    });
    if (draft === undefined) throw noDraft();
    return { noteable, draft };
  };

/** Deletes a draft of the caller. Fails with `not_found`. */
export const deleteDraftNote =
  (edges: DraftNoteEdges) =>
  async (reader: Reader, at: DraftNoteParent, id: number): Promise<void> => {
    const noteable = await mergeRequestOf(edges, reader, at);
    if (!(await edges.drafts.remove(noteable, reader.actor.userId, id))) throw noDraft();
  };

/** A draft on its way to a note. */
interface Planned {
  readonly draft: DraftNote;
  /** What is left of its body beside its quick actions. */
  readonly text: string;
  readonly commands: readonly Command[];
  /** There is nothing to write beside quick actions. */
  readonly commandsOnly: boolean;
  readonly suggestions: readonly NewSuggestion[];
  /** The id that was set aside for its note, where its quick actions need one. */
  readonly noteId: number | undefined;
}

/** What is to be published, with what it suggests: one call for all drafts, one statement for each that replies. */
async function planAll(
  { discussions, changes, drafts: store }: Pick<DraftNoteEdges, 'discussions' | 'changes' | 'drafts'>,
  reader: Reader,
  noteable: Noteable,
  drafts: readonly DraftNote[],
): Promise<Planned[]> {
  const placed: PlacedText[] = [];
  for (const { body, discussionId, position } of drafts) {
    const replies = discussionId !== undefined && suggestedBlocks(body).length > 0;
    const thread = replies ? await discussions.find(noteable, discussionId, reader.actor) : undefined;
    placed.push({ position: thread === undefined ? position : thread.notes[0].position, body });
  }
  const suggestions = await suggestionsIn(changes, noteable, placed);
  const parsed = drafts.map((draft) => ({ draft, ...parseQuickActions(draft.body, noteable.kind) }));
  const timed = parsed.filter(({ commands }) => commands.some(tracksTime)).map(({ draft }) => draft.id);
  const noteIds =
    timed.length === 0 ? new Map<number, number>() : await store.reserveNoteIds(reader.actor.userId, timed);
  return parsed.map(({ draft, text, commands }, at) => {
    const commandsOnly = commands.length > 0 && text.trim() === '';
    const noteId = noteIds.get(draft.id);
    return { draft, text, commands, commandsOnly, suggestions: suggestions[at] ?? [], noteId };
  });
}

/** Publishes one draft as the note that it would have been. */
async function publishOne(
  { draft, text, commandsOnly, suggestions, noteId }: Planned,
  { reader, noteable, at }: { reader: Reader; noteable: Noteable; at: Date },
  publication: DraftPublication,
): Promise<void> {
  if (commandsOnly) return;
  const writer = writerOf(reader);
  const authorId = writer.userId;
  const { discussionId, position } = draft;
  const dated = (decision: NoteDecision): NoteDecision => {
    const named = withNoteId(decision, noteId);
    return named && { ...named, occurredAt: at };
  };
  if (discussionId === undefined) {
    const type = position === undefined ? 'DiscussionNote' : 'DiffNote';
    const note = { type, authorId, body: text, internal: false, position, suggestions, at } as const;
    return publication.save(dated(decideNewDiscussion(noteable, note)));
  }
  const discussion = await publication.discussion(discussionId);
  const seen = discussion !== undefined && (!discussion.internal || seesInternal(writer));
  if (!seen) throw refusedDraft(noThread);
  const reply = { authorId, body: text, suggestions, at };
  await publication.save(dated(decideReply({ note: undefined, discussion }, noteable, reply)));
  // Who may not resolve threads any more still has something to say.
  if (!draft.resolveDiscussion || !mayResolve(writer, noteable)) return;
  const replied = { note: undefined, discussion: await publication.discussion(discussionId) };
  const resolution = { noteId: undefined, resolved: true, actorId: authorId, at };
  await publication.save(dated(decideResolution(replied, noteable, resolution)));
}

/**
 * Publishes the caller's drafts on a merge request, or the one with an id, together or not at all. Their quick actions
 * run first, as those of notes do (`writeText`): after a crash they run again, which does no harm, since time is counted
 * once for each quick action of a draft; and no draft is published twice. Fails with `not_found`, `forbidden`, `invalid`; with `conflict` when a draft changed after its
 * quick actions ran.
 */
export const publishDraftNotes =
  (edges: DraftNoteEdges) =>
  async (reader: Reader, at: DraftNoteParent, id: number | undefined): Promise<void> => {
    const noteable = await mergeRequestOf(edges, reader, at);
    const authorId = reader.actor.userId;
    const planned = await planAll(edges, reader, noteable, await edges.drafts.all(noteable, authorId, id));
    if (planned.length === 0 && id !== undefined) throw noDraft();
    if (planned.length === 0) return;
    checkMayComment(writerOf(reader), noteable, false);
    const begun = { reader, noteable, at: edges.clock() };
    for (const { draft, commands, commandsOnly, noteId } of planned) {
      const origin = { noteId: commandsOnly ? undefined : noteId, cause: `draft:${draft.id}` };
      if (commands.length > 0) await edges.runCommands(reader, noteable, commands, !commandsOnly, origin);
    }
    const plans = new Map(planned.map((plan) => [plan.draft.id, plan]));
    const planFor = (draft: DraftNote): Planned => {
      const plan = plans.get(draft.id);
      if (plan?.draft.version !== draft.version) throw conflict('A draft note was changed in the meantime');
      return plan;
    };
    const published = await edges.drafts.publish(noteable, authorId, [...plans.keys()], {
      check: (draft) => void planFor(draft),
      publish: (draft, publication) => publishOne(planFor(draft), begun, publication),
    });
    if (published === 0 && id !== undefined) throw noDraft();
  };
