import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SUPERUSER_PASSWORD_FILE } from '../../libs/machine/src/embedded-postgres.mjs';
import { endProcess, processStart } from '../../libs/machine/src/processes.mjs';
import { LaunchFailure } from './failure.mjs';
import { POSTGRES } from './services.mjs';

/** The layout of the data folder; a release that changes it raises the number and converts older folders. */
export const DATA_FORMAT = 1;

/** Folders below the data folder whose content is closed to other users; PostgreSQL sees to its own. */
const FOLDERS = ['logs', 'keys', 'repositories', 'storages', 'blobs', 'mails'];

/** The passwords of the database roles. */
export const PASSWORDS_FILE = 'database-passwords.json';

/** The file with the instance's secret, in the data folder; while it changes, with the new one and below it the old one. */
export const SECRET_FILE = 'secret';

/** Files that an installation needs after it was moved; `format` last, which makes a folder one. */
export const KEPT_FILES = [SECRET_FILE, 'secret-check', 'root-token', PASSWORDS_FILE, 'format'];

/** Is there while the installation runs, or last ran, with a secret that its operator gave. */
const GIVEN_MARK = 'secret-given';

/** Is there from the begin of a restore to its end: until then there is no installation, and none may be made in its place. */
const RESTORE_MARK = 'restoring';

const OWN_FILES = [...KEPT_FILES, GIVEN_MARK, 'processes.json', 'launcher.lock'];

const ORPHAN_SIGNALS = [
  { signal: 'SIGTERM', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];
// PostgreSQL takes SIGTERM as a wish to wait for its clients.
const ORPHAN_DATABASE_SIGNALS = [{ signal: 'SIGINT', waitMs: 5_000 }, ...ORPHAN_SIGNALS];

/**
 * Marks a folder in which a backup is put.
 *
 * @param {string} data
 * @returns {() => void} what ends it, once all is there
 */
export function markRestore(data) {
  const mark = join(data, RESTORE_MARK);
  writeWhole(mark, '');
  return () => rmSync(mark);
}

/**
 * Makes the data folder, or checks that this release can read it.
 *
 * @param {string} data
 * @throws {LaunchFailure} when it was written by a newer release, cannot be made, or was not restored to the end
 */
export function openDataFolder(data) {
  if (existsSync(join(data, RESTORE_MARK)))
    throw new LaunchFailure(
      `SWITCHYARD_DATA: a restore into ${data} did not end: remove the folder, and restore again`,
    );
  try {
    // Passable as root, whose PostgreSQL runs as another user below it; what is secret has a mode of its own.
    const passable = process.getuid?.() === 0 ? 0o711 : 0o700;
    mkdirSync(data, { recursive: true, mode: passable });
    closeToOthers(data, passable);
    for (const folder of FOLDERS) {
      mkdirSync(join(data, folder), { recursive: true, mode: 0o700 });
      closeToOthers(join(data, folder), 0o700);
    }
    for (const name of [...OWN_FILES, ...filesIn(data, 'keys'), ...filesIn(data, 'logs')]) {
      closeToOthers(join(data, name), 0o600);
    }
  } catch (error) {
    throw new LaunchFailure(`SWITCHYARD_DATA: cannot make ${data} (${error.code ?? error.message})`);
  }
  const file = join(data, 'format');
  if (!existsSync(file)) writeWhole(file, `${DATA_FORMAT}\n`);
  const format = Number(readFileSync(file, 'utf8'));
  if (!Number.isInteger(format) || format < 1) {
    throw new LaunchFailure(`SWITCHYARD_DATA: ${file} does not hold a format number`);
  }
  if (format > DATA_FORMAT) {
    throw new LaunchFailure(
      `SWITCHYARD_DATA: ${data} was written by a newer release (format ${format}, this release reads up to ${DATA_FORMAT})`,
    );
  }
}

const newSecret = () => randomBytes(32).toString('hex');

const secretsIn = (data) => readFileSync(join(data, SECRET_FILE), 'utf8').split('\n').filter(Boolean);

const checkOf = (secret) => `${createHmac('sha256', secret).update('switchyard data folder').digest('hex')}\n`;

/**
 * The secret from which services derive their keys: given, or made once and kept. While it changes there are two, the new one first.
 *
 * @param {string} data
 * @param {string} [given] SWITCHYARD_SECRET
 * @returns {string[]}
 * @throws {LaunchFailure} when none is the one the folder's encrypted values were made with
 */
export function secretsOf(data, given) {
  if (given === undefined) keptSecret(join(data, SECRET_FILE), newSecret);
  const secrets = given === undefined ? secretsIn(data) : [given];
  const file = join(data, 'secret-check');
  if (!existsSync(file)) writeWhole(file, checkOf(secrets[0]));
  if (!secrets.some((secret) => readFileSync(file, 'utf8').trim() === checkOf(secret).trim())) {
    throw new LaunchFailure(`SWITCHYARD_SECRET is not the secret that ${data} was made with`);
  }
  if (given === undefined) rmSync(join(data, GIVEN_MARK), { force: true });
  else writeWhole(join(data, GIVEN_MARK), '');
  return secrets;
}

/** Whether the processes that run follow the file with the secret: it was not given to them. */
export const followsSecretFile = (data) => existsSync(join(data, SECRET_FILE)) && !existsSync(join(data, GIVEN_MARK));

/**
 * The variables by which the service that has the secret finds it: in a file, where it may change while the service runs, unless the operator
 * gave it.
 *
 * @param {import('./environment.mjs').Settings} settings
 * @returns {NodeJS.ProcessEnv}
 */
export const secretVariables = ({ data, secret }) =>
  secret === undefined ? { SWITCHYARD_SECRET_FILE: join(data, SECRET_FILE) } : { SWITCHYARD_SECRET: secret };

/**
 * The steps by which the secret changes; each may be taken again after a crash. Between them the services read both.
 *
 * @type {Readonly<Record<'begin' | 'finish', (data: string) => string[]>>} give the secrets, as `secretsOf` does
 */
export const SECRET_STEPS = {
  begin(data) {
    const secrets = secretsIn(data);
    if (secrets.length === 1) writeWhole(join(data, SECRET_FILE), `${newSecret()}\n${secrets[0]}\n`);
    return secretsIn(data);
  },
  finish(data) {
    const [secret] = secretsIn(data);
    // Before the old one goes: a start after a crash finds the folder's secret in either case.
    writeWhole(join(data, 'secret-check'), checkOf(secret));
    writeWhole(join(data, SECRET_FILE), `${secret}\n`);
    return [secret];
  },
};

/** The administrator's token, made once and kept in `root-token` (mode 0600). */
export function rootTokenOf(data) {
  return keptSecret(join(data, 'root-token'), () => `glpat-${randomBytes(18).toString('base64url')}`);
}

export const newPassword = () => randomBytes(24).toString('base64url');

/** Passwords of the database roles, by role; missing ones are made. */
export function databasePasswordsOf(data, roles) {
  const file = join(data, PASSWORDS_FILE);
  const passwords = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const missing = roles.filter((role) => passwords[role] === undefined);
  for (const role of missing) passwords[role] = newPassword();
  if (missing.length > 0) writeWhole(file, `${JSON.stringify(passwords, undefined, 2)}\n`);
  return passwords;
}

/**
 * Writes the file, in the folder of keys, from which a role's processes read its password.
 *
 * @param {string} data
 * @param {string} role
 * @param {...string} passwords the one to use first; a further one while the server may not know it yet
 * @returns {string} the path
 */
export function writePasswordFile(data, role, ...passwords) {
  const file = join(data, 'keys', `${role}.password`);
  writeWhole(file, `${passwords.join('\n')}\n`);
  return file;
}

/**
 * Keeps the password of the embedded server's superuser.
 *
 * @param {string} data
 * @param {...string} passwords the one to use first; a further one while the server may not know it yet
 */
export function writeSuperuserPassword(data, ...passwords) {
  writeWhole(join(data, 'postgres', SUPERUSER_PASSWORD_FILE), `${passwords.join('\n')}\n`);
}

/** Passwords in the file of a role, the one to use first. */
export function passwordsIn(data, role) {
  const file = join(data, 'keys', `${role}.password`);
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/** Keeps the password of a database role. */
export function keepDatabasePassword(data, role, password) {
  const kept = { ...databasePasswordsOf(data, []), [role]: password };
  writeWhole(join(data, PASSWORDS_FILE), `${JSON.stringify(kept, undefined, 2)}\n`);
}

/** The file, in the folder of keys, with the public keys of all processes. */
export const PUBLIC_KEYS_FILE = 'public-keys.json';

/** Further keys of a process while its key changes: the one to come, and the one before. */
const CHANGING = ['.next', '.old'];

/** Writes the public keys of all processes: of each the one in use first, and those that it changes from or to. */
function writePublicKeys(file, services) {
  const publicOf = (path) =>
    createPublicKey(createPrivateKey(readFileSync(path, 'utf8'))).export({ type: 'spki', format: 'pem' });
  const keys = services.map(({ name }) => {
    const own = file(`${name}.key`);
    const further = CHANGING.map((suffix) => `${own}${suffix}`).filter((path) => existsSync(path));
    return [name, [own, ...further].map(publicOf).join('')];
  });
  writeWhole(file(PUBLIC_KEYS_FILE), `${JSON.stringify(Object.fromEntries(keys), undefined, 2)}\n`);
}

const newIdentityKey = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).trim();

/**
 * The steps by which the processes' keys change while they run. After each the files have to reach every process before the next; one
 * that was interrupted may be taken again.
 *
 * - `prepare` makes the keys to come, and has them believed beside those in use
 * - `swap` has each process sign with its new key; the old ones are still believed
 * - `finish` has the old ones believed no more
 *
 * @type {Readonly<Record<'prepare' | 'swap' | 'finish', (folder: string, services: readonly import('../catalogue.mjs').Service[]) => void>>}
 */
export const IDENTITY_KEY_STEPS = {
  prepare: (folder, services) => changeKeys(folder, services, (own) => keptSecret(`${own}.next`, newIdentityKey)),
  swap: (folder, services) =>
    changeKeys(folder, services, (own) => {
      if (!existsSync(`${own}.next`)) return;
      writeWhole(`${own}.old`, readFileSync(own, 'utf8'));
      renameSync(`${own}.next`, own);
    }),
  finish: (folder, services) => changeKeys(folder, services, (own) => rmSync(`${own}.old`, { force: true })),
};

function changeKeys(folder, services, change) {
  const file = (name) => join(folder, 'keys', name);
  for (const { name } of services) change(file(`${name}.key`));
  writePublicKeys(file, services);
}

/**
 * Makes the keys of an installation in `keys/` of a folder: an Ed25519 pair per process (D3), and the keys that services derive from the
 * instance's secret. A service gets its derived key and not the secret. Public and derived keys are written anew each time, so no two files
 * can disagree; a file has a line for each secret. Keys of digests are made once and stay.
 *
 * @param {string} data
 * @param {readonly string[]} secrets the one in use first
 * @param {readonly import('../catalogue.mjs').Service[]} services
 * @returns {{ file: (name: string) => string }} path of a file of keys
 * @throws {LaunchFailure} while there are two secrets and a key that stays is missing
 */
export function keysOf(data, secrets, services) {
  const file = (name) => join(data, 'keys', name);
  for (const { name, keys } of services) {
    keptSecret(file(`${name}.key`), newIdentityKey);
    for (const key of keys) {
      const derived = secrets.map((secret) =>
        Buffer.from(hkdfSync('sha256', secret, '', key.label, 32)).toString('hex'),
      );
      // Which of two secrets the digests were made with is not known here: on a machine it is the last, in a cluster it may be the first.
      if (key.stays && secrets.length > 1 && !existsSync(file(key.file))) {
        throw new LaunchFailure(`${file(key.file)} is missing: make it with the secret alone that was used before`);
      }
      if (key.stays) keptSecret(file(key.file), () => derived[0]);
      else writeWhole(file(key.file), `${derived.join('\n')}\n`);
    }
  }
  writePublicKeys(file, services);
  return { file };
}

/**
 * The files of keys that a process reads.
 *
 * @param {import('../catalogue.mjs').Service} service
 * @returns {string[]}
 */
export function keyFilesOf({ name, keys, variables }) {
  const trusts = variables.includes('SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE') ? [PUBLIC_KEYS_FILE] : [];
  return [`${name}.key`, ...trusts, ...keys.map(({ file }) => file)];
}

/**
 * The record of running processes, by which the next start finds what a killed launcher left.
 *
 * @param {string} data
 */
export function processRecord(data) {
  const file = join(data, 'processes.json');
  const running = new Map();
  const save = () => writeWhole(file, JSON.stringify([...running.values()]));
  return {
    /** Ends what an earlier launcher left running. @returns {Promise<string[]>} the names */
    async endOrphans() {
      const recorded = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
      const orphans = recorded.filter(({ pid, start }) => processStart(pid) === start);
      const gone = await Promise.all(
        orphans.map(({ name, pid, start }) =>
          endProcess(pid, start, name === POSTGRES ? ORPHAN_DATABASE_SIGNALS : ORPHAN_SIGNALS),
        ),
      );
      const stubborn = orphans.find((_, index) => !gone[index]);
      if (stubborn)
        throw new LaunchFailure(`process ${stubborn.pid} (${stubborn.name}) of an earlier run does not end`);
      save();
      return orphans.map(({ name }) => name);
    },
    add(name, pid) {
      const start = processStart(pid);
      if (start === undefined) return;
      running.set(name, { name, pid, start });
      save();
    },
    clear() {
      running.clear();
      save();
    },
  };
}

const filesIn = (data, folder) => readdirSync(join(data, folder)).map((name) => join(folder, name));

/** Takes from an entry what `mode` does not allow; an earlier release, or a copy, may have left it open. */
function closeToOthers(path, mode) {
  const found = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((found & ~mode & 0o077) === 0) return;
  try {
    chmodSync(path, found & (mode | 0o700));
  } catch (error) {
    // It belongs to somebody else, who has lent it; or another launcher, which holds the lock, has just taken it away.
    if (error.code !== 'EPERM' && error.code !== 'ENOENT') throw error;
  }
}

function keptSecret(file, make) {
  if (!existsSync(file)) writeWhole(file, `${make()}\n`);
  return readFileSync(file, 'utf8').trim();
}

/** A file is old or new, never half: written beside, forced to disk, renamed. */
function writeWhole(file, content) {
  const draft = `${file}.new`;
  writeFileSync(draft, content, { mode: 0o600, flush: true });
  renameSync(draft, file);
}
