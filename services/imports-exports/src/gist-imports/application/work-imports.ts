import { type Repeating, repeat } from '@switchyard/background';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type ForgeGist, ForgeProblem } from '../../forges';
import { LeaseLost, pauseAfter, workLeased } from '../../leases';
import {
  type GistImportLease,
  longestPause,
  maxFailures,
  maxFiles,
  maxPages,
  pageSize,
  type SkippedGist,
  titleOf,
} from '../domain/gist-import';
import type { GistForges, GistImportStore, ImportSnippet, PublishEnd } from './imports.ports';

faultPoints.push('gist_import.page_written', 'gist_import.page_saved', 'gist_import.ended');

/** What a process works on imports with. */
export interface WorkingEdges {
  readonly imports: GistImportStore;
  readonly forges: Pick<GistForges, 'open'>;
  readonly importSnippet: ImportSnippet;
  readonly publish: PublishEnd;
}

/** Works on imports of gists that wait, page by page; a page may be repeated. */
export function workGistImports({ imports, forges, importSnippet, publish }: WorkingEdges): Repeating {
  /** Brings a gist over; the reason where it is left out. */
  async function bring(one: GistImportLease, gist: ForgeGist, requestId: string): Promise<string | undefined> {
    const tooMany = `it has more than ${maxFiles} files`;
    if (gist.fileNames.length > maxFiles) return tooMany;
    const files = await forges.open(one.host, one.token).gistFiles(gist.id);
    if (files === undefined) return 'it is gone, or too large';
    if (files.length > maxFiles) return tooMany;
    if (files.some(({ content }) => content.includes('\0'))) return 'it has a file that is no text';
    try {
      await importSnippet(one.authorId, gist, { title: titleOf(gist.description, gist.fileNames), files }, requestId);
      return undefined;
    } catch (error) {
      if (isAppError(error, 'invalid', 'too_large')) return 'no snippet can hold it';
      throw error;
    }
  }

  async function bringAll(one: GistImportLease, keepLease: () => Promise<void>): Promise<void> {
    const requestId = `gist-import-${one.id}`;
    for (let { page } = one; page <= maxPages; page += 1) {
      const { items, isLast } = await forges.open(one.host, one.token).gists(page, pageSize);
      let imported = 0;
      const skipped: SkippedGist[] = [];
      for (const gist of items) {
        await keepLease();
        const reason = await bring(one, gist, requestId);
        if (reason === undefined) imported += 1;
        else skipped.push({ title: titleOf(gist.description, gist.fileNames), url: gist.webUrl, reason });
      }
      faultPoint('gist_import.page_written');
      if (!(await imports.savePage(one, page + 1, { imported, skipped }))) throw new LeaseLost();
      // It got on: failures in a row are counted from here, as in its row.
      one.attempt = 1;
      faultPoint('gist_import.page_saved');
      if (isLast) return;
    }
  }

  return workLeased<GistImportLease, void>({
    name: 'imports of gists',
    maxAttempts: maxFailures,
    leases: imports,
    otherwise: 'the import failed',
    judge: (error, { attempt }) =>
      error instanceof ForgeProblem
        ? {
            isFinal: error.kind !== 'later',
            text: error.message,
            pause: error.seconds ?? pauseAfter(attempt, longestPause),
          }
        : { isFinal: false, text: undefined, pause: pauseAfter(attempt, longestPause) },
    make: bringAll,
    async end(one, outcome) {
      await imports.end(one, 'problem' in outcome ? outcome.problem : undefined, publish);
      faultPoint('gist_import.ended');
    },
  });
}

/** Milliseconds between two removals. */
const sweepEvery = 3_600_000;

/** Removes imports that ended a week ago, now and every hour. */
export const sweepGistImports = (imports: Pick<GistImportStore, 'sweep'>): Repeating =>
  repeat('imports of gists that are over', sweepEvery, () => imports.sweep());
