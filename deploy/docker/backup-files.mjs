// The files of a cluster's backup, beside a container that copies the databases first:
//   node deploy/docker/backup-files.mjs <backup> <shared folder> <kept backups> <data folder>…
// It keeps what rows name from being removed, makes `marked` in the shared folder, waits for `databases` there, copies, and removes older
// backups beside this one.
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKUP_FILES, copyTree, markBackup } from '../local/copy-tree.mjs';
import { createProgress } from '../local/progress.mjs';

const COMPLETE = 'complete';
const [backup, shared, kept, ...folders] = process.argv.slice(2);
const { say, step } = createProgress();

async function main() {
  mkdirSync(backup, { recursive: true, mode: 0o700 });
  const unmark = await markBackup(folders);
  try {
    writeFileSync(join(shared, 'marked'), '');
    await step('databases', untilCopied);
    for (const folder of folders) {
      for (const name of BACKUP_FILES.filter((one) => existsSync(join(folder, one)))) {
        const to = join(backup, basename(folder), name);
        mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
        await step(`${basename(folder)}: ${name}`, (note) => copyTree(join(folder, name), to, { note, say }));
      }
    }
    writeFileSync(join(backup, COMPLETE), `${new Date().toISOString()}\n`, { mode: 0o600, flush: true });
  } finally {
    unmark();
  }
  for (const old of completeOnes().slice(Number(kept))) rmSync(old, { recursive: true });
}

async function untilCopied() {
  while (!existsSync(join(shared, 'databases'))) {
    if (existsSync(join(shared, 'failed'))) throw new Error('the databases could not be copied');
    await sleep(500);
  }
}

/** The complete backups, the newest first. */
function completeOnes() {
  const place = dirname(backup);
  const made = (folder) => statSync(join(folder, COMPLETE)).mtimeMs;
  return readdirSync(place)
    .map((name) => join(place, name))
    .filter((folder) => existsSync(join(folder, COMPLETE)))
    .sort((a, b) => made(b) - made(a));
}

main().catch((error) => {
  process.stderr.write(`backup: ${error.message}\n`);
  process.exit(1);
});
