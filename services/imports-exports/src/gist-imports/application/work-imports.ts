import { type Repeating, repeat } from '@switchyard/background';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { answerInTime, type ForgeGist, ForgeProblem } from '../../forges';
import { LeaseLost, pauseAfter, TurnOver, workLeased } from '../../leases';
import {
  type GistImportLease,
  gistMs,
  longestPause,
  maxFailures,
  maxFiles,
  maxPages,
  pageSize,
  type SkippedGist,
  titleOf,
  turnMs,
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
    const waiting = new AbortController();
    const asked = forges.open(one.host, one.token, waiting.signal).gistFiles(gist.id);
    const files = await answerInTime(waiting, asked, gistMs).catch((error: unknown) => {
      if (waiting.signal.aborted) return 'late' as const;
      throw error;
    });
    if (files === 'late') return 'the forge sends it too slowly';
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

  /** Brings over what is left. Throws `TurnOver` after its turn. */
  async function bringAll(one: GistImportLease, keepLease: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const requestId = `gist-import-${one.id}`;
    const turnEnds = Date.now() + turnMs;
    const forge = forges.open(one.host, one.token, signal);
    let { page, brought } = one.place;
    while (page <= maxPages) {
      const { items, isLast } = await forge.gists(page, pageSize);
      let imported = 0;
      const skipped: SkippedGist[] = [];
      for (const gist of items.slice(brought)) {
        await keepLease();
        const reason = await bring(one, gist, requestId);
        if (reason === undefined) imported += 1;
        else skipped.push({ title: titleOf(gist.description, gist.fileNames), url: gist.webUrl, reason });
        brought += 1;
        if (Date.now() >= turnEnds) break;
      }
      faultPoint('gist_import.page_written');
      const isDone = brought >= items.length;
      if (isDone) [page, brought] = [page + 1, 0];
      if (!(await imports.save(one, { page, brought }, { imported, skipped }))) throw new LeaseLost();
      // It got on: failures in a row are counted from here, as in its row.
      one.attempt = 1;
      faultPoint('gist_import.page_saved');
      if (isDone && isLast) return;
      if (Date.now() >= turnEnds) throw new TurnOver();
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
