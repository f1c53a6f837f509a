import type { Tx } from '@switchyard/database';
import { badRequest, isAppError, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type Noteable, type Reader, seesInternal } from '../../noteables';
import { decideResolution } from '../domain/note-change';
import type { NotePosition } from '../domain/note-position';
import {
  checkSuggestions,
  maxApplied,
  maySuggest,
  type NewSuggestion,
  type SuggestionRow,
  suggestedBlocks,
  suggestedContent,
} from '../domain/suggestion';
import { writerOf } from './list-notes';
import type { AppliedSuggestions, SuggestedChanges, SuggestionStore } from './suggestion.ports';

faultPoints.push('suggestion.committed');

/** A text at a place. */
export interface PlacedText {
  readonly position: NotePosition | undefined;
  readonly body: string;
}

/**
 * The suggestions that texts on a noteable make, in their order: one call where there are any. A block whose lines cannot be
 * read stays a block of text. Fails with `bad_request` where a text makes too many.
 */
export async function suggestionsIn(
  changes: Pick<SuggestedChanges, 'read'>,
  noteable: Noteable,
  texts: readonly PlacedText[],
): Promise<NewSuggestion[][]> {
  const blocks = texts.map(({ position, body }) => (maySuggest(noteable, position) ? suggestedBlocks(body) : []));
  for (const ofText of blocks) checkSuggestions(ofText);
  const asked = texts.flatMap(({ position }, at) =>
    position === undefined ? [] : (blocks[at] ?? []).map((block) => ({ position, ...block })),
  );
  if (asked.length === 0) return blocks.map(() => []);
  const found = (await changes.read(noteable.projectId, asked)).values();
  return blocks.map((ofText) =>
    ofText.flatMap((block) => {
      const lines = found.next().value;
      return lines === undefined ? [] : [{ ...lines, toContent: suggestedContent(block, lines.fromContent) }];
    }),
  );
}

/** What suggestions need. */
export interface SuggestionEdges {
  readonly suggestions: SuggestionStore;
  readonly changes: SuggestedChanges;
  /** A merge request by id, as the reader may read it. Fails with `not_found`. */
  readonly mergeRequest: (projectId: number, id: number, reader: Reader) => Promise<Noteable>;
}

const noSuggestion = () => notFound('Suggestion');

/** The project of suggestions, and whether an internal note makes one of them. Fails with `not_found` when one is not there, and when they lie in several. */
export const locateSuggestions =
  ({ suggestions }: Pick<SuggestionEdges, 'suggestions'>) =>
  async (ids: readonly number[]): Promise<{ projectId: number; internal: boolean }> => {
    const wanted = [...new Set(ids)].slice(0, maxApplied);
    const found = await suggestions.find(wanted);
    const [projectId, ...others] = new Set(found.map((one) => one.projectId));
    if (projectId === undefined || others.length > 0 || found.length < wanted.length) throw noSuggestion();
    return { projectId, internal: found.some((one) => one.internal) };
  };

/** Marks as applied what a commit has applied, and resolves the threads. */
const settle = (
  { suggestions }: Pick<SuggestionEdges, 'suggestions'>,
  noteable: Noteable,
  applied: AppliedSuggestions,
  within?: Tx,
): Promise<void> =>
  suggestions.settle(
    noteable,
    applied,
    (discussion, at) =>
      decideResolution({ note: undefined, discussion }, noteable, {
        noteId: undefined,
        resolved: true,
        actorId: applied.actorId,
        at,
      }),
    within,
  );

/**
 * Applies suggestions in one commit, or none of them. When the process dies after the commit, the event of the commit marks
 * them (`followAppliedSuggestions`). Fails with `not_found`, `forbidden`, `bad_request`.
 */
export const applySuggestions =
  (edges: SuggestionEdges) =>
  async (
    reader: Reader,
    projectId: number,
    ids: readonly number[],
    message: string,
  ): Promise<{ noteable: Noteable; rows: SuggestionRow[] }> => {
    const wanted = [...new Set(ids)];
    const internal = seesInternal(writerOf(reader));
    const found = (await edges.suggestions.find(wanted)).filter(
      (one) => one.projectId === projectId && (internal || !one.internal),
    );
    const [first] = found;
    if (first === undefined || found.length < wanted.length) throw noSuggestion();
    if (found.some(({ targetId }) => targetId !== first.targetId))
      throw badRequest('The suggestions belong to several merge requests.');
    const noteable = await edges.mergeRequest(projectId, first.targetId, reader);
    const done = found.filter(({ applied }) => applied);
    if (done.length > 0)
      throw badRequest(done.map(({ id }) => `Suggestion ${id} cannot be applied: it is applied already.`).join(' '));
    const commitSha = await edges.changes.apply(reader, noteable, found, message);
    faultPoint('suggestion.committed');
    await settle(edges, noteable, { ids: wanted, commitSha, actorId: reader.actor.userId });
    return { noteable, rows: await edges.suggestions.find(wanted) };
  };

/** Marks as applied what an event says was applied, in the transaction that handles it; nothing where it is. */
export const followAppliedSuggestions =
  (edges: Pick<SuggestionEdges, 'suggestions'>) =>
  async (tx: Tx, noteable: Noteable, applied: AppliedSuggestions): Promise<void> => {
    await settle(edges, noteable, applied, tx).catch((error: unknown) => {
      // The merge request was deleted in the meantime.
      if (!isAppError(error, 'not_found')) throw error;
    });
  };
