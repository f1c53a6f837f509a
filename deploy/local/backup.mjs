import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  clusterFolder,
  connectAsSuperuser,
  placeForCluster,
  runningPort,
  SUPERUSER_PASSWORD_FILE,
  startEmbeddedPostgres,
} from '../../libs/machine/src/embedded-postgres.mjs';
import { SERVICES } from '../catalogue.mjs';
import { BACKUP_FILES, copyTree, flush, markBackup } from './copy-tree.mjs';
import { DATA_FORMAT, KEPT_FILES, markRestore, SECRET_FILE } from './data-folder.mjs';
import { LaunchFailure } from './failure.mjs';
import { holdKeys, KEYS_LOCK } from './rotate.mjs';
import { checkSums, hasSums, writeSums } from './sums.mjs';

/** The layout of a backup; it is raised with what an older release could not restore. */
const BACKUP_FORMAT = 1;
const DESCRIPTION = 'backup.json';
/** What the server makes anew, or what would mislead it. */
const NOT_OF_A_BACKUP = /^(?:postmaster\.(?:pid|opts)|backup_label(?:\.old)?|pg_internal\.init|.*\.new)$/;
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);

/**
 * Copies a running installation on one machine. The rows come first, of all databases at one moment: a base backup of the
 * server. The files come after them, while none is removed, so what a row of the copy names is in the copy.
 *
 * @param {import('./environment.mjs').Settings} settings
 * @param {string} folder is made; must be absent or empty
 * @param {import('./progress.mjs').Progress} progress
 * @throws {LaunchFailure}
 */
export async function backup({ data, databaseUrl }, folder, { say, step }) {
  if (databaseUrl) {
    throw new LaunchFailure('DATABASE_URL: the server is not of this installation: back it up by its own means');
  }
  if (!relative(data, folder).startsWith('..')) throw new LaunchFailure(`${folder} is in the data folder ${data}`);
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new LaunchFailure(`${folder} is not empty`);
  if (runningPort(join(data, 'postgres')) === undefined)
    throw new LaunchFailure(`the installation in ${data} does not run: start it, or copy it as it is`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  // The keys that encrypt the rows, and the superuser's password, must be those of the copied moment.
  const keys = await holdKeys(data);
  let [unmark, at] = [() => {}, ''];
  try {
    unmark = await markBackup([data]);
    const cluster = join(folder, 'postgres', 'cluster');
    at = await step('databases', (note) => copyDatabases({ data, cluster, note, say }));
    for (const name of [join('postgres', SUPERUSER_PASSWORD_FILE), ...KEPT_FILES]) {
      if (existsSync(join(data, name))) copyFileSync(join(data, name), join(folder, name));
    }
    await step('keys', (note) => copyTree(join(data, 'keys'), join(folder, 'keys'), { note, say, skip: KEYS_LOCK }));
    for (const name of BACKUP_FILES) {
      await step(name, (note) => copyTree(join(data, name), join(folder, name), { note, say }));
    }
  } finally {
    unmark();
    keys.release();
  }
  await step('digests', (note) => writeSums(folder, { note, say }));
  flush(folder);
  const description = { format: BACKUP_FORMAT, data_format: DATA_FORMAT, at };
  writeFileSync(join(folder, DESCRIPTION), `${JSON.stringify(description)}\n`, { mode: 0o600, flush: true });
  const outside = existsSync(join(data, SECRET_FILE)) ? '' : ', SWITCHYARD_SECRET is not: keep it beside';
  say(`${folder} is complete. It contains the keys of the installation${outside}.`);
}

/** @returns {Promise<string>} the moment of the copy */
async function copyDatabases({ data, cluster, note, say }) {
  const client = await connectAsSuperuser(join(data, 'postgres'));
  try {
    // Keeps the log that the copy needs; goes with this connection, however it ends.
    await client.query(`select pg_create_physical_replication_slot('switchyard_backup_${process.pid}', true, true)`);
    await client.query(`select pg_backup_start('switchyard', true)`);
    const source = clusterFolder(join(data, 'postgres'));
    await copyTree(source, cluster, { note, say, skip: NOT_OF_A_BACKUP, emptied: EMPTIED });
    const { rows } = await client.query('select labelfile, now() as at from pg_backup_stop(false)');
    writeFileSync(join(cluster, 'backup_label'), rows[0].labelfile, { mode: 0o600 });
    await copyTree(join(source, 'pg_wal'), join(cluster, 'pg_wal'), { note: () => {}, say, skip: /\.tmp$/ });
    return rows[0].at.toISOString();
  } finally {
    await client.end();
  }
}

/**
 * Puts a backup where there is no installation yet.
 *
 * @param {import('./environment.mjs').Settings} settings
 * @param {string} folder of the backup
 * @param {import('./progress.mjs').Progress} progress
 * @throws {LaunchFailure}
 */
export async function restore({ data, databaseUrl, kafkaBrokers }, folder, { say, step }) {
  if (databaseUrl) throw new LaunchFailure('DATABASE_URL: a backup brings its own databases, so it must not be set');
  const { format, data_format: dataFormat, at } = readDescription(folder);
  if (format > BACKUP_FORMAT || dataFormat > DATA_FORMAT) {
    throw new LaunchFailure(`${folder} was made by a newer release: restore it with that one`);
  }
  if (existsSync(data) && readdirSync(data).length > 0) {
    throw new LaunchFailure(`SWITCHYARD_DATA: ${data} is not empty`);
  }
  if (hasSums(folder)) await step('digests', (note) => checkSums(folder, { note, say }));
  else say(`${folder} was made by an earlier release, and has no digests to compare with`);
  mkdirSync(join(data, 'postgres'), { recursive: true, mode: 0o700 });
  // Passable for the user of the server, as `npm start` makes them.
  if (process.getuid?.() === 0) for (const path of [data, join(data, 'postgres')]) chmodSync(path, 0o711);
  const complete = markRestore(data);
  const { clusterDir, uid, gid } = placeForCluster(join(data, 'postgres'), say);
  const owner = uid === undefined ? undefined : { uid, gid };
  await step('databases', (note) => copyTree(join(folder, 'postgres', 'cluster'), clusterDir, { note, say, owner }));
  for (const name of ['keys', ...BACKUP_FILES]) {
    await step(name, (note) => copyTree(join(folder, name), join(data, name), { note, say }));
  }
  const put = (name) => existsSync(join(folder, name)) && copyFileSync(join(folder, name), join(data, name));
  put(join('postgres', SUPERUSER_PASSWORD_FILE));
  if (kafkaBrokers) await step('events to publish again', () => publishAgain(join(data, 'postgres')));
  for (const name of KEPT_FILES) put(name);
  flush(data);
  complete();
  say(`${data} is as the installation was at ${at}. Start it with npm start.`);
}

/** What a backup says of itself. */
function readDescription(folder) {
  const described = join(folder, DESCRIPTION);
  if (!existsSync(described)) throw new LaunchFailure(`${folder} is no backup, or one that was not completed`);
  try {
    return JSON.parse(readFileSync(described, 'utf8'));
  } catch {
    throw new LaunchFailure(`${described} is damaged`);
  }
}

/**
 * Topics are in no backup, and those of the past know what the rows do not: an installation on Kafka begins with empty ones, and consumers get
 * anew what they had not received. What they had has its effect once: their inboxes know it for as long as outboxes keep it.
 */
async function publishAgain(dataDir) {
  const server = await startEmbeddedPostgres({ dataDir });
  try {
    // A backup of an older release has no database of a service that came later.
    const known = await connectAsSuperuser(dataDir, { port: server.port, database: 'postgres' });
    const { rows } = await known.query('select datname from pg_database').finally(() => known.end());
    const there = new Set(rows.map(({ datname }) => datname));
    for (const { database } of SERVICES.filter((one) => there.has(one.database))) {
      const client = await connectAsSuperuser(dataDir, { port: server.port, database });
      try {
        await client.query('update events.inbox set received_at = now(); update events.outbox set published_at = null');
      } finally {
        await client.end();
      }
    }
  } finally {
    await server.stop();
  }
}
