// The files of a cluster's backup, beside a container that copies the databases first:
//   node deploy/docker/backup-files.mjs <backup> <shared folder> <kept backups> <data folder>…
// It keeps what rows name from being removed, makes `marked` in the shared folder, waits for `databases` there, copies, and removes older
// backups beside this one. Each of the two makes `failed` there when it fails.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKUP_FILES, copyTree, flush, markBackup } from '../local/copy-tree.mjs';
import { createProgress } from '../local/progress.mjs';
import { writeSums } from '../local/sums.mjs';

/** A backup has one of these files; which one is changed at once. */
const [INCOMPLETE, COMPLETE] = ['incomplete', 'complete'];
/** An incomplete backup of this age is none that still runs, of this release or another. */
const ABANDONED_MS = 86_400_000;
/** The longest time without a byte more, in which images may come and a large copy is flushed. */
const STALLED_MS = 1_800_000;
const [backup, shared, kept, ...folders] = process.argv.slice(2);
const { say, step } = createProgress();

async function main() {
  mkdirSync(backup, { recursive: true, mode: 0o700 });
  writeFileSync(join(backup, INCOMPLETE), '', { mode: 0o600, flush: true });
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
    // The databases have a manifest of their own, and belong to the user of their server.
    const isOurs = (path) => path !== INCOMPLETE && !path.startsWith('postgres/');
    await step('digests', (note) => writeSums(backup, { note, say, isOurs }));
    writeFileSync(join(backup, INCOMPLETE), `${new Date().toISOString()}\n`, { mode: 0o600 });
    flush(backup);
    renameSync(join(backup, INCOMPLETE), join(backup, COMPLETE));
  } finally {
    unmark();
  }
  for (const old of backupsWith(COMPLETE).slice(Number(kept))) {
    renameSync(join(old, COMPLETE), join(old, INCOMPLETE));
    removeIncomplete(old);
  }
  const isAbandoned = (folder) => Date.now() - statSync(join(folder, INCOMPLETE)).mtimeMs > ABANDONED_MS;
  for (const old of backupsWith(INCOMPLETE).filter(isAbandoned)) removeIncomplete(old);
}

/** `incomplete` goes last: where this is interrupted, the next backup goes on. */
function removeIncomplete(folder) {
  for (const name of readdirSync(folder)) if (name !== INCOMPLETE) rmSync(join(folder, name), { recursive: true });
  rmSync(folder, { recursive: true });
}

async function untilCopied() {
  let [size, grown] = [-1, Date.now()];
  while (!existsSync(join(shared, 'databases'))) {
    if (existsSync(join(shared, 'failed'))) throw new Error('the databases could not be copied');
    const now = databasesSize();
    if (now !== size) [size, grown] = [now, Date.now()];
    else if (Date.now() - grown > STALLED_MS) throw new Error('the copy of the databases does not go on');
    await sleep(500);
  }
}

/** Bytes of the databases copied so far. */
function databasesSize() {
  const folder = join(backup, 'postgres');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.reduce((sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Backups that have a file, the newest of these files first. */
function backupsWith(file) {
  const place = dirname(backup);
  const made = (folder) => statSync(join(folder, file)).mtimeMs;
  return readdirSync(place)
    .map((name) => join(place, name))
    .filter((folder) => existsSync(join(folder, file)))
    .sort((a, b) => made(b) - made(a));
}

main().catch((error) => {
  process.stderr.write(`backup: ${error.message}\n`);
  writeFileSync(join(shared, 'failed'), '');
  process.exit(1);
});
