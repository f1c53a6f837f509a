import type { Tx } from '@switchyard/database';
import { type CrossReference, crossReferencesOf } from '@switchyard/texts';
import {
  crossReferenceCause,
  isSameObject,
  mentionedIn,
  type ReferenceSource,
  type ReferenceTarget,
  referencedPath,
  type SourceHome,
} from '../domain/cross-reference';
import type { ReferenceStore } from './reference.ports';

/** Where the texts of a source are found. */
export type ReferringTexts =
  | { readonly kind: 'references'; readonly references: readonly CrossReference[] }
  | { readonly kind: 'issue'; readonly issueId: number }
  | { readonly kind: 'epic'; readonly epicId: number }
  | { readonly kind: 'note'; readonly noteId: number };

/** What following references works with. */
interface ReferenceEdges {
  readonly store: ReferenceStore;
  readonly externalUrl: string;
}

async function referencesIn(
  tx: Tx,
  { store, externalUrl }: ReferenceEdges,
  texts: ReferringTexts,
): Promise<readonly CrossReference[]> {
  if (texts.kind === 'references') return texts.references;
  const text =
    texts.kind === 'issue'
      ? await store.textOfIssue(tx, texts.issueId)
      : texts.kind === 'epic'
        ? await store.textOfEpic(tx, texts.epicId)
        : await store.textOfNote(tx, texts.noteId);
  return text === undefined ? [] : crossReferencesOf(text, externalUrl);
}

/** The objects that references in texts of `home` name, in order; each path is looked up once. */
async function* targetsOf(
  tx: Tx,
  store: ReferenceStore,
  home: SourceHome,
  references: readonly CrossReference[],
): AsyncGenerator<ReferenceTarget> {
  const places = new Map<string, number | undefined>();
  for (const reference of references) {
    const path = referencedPath(reference, home);
    // A group and a project never have one path.
    if (path !== undefined && !places.has(path))
      places.set(path, await (reference.kind === 'Epic' ? store.groupByPath(tx, path) : store.projectByPath(tx, path)));
    const placeId = path === undefined ? home.projectId : places.get(path);
    const target = placeId === undefined ? undefined : await store.target(tx, placeId, reference);
    if (target !== undefined) yield target;
  }
}

/**
 * Writes a system note on each object that an object's new texts refer to and that the actor may read, within the
 * transaction that handles the event. Texts are read as they are now. There is one note for each pair of objects; an
 * issue that took the place of a moved one does not repeat the notes of that one.
 */
export const followReferences =
  (edges: ReferenceEdges) =>
  async (
    tx: Tx,
    { source, texts, actorId, at }: { source: ReferenceSource; texts: ReferringTexts; actorId: number; at: Date },
  ): Promise<void> => {
    const { store } = edges;
    const references = await referencesIn(tx, edges, texts);
    if (references.length === 0) return;
    const home = await store.home(tx, source);
    if (home === undefined) return;
    const moved = source.kind === 'Issue' ? await store.movedInto(tx, source.id) : [];
    for await (const target of targetsOf(tx, store, home, references)) {
      if (isSameObject(source, target) || !(await store.mayRead(tx, target, actorId))) continue;
      await store.write(tx, target, {
        source,
        authorId: actorId,
        body: mentionedIn(source, home.path, target),
        causes: [
          crossReferenceCause(source, target),
          ...moved.map((id) => crossReferenceCause({ ...source, id }, target)),
        ],
        at,
      });
    }
  };
