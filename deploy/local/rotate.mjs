import { createRequire } from 'node:module';
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
} from './data-folder.mjs';
import { LaunchFailure } from './failure.mjs';
import { takeLock } from './lock.mjs';

/** Processes look at their key once a second; a call is verified within 60 s of its signature, its deadline. */
const [LOOK_SECONDS, CALL_SECONDS] = [3, 65];

/**
 * Changes keys of a running installation on one machine.
 *
 * @param {object} options
 * @param {string} options.data
 * @param {string} options.what `identity-keys` or `database-passwords`
 * @param {string} [options.seconds] for which an old key is believed; default 65
 * @param {string} options.serverUrl address of the server as a user who may change roles
 * @param {readonly string[]} options.roles whose passwords can change
 * @param {import('./progress.mjs').Progress} options.progress
 * @throws {LaunchFailure}
 */
export async function rotate({ data, what, seconds = String(CALL_SECONDS), serverUrl, roles, progress }) {
  if (!/^\d{1,4}$/.test(seconds)) throw new LaunchFailure('<seconds> must be a whole number from 0 to 9999');
  const lock = await takeLock(join(data, 'keys', 'rotation.lock'), { waitMs: 0 });
  if ('heldBy' in lock) throw new LaunchFailure(`process ${lock.heldBy} rotates already`);
  try {
    if (what === 'identity-keys') await rotateIdentityKeys(data, Number(seconds), progress);
    else if (what === 'database-passwords') await rotatePasswords({ data, serverUrl, roles, progress });
    else throw new LaunchFailure('rotate identity-keys [<seconds>] | database-passwords');
  } finally {
    lock.release();
  }
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
async function rotatePasswords({ data, serverUrl, roles, progress }) {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
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
