import { setTimeout as sleep } from 'node:timers/promises';

const WINDOW_MS = 60_000;
const FIRST_BACKOFF_MS = 200;

/** Exit code of a process that refuses its configuration, as libs/config gives it (EX_CONFIG of `sysexits.h`). */
export const REFUSED_CONFIGURATION = 78;

/**
 * Keeps a set of units alive: one that dies is started again with growing pauses, from 0.2 s on. Five deaths of one unit
 * within a minute are given up on (D2).
 *
 * A unit that refuses its configuration at its first start is given up on at once: its environment stays what it is.
 * One that ran before was given the same, so a file or a server has changed to which it leads, which may be in the
 * midst of that while the others serve: it is started again, but five refusals in a row are given up on, however far
 * apart they are.
 *
 * @param {object} hooks
 * @param {(name: string, how: string, restartInMs: number) => void} hooks.onDeath
 * @param {(name: string, pid: number) => void} [hooks.onStart]
 * @param {(name: string, how: string) => void} hooks.onGiveUp the owner then calls `stop`
 * @param {(name: string, how: string) => void} hooks.onRefusal in its place where the unit refuses its configuration
 * @param {number} [hooks.maxDeaths] deaths of one unit within a minute, or refusals in a row, that are given up on (D2: 5)
 * @param {number} [hooks.maxPauseMs] what the pauses grow to (5,000)
 * @param {() => number} [hooks.now] milliseconds
 * @param {(ms: number, signal: AbortSignal) => Promise<void>} [hooks.pause]
 * @returns {Supervisor}
 *
 * @typedef {object} Running
 * @property {number} pid
 * @property {Promise<{ code: number | null, signal: string | null }>} exited
 * @property {() => Promise<void>} stop ends it, by force if it must
 *
 * @typedef {object} Unit
 * @property {string} name
 * @property {() => Promise<Running>} start
 *
 * @typedef {object} Supervisor
 * @property {(unit: Unit) => Promise<Running>} run starts a unit and keeps it alive; the first start may reject
 * @property {(order: string[][]) => Promise<void>} stop ends the named units, group by group, each group at once
 */
export function createSupervisor({
  onDeath,
  onStart = () => {},
  onGiveUp,
  onRefusal,
  maxDeaths = 5,
  maxPauseMs = 5_000,
  now = Date.now,
  pause = pauseFor,
}) {
  const running = new Map();
  const deaths = new Map();
  const refusals = new Map();
  const starting = new Set();
  const ending = new AbortController();

  async function run(unit) {
    const start = unit.start();
    starting.add(start);
    const process = await start.finally(() => starting.delete(start));
    // A stop that came while the unit was starting would otherwise miss it.
    if (ending.signal.aborted) {
      await process.stop();
      return process;
    }
    running.set(unit.name, process);
    onStart(unit.name, process.pid);
    process.exited.then((end) => afterDeath(unit, end));
    return process;
  }

  /** Whether a unit that ended so is not to be started again, as its configuration stays refused. */
  function staysRefused({ name }, { code }) {
    const isFirst = !refusals.has(name);
    const inRow = code === REFUSED_CONFIGURATION ? (refusals.get(name) ?? 0) + 1 : 0;
    refusals.set(name, inRow);
    return (isFirst && inRow > 0) || inRow >= maxDeaths;
  }

  async function afterDeath(unit, end) {
    running.delete(unit.name);
    let how = describe(end);
    if (!ending.signal.aborted && staysRefused(unit, end)) {
      onRefusal(unit.name, how);
      return;
    }
    while (!ending.signal.aborted) {
      const recent = [...(deaths.get(unit.name) ?? []), now()].filter((at) => now() - at < WINDOW_MS);
      deaths.set(unit.name, recent);
      if (recent.length >= maxDeaths) {
        onGiveUp(unit.name, how);
        return;
      }
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (recent.length - 1), maxPauseMs);
      onDeath(unit.name, how, backoff);
      await pause(backoff, ending.signal);
      if (ending.signal.aborted) return;
      try {
        await run(unit);
        return;
      } catch (error) {
        how = error.message;
      }
    }
  }

  return {
    run,
    async stop(order) {
      ending.abort();
      await Promise.allSettled(starting);
      for (const group of order) {
        await Promise.all(group.map((name) => running.get(name)?.stop()));
      }
    },
  };
}

function describe({ code, signal }) {
  return signal ? `ended by ${signal}` : `ended with exit code ${code}`;
}

async function pauseFor(milliseconds, signal) {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}
