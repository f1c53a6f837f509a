import { createHash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, lstatSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { amountOf, SHOW_MS } from './copy-tree.mjs';
import { LaunchFailure } from './failure.mjs';

/** The digests of what a backup contains, as `sha256sum -c` reads them. */
const SUMS = 'SHA256SUMS';
/** Files that are named when a backup is refused. */
const NAMED = 3;

/** Paths of all files of a folder, relative to it; folders in the order of their names. */
function* filesOf(folder, path = '') {
  for (const name of readdirSync(join(folder, path)).sort()) {
    const below = path === '' ? name : `${path}/${name}`;
    if (lstatSync(join(folder, below)).isDirectory()) yield* filesOf(folder, below);
    else yield below;
  }
}

/** The files that a list is of, in its order. */
function* filesIn(folder, isOurs) {
  for (const path of filesOf(folder)) if (path !== SUMS && isOurs(path)) yield path;
}

/** How `filesOf` orders two paths. */
function order(one, other) {
  const [parts, others] = [one.split('/'), other.split('/')];
  const at = parts.findIndex((part, place) => part !== others[place]);
  if (at === -1) return parts.length - others.length;
  return others[at] === undefined || parts[at] > others[at] ? 1 : -1;
}

/** Digests files; those that share their bytes by hard links once. Says how far it is. */
function digester(folder, { note, say }) {
  const shared = new Map();
  const read = { files: 0, bytes: 0 };
  let shown = Date.now();

  async function digestOf(path) {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(folder, path), { highWaterMark: 1 << 20 })) {
      hash.update(chunk);
      read.bytes += chunk.length;
      if (Date.now() - shown > SHOW_MS) {
        shown = Date.now();
        say(`    … ${amountOf(read)}`);
      }
    }
    return hash.digest('hex');
  }

  return async (path) => {
    const { dev, ino, nlink } = lstatSync(join(folder, path));
    const key = nlink > 1 ? `${dev} ${ino}` : undefined;
    const digest = shared.get(key) ?? (await digestOf(path));
    if (key !== undefined) shared.set(key, digest);
    read.files += 1;
    note(amountOf(read));
    return digest;
  };
}

/** As `sha256sum` writes names that are no line of their own. */
const written = (path) => path.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
const lineOf = (digest, path) => `${written(path) === path ? '' : '\\'}${digest}  ${written(path)}\n`;

function parse(line) {
  const [, escaped, digest, name] = /^(\\?)([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
  if (name === undefined) throw new LaunchFailure(`${SUMS} is damaged`);
  const signOf = (_, sign) => ({ n: '\n', r: '\r' })[sign] ?? sign;
  return { digest, path: escaped ? name.replace(/\\(.)/g, signOf) : name };
}

/**
 * Writes the digests of all files of a folder into it.
 *
 * @param {string} folder
 * @param {{ note: (text: string) => void, say: (text: string) => void, isOurs?: (path: string) => boolean }} options
 *   `isOurs`: whether a file is listed; all by default
 */
export async function writeSums(folder, { isOurs = () => true, ...progress }) {
  const digest = digester(folder, progress);
  const list = openSync(join(folder, SUMS), 'w', 0o600);
  try {
    for (const path of filesIn(folder, isOurs)) writeSync(list, lineOf(await digest(path), path));
  } finally {
    closeSync(list);
  }
}

/** Whether a folder has a list; backups of earlier releases have none. */
export const hasSums = (folder) => existsSync(join(folder, SUMS));

/**
 * Compares all files of a folder with its list.
 *
 * @param {string} folder
 * @param {{ note: (text: string) => void, say: (text: string) => void }} progress
 * @throws {LaunchFailure} when one is missing, was changed, or has come
 */
export async function checkSums(folder, progress) {
  const digest = digester(folder, progress);
  const damages = [];
  // What lies beside the copied folders is not put anywhere.
  const gained = (path) => path.includes('/') && damages.push(`${path} is not of it`);
  const there = filesIn(folder, (path) => path !== 'backup.json');
  let found = there.next();
  for await (const line of createInterface({ input: createReadStream(join(folder, SUMS)) })) {
    const { digest: expected, path } = parse(line);
    for (; !found.done && order(found.value, path) < 0; found = there.next()) gained(found.value);
    if (found.value !== path) {
      damages.push(`${path} is missing`);
      continue;
    }
    if ((await digest(path)) !== expected) damages.push(`${path} was changed`);
    found = there.next();
  }
  for (; !found.done; found = there.next()) gained(found.value);
  if (damages.length === 0) return;
  const more = damages.length > NAMED ? `, and ${damages.length - NAMED} more` : '';
  throw new LaunchFailure(`${folder} is damaged: ${damages.slice(0, NAMED).join(', ')}${more}`);
}
