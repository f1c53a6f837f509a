import type { SqlExecutor } from '@switchyard/database';
import { type CrossReference, crossReferencesOf } from '@switchyard/texts';
import type { ReferenceSource } from '../domain/cross-reference';
import type { ReferenceStore } from './reference.ports';

/** Where the texts of a source are found. */
export type ReferringTexts =
  | { readonly kind: 'references'; readonly references: readonly CrossReference[] }
  | { readonly kind: 'issue'; readonly issueId: number }
  | { readonly kind: 'note'; readonly noteId: number };

/**
 * Leaves system notes on what an object's new texts name, within the transaction that takes note of the event. Texts are read as they stand:
 * what has been taken back meanwhile says nothing.
 */
export const followReferences =
  ({ store, externalUrl }: { store: ReferenceStore; externalUrl: string }) =>
  async (
    tx: SqlExecutor,
    { source, texts, actorId, at }: { source: ReferenceSource; texts: ReferringTexts; actorId: number; at: Date },
  ): Promise<void> => {
    let references: readonly CrossReference[] = [];
    if (texts.kind === 'references') references = texts.references;
    else {
      const text =
        texts.kind === 'issue' ? await store.textOfIssue(tx, texts.issueId) : await store.textOfNote(tx, texts.noteId);
      references = text === undefined ? [] : crossReferencesOf(text, externalUrl);
    }
    await store.write(tx, source, references, { actorId, at });
  };
