import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES } from '../catalogue.mjs';
import {
  databasePasswordsOf,
  followsSecretFile,
  IDENTITY_KEY_STEPS,
  keepDatabasePassword,
  keysOf,
  newPassword,
  passwordsIn,
  SECRET_FILE,
  SECRET_STEPS,
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
 * @param {import('./environment.mjs').Settings} options.settings
 * @param {string} options.what `identity-keys`, `secret`, `database-passwords` or `superuser-password`
 * @param {string} [options.seconds] for which an old key is believed; default 65
 * @param {() => Promise<number>} options.encryptAgain encrypts all that is stored with the keys in use; gives 0 when nothing is left
 * @param {() => Promise<import('pg').Client>} options.connect to the server, as a user who may change roles
 * @param {readonly string[]} options.roles whose passwords can change
 * @param {import('./progress.mjs').Progress} options.progress
 * @throws {LaunchFailure}
 */
export async function rotate({
  settings,
  what,
  seconds = String(CALL_SECONDS),
  encryptAgain,
  connect,
  roles,
  progress,
}) {
  const { data } = settings;
  if (!/^\d{1,4}$/.test(seconds)) throw new LaunchFailure('<seconds> must be a whole number from 0 to 9999');
  const work = {
    'identity-keys': () => rotateIdentityKeys(data, Number(seconds), progress),
    secret: () => rotateSecret({ settings, seconds: Number(seconds), encryptAgain, progress }),
    'database-passwords': () => rotatePasswords({ data, connect, roles, progress }),
    'superuser-password': () => rotateSuperuserPassword({ settings, connect, progress }),
  };
  if (!Object.hasOwn(work, what ?? '')) {
    throw new LaunchFailure(
      'rotate identity-keys [<seconds>] | secret [<seconds>] | database-passwords | superuser-password',
    );
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

/**
 * What is encrypted and signed with the secret's keys is read with the old ones as well until nothing that is stored needs them; requests
 * that began with them have ended before.
 */
async function rotateSecret({ settings: { data, secret }, seconds, encryptAgain, progress: { step } }) {
  // Processes that were given the secret would not read what is encrypted with the new one.
  if (secret !== undefined || !followsSecretFile(data)) {
    const file = join(data, SECRET_FILE);
    throw new LaunchFailure(`SWITCHYARD_SECRET is set: put its value into ${file}, start without it, then rotate`);
  }
  await step('new keys encrypt and sign, old ones still decrypt and verify', async () => {
    keysOf(data, SECRET_STEPS.begin(data), SERVICES);
    await sleep((LOOK_SECONDS + seconds) * 1_000);
  });
  await step('what is stored is encrypted with new keys', async () => {
    if ((await encryptAgain()) === 0) return;
    throw new LaunchFailure('not all could be encrypted again, so the old keys stay: give the command again');
  });
  await step('old keys are gone', () => keysOf(data, SECRET_STEPS.finish(data), SERVICES));
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
async function rotateSuperuserPassword({ settings: { data, databaseUrl }, connect, progress }) {
  if (databaseUrl) throw new LaunchFailure('DATABASE_URL: the server is not of this installation');
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
