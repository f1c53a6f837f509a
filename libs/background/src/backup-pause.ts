import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** In the data folder while a backup of it is made; deploy/local/copy-tree.mjs touches it every 10 s. */
const marker = 'backup-running';

/** Milliseconds after which a marker is what a killed backup left. */
const stale = 60_000;

/**
 * Whether files of a data folder must stay: a backup copies them after the rows that name them.
 * @param data the data folder
 */
export async function isBackupRunning(data: string): Promise<boolean> {
  const found = await stat(join(data, marker)).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs < stale;
}
