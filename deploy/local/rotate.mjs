import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../catalogue.mjs';
import {
  databasePasswordsOf,
  IDENTITY_KEY_STEPS,
  keepDatabasePassword,
  newPassword,
  passwordsIn,
  writePasswordFile,
  writeSuperuserPassword,
} from './data-folder.mjs';
import { LaunchFailure } from './failure.mjs';
import { takeLock } from './lock.mjs';

/** Held while keys or passwords change, and while a backup copies them. */
const LOCK_FILE = 'rotation.lock';

/** Names of files of that lock, in the folder of keys. */
export const KEYS_LOCK = /^rotation\.lock/;

/** Processes look at their key once a second; a call is verified within 60 s of its signature, its deadline. */
const [LOOK_SECONDS, CALL_SECONDS] = [3, 65];

/**
 * Changes keys of a running installation on one machine.
 *
 * @param {object} options
 * @param {string} options.data
 * @param {string} options.what `identity-keys`, `database-passwords` or `superuser-password`
 * @param {string} [options.seconds] for which an old key is believed; default 65
 * @param {boolean} options.embedded whether the server is of this installation
 * @param {() => Promise<import('pg').Client>} options.connect to the server, as a user who may change roles
 * @param {readonly string[]} options.roles whose passwords can change
 * @param {import('./progress.mjs').Progress} options.progress
 * @throws {LaunchFailure}
 */
export async function rotate({ data, what, seconds = String(CALL_SECONDS), embedded, connect, roles, progress }) {
  if (!/^\d{1,4}$/.test(seconds)) throw new LaunchFailure('<seconds> must be a whole number from 0 to 9999');
  const work = {
    'identity-keys': () => rotateIdentityKeys(data, Number(seconds), progress),
    'database-passwords': () => rotatePasswords({ data, connect, roles, progress }),
    'superuser-password': () => rotateSuperuserPassword({ data, embedded, connect, progress }),
  };
  if (!Object.hasOwn(work, what ?? '')) {
    throw new LaunchFailure('rotate identity-keys [<seconds>] | database-passwords | superuser-password');
  }
  const lock = await holdKeys(data);
  try {
    await work[what]();
  } finally {
    lock.release();
  }
}

/**
 * Keeps the keys and passwords of an installation as they are for others: a backup has to copy those of its rows.
 *
 * @param {string} data
 * @returns {Promise<{ release: () => void }>}
 * @throws {LaunchFailure}
 */
export async function holdKeys(data) {
  const lock = await takeLock(join(data, 'keys', LOCK_FILE), { waitMs: 0 });
  if ('heldBy' in lock)
    throw new LaunchFailure(`process ${lock.heldBy} rotates keys or makes a backup: wait for its end`);
  return lock;
}

async function rotateIdentityKeys(data, seconds, { step }) {
  const { prepare, swap, finish } = IDENTITY_KEY_STEPS;
  await step('new keys are believed', async () => {
    prepare(data, SERVICES);
    await sleep(LOOK_SECONDS * 1_000);
  });
  await step('new keys sign', async () => {
    swap(data, SERVICES);
    await sleep((LOOK_SECONDS + seconds) * 1_000);
  });
  await step('old keys are believed no more', () => finish(data, SERVICES));
}

/** A process that connects meanwhile finds both passwords in its file; a start after a crash sets the one that is kept. */
async function rotatePasswords({ data, connect, roles, progress }) {
  const client = await connect();
  try {
    for (const role of roles) {
      await progress.step(role, async () => {
        const { [role]: kept } = databasePasswordsOf(data, []);
        const password = newPassword();
        // The server may have another one than is kept, where this command was interrupted before.
        writePasswordFile(data, role, password, ...new Set([...passwordsIn(data, role), kept]));
        await client.query(`alter role ${client.escapeIdentifier(role)} password ${client.escapeLiteral(password)}`);
        keepDatabasePassword(data, role, password);
        writePasswordFile(data, role, password);
      });
    }
  } finally {
    await client.end();
  }
}

/** Who connects meanwhile finds both passwords; so does a start after a crash. */
async function rotateSuperuserPassword({ data, embedded, connect, progress }) {
  if (!embedded) throw new LaunchFailure('DATABASE_URL: the server is not of this installation');
  await progress.step('superuser', async () => {
    const client = await connect();
    try {
      const password = newPassword();
      writeSuperuserPassword(data, password, client.password);
      await client.query(`alter role current_user password ${client.escapeLiteral(password)}`);
      writeSuperuserPassword(data, password);
    } finally {
      await client.end();
    }
  });
}
