import { importedPeople } from '@switchyard/directory';
import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { Contributions } from '../deleted-users';
import type { Edges } from '../edges';
import type { NoteableResolver } from '../noteables';
import { authoredSnippets } from './application/delete-authored-snippets';
import { manageSnippets, snippetNoteables } from './application/manage-snippets';
import { purgeSnippets } from './application/purge-snippets';
import { snippetStore } from './storage/snippet.store';
import { snippetMeasurements } from './storage/snippet-measurement.store';
import { snippetHandler } from './transport/snippet.handler';
import { authorsOf, snippetRecord, toImported } from './transport/snippet.record';

/** Snippets, and what notes need of them. */
export interface Snippets extends Area {
  /** Snippets of a user who was deleted with them. */
  readonly authored: Contributions;
  /** Snippets as what carries notes. */
  readonly find: NoteableResolver<'Snippet'>;
  /** Takes the snippets of an archive. */
  readonly records: RecordWriter;
}

/** Builds snippets. */
export function composeSnippets({ config, db, observe }: Pick<Edges, 'config' | 'db' | 'observe'>): Snippets {
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const edges = { snippets: snippetStore(db) };
  const snippets = observe('snippets', manageSnippets(edges));
  return {
    services: [snippetHandler(snippets, externalUrl)],
    start: () => [purgeSnippets(edges.snippets), snippetMeasurements.measure(db)],
    records: recordWriter(snippetRecord, async (target, given) =>
      snippets.importAll(given.map(toImported(target.projectId, await importedPeople(db, target, authorsOf(given))))),
    ),
    authored: authoredSnippets(edges.snippets),
    find: snippetNoteables(edges, externalUrl),
  };
}
