import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@switchyard/errors';
import type { FeedScope, PrintedChange } from '../domain/feed';
import { type FeedReader, pageSize, type ReadChanges } from './read-changes';

/** What a watcher gets: a change, or only how far it has come. */
export interface WatchedChange {
  readonly cursor: number;
  readonly change?: PrintedChange;
}

/** Bounds and times of watching; tests have their own. */
export interface WatchLimits {
  /** Most watchers of this process. */
  readonly watchers: number;
  /** Milliseconds from a notice to the next reading: what happens in between is read with it. */
  readonly gatherMs: number;
  /** Milliseconds between two looks for changes whose notice was lost. */
  readonly lookMs: number;
  /** Milliseconds after which a watcher without changes is told how far it has come. */
  readonly cursorMs: number;
}

const usual: WatchLimits = { watchers: 500, gatherMs: 50, lookMs: 5_000, cursorMs: 60_000 };

/** Feeds as they grow. */
export interface WatchChanges {
  /**
   * First the cursor it begins with, then every change that the reader may read, each once and in order, until `signal`
   * or the end of the process.
   * @param after undefined: from now on
   * @throws AppError unavailable when too many watch; as `readChanges`
   */
  watch(
    scope: FeedScope,
    after: number | undefined,
    reader: FeedReader,
    signal: AbortSignal,
  ): AsyncIterable<WatchedChange>;
  /** Watchers there are. */
  watchers(): number;
  /** Ends every watch. */
  drain(): void;
}

/** Builds the watching of feeds over their pages. */
export function watchChanges(
  {
    read,
    head,
    onChange,
  }: { read: ReadChanges; head: () => Promise<number>; onChange: (wake: () => void) => () => void },
  limits: Partial<WatchLimits> = {},
): WatchChanges {
  const { watchers: most, gatherMs, lookMs, cursorMs } = { ...usual, ...limits };
  const waiting = new Set<() => void>();
  let unlisten: (() => void) | undefined;
  let planned: NodeJS.Timeout | undefined;
  let watchers = 0;
  let isDraining = false;

  const wakeAll = (): void => {
    planned = undefined;
    for (const wake of waiting) wake();
  };
  /** One timer gathers the notices for all watchers. */
  const noticed = (): void => {
    planned ??= setTimeout(wakeAll, gatherMs).unref();
  };

  async function nextNotice(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    waiting.add(wake);
    signal.addEventListener('abort', wake);
    await pause(lookMs, undefined, { signal: woken.signal, ref: false }).catch(() => undefined);
    signal.removeEventListener('abort', wake);
    waiting.delete(wake);
  }

  async function* follow(
    scope: FeedScope,
    start: number,
    reader: FeedReader,
    signal: AbortSignal,
  ): AsyncIterable<WatchedChange> {
    let cursor = start;
    let toldAt = Date.now();
    yield { cursor };
    while (!signal.aborted && !isDraining) {
      const page = await read(scope, cursor, pageSize, reader);
      for (const change of page.changes) yield { cursor: change.position, change };
      if (page.changes.length > 0) toldAt = Date.now();
      cursor = page.cursor;
      if (page.more) continue;
      // A quiet feed moves on too: the cursor of a reader that was never told would be too old one day.
      if (Date.now() - toldAt >= cursorMs) {
        toldAt = Date.now();
        yield { cursor };
      }
      await nextNotice(signal);
    }
  }

  return {
    async *watch(scope, after, reader, signal) {
      if (watchers >= most || isDraining) throw unavailable(`${watchers} feeds are watched`);
      watchers += 1;
      unlisten ??= onChange(noticed);
      try {
        yield* follow(scope, after ?? (await head()), reader, signal);
      } finally {
        watchers -= 1;
      }
    },
    watchers: () => watchers,
    drain() {
      isDraining = true;
      clearTimeout(planned);
      unlisten?.();
      wakeAll();
    },
  };
}
