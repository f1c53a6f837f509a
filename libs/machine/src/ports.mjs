import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Below the ephemeral range of Linux (32768…) and macOS (49152…): an outgoing connection never takes the port of a
// process that is being restarted.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const ATTEMPTS = 200;

// Ports that launchers of this machine have given to processes which may take seconds to listen: two that start at the same time would
// else choose the same one.
const CLAIMS = join(tmpdir(), 'switchyard-ports');
/** @type {Set<string>} */
const claimed = new Set();

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function release() {
  for (const file of claimed) rmSync(file, { force: true });
  try {
    rmdirSync(CLAIMS);
  } catch {
    // Others still claim.
  }
}

/**
 * Claims a port until this process ends. A claim whose process is dead counts for nothing; where none can be written there is none.
 *
 * @param {number} port
 * @returns {boolean} false while another process claims it
 */
function claim(port) {
  const file = join(CLAIMS, String(port));
  try {
    mkdirSync(CLAIMS, { recursive: true });
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') return true;
    let holder;
    try {
      holder = Number(readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
    // An empty claim is being written.
    if (!(holder > 0) || (holder !== process.pid && isAlive(holder))) return false;
    rmSync(file, { force: true });
    return claim(port);
  }
  if (claimed.size === 0) process.once('exit', release);
  claimed.add(file);
  return true;
}

/**
 * Whether a TCP port can be listened on right now.
 *
 * @param {number} port
 * @param {string} [host] address to listen on; every address when left out
 * @returns {Promise<boolean>}
 */
export function portIsFree(port, host) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/**
 * A free TCP port of the loopback address (20000 to 32000), never one in `taken`, nor one that another launcher has given away.
 *
 * @param {Set<number>} [taken] ports already given away; the answer is added to it
 * @returns {Promise<number>}
 */
export async function freePort(taken = new Set()) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (!taken.has(port) && claim(port) && (await portIsFree(port, '127.0.0.1'))) {
      taken.add(port);
      return port;
    }
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}
