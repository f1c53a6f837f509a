import { unguarded } from '@switchyard/database';
import { logger } from '@switchyard/telemetry';
import type { PackageStore } from './package.ports';

/** Milliseconds for which downloads are collected: an install asks for hundreds of packages at once. */
const collectMs = 500;

/** Packages that wait at the most; of further ones the download is not recorded. */
const mostWaiting = 10_000;

/** Records downloads of packages, many in one statement: they do not wait for it, and do not fail with it. */
export function downloadRecorder({ recordDownloads }: Pick<PackageStore, 'recordDownloads'>) {
  let waiting = new Set<number>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...waiting];
    waiting = new Set();
    if (ids.length === 0) return;
    // Not a part of the request during which the timer was set.
    await unguarded(() => recordDownloads(ids)).catch((error: unknown) =>
      logger.warn({ err: error, packages: ids.length }, 'downloads not recorded'),
    );
  }

  return {
    /** Notes that a file of a package is downloaded; at most a second later it is recorded. */
    record(packageId: number): void {
      if (waiting.size < mostWaiting) waiting.add(packageId);
      timer ??= setTimeout(flush, collectMs).unref();
    },
    /** Records what was noted. */
    close: flush,
  };
}
