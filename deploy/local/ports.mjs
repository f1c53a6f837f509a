import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the ephemeral range of Linux (32768…) and macOS (49152…): an outgoing connection never takes the port of a
// process that is being restarted.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const ATTEMPTS = 200;

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
 * A free TCP port of the loopback address (20000 to 32000), never one in `taken`.
 *
 * @param {Set<number>} [taken] ports already given away; the answer is added to it
 * @returns {Promise<number>}
 */
export async function freePort(taken = new Set()) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (!taken.has(port) && (await portIsFree(port, '127.0.0.1'))) {
      taken.add(port);
      return port;
    }
  }
  throw new Error(`no free port between ${FIRST_PORT} and ${LAST_PORT}`);
}
