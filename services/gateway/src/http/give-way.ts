import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** The longest time between two portions, in milliseconds: at some 64 KiB a portion transfers keep 13 MB/s. */
const longestPause = 5;

/** Transfers of which one moves at each portion: more of them move by several, so that each keeps a share of its own. */
const mostInTurn = 16;

/** Milliseconds between two looks at how long this process waits for a processor. */
const lookEvery = 50;

/** Shares of the time that this process waits: below the first one transfers rest less, above the second one more. */
const [calm, crowded] = [0.02, 0.05];

/**
 * Milliseconds for which this process must have been calm before transfers are free again. Being free is a try: where processors are still
 * short it disturbs the requests of some 100 ms.
 */
const calmFor = 5_000;

/** Milliseconds after the last answer for which transfers give way to the next request. */
const goneAfter = 500;

/** Transfers that one turn looks at. */
const mostLookedAt = 64;

/** Where the bytes of a transfer go. */
type Sink = Pick<Writable, 'cork' | 'uncork' | 'on' | 'off'>;

/** What it is measured by; for tests. */
export interface GiveWayClock {
  /** Now, in milliseconds. */
  now(): number;
  /** Milliseconds for which this process has waited for a processor; undefined where the system does not say. */
  waited(): number | undefined;
}

/** Linux counts the time that the main thread was ready to run and did not. */
function waitedOnLinux(): number | undefined {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return undefined;
  }
}

/** Lets requests that are soon answered pass large files, which would take all processors. */
export interface GiveWay {
  /** Notes that a request was answered that is no transfer. */
  answered(): void;
  /** Begins a transfer, which may stand still from now on; what it returns ends it, and may be called again. */
  join(sink: Sink): () => void;
}

/**
 * While other requests come and this process waits for a processor, transfers move by small portions with pauses between them, which grow
 * until it waits no more. A portion is what one socket takes before it says to wait: larger ones would keep receivers busy for longer than
 * a request takes. To stand still during a request would be too late for the same reason. Where the processors are idle, transfers are as
 * fast as they can be.
 */
export function giveWay(
  { now, waited }: GiveWayClock = { now: () => performance.now(), waited: waitedOnLinux },
): GiveWay {
  /** In the order of their turns. */
  const transfers = new Set<Sink>();
  /** Those that have let all out since their last turn: one whose receiver takes nothing uses up no turn. */
  const moving = new Set<Sink>();
  let lastAnswer = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  /** Milliseconds between two portions; 0: transfers are free. */
  let interval = 0;
  let crowdedAt = Number.NEGATIVE_INFINITY;
  let look: { readonly at: number; readonly waited: number } | undefined;

  function adapt(): void {
    const at = now();
    if (look !== undefined && at - look.at < lookEvery) return;
    const total = waited();
    if (total === undefined) return;
    if (look !== undefined) {
      const share = (total - look.waited) / (at - look.at);
      if (share > crowded) {
        crowdedAt = at;
        pace(Math.min(interval * 2 || 1, longestPause));
      } else if (share < calm && (interval > 1 || at - crowdedAt > calmFor)) pace(Math.max(interval - 1, 0));
    }
    look = { at, waited: total };
  }

  function pace(milliseconds: number): void {
    if (interval === 0 && milliseconds > 0) for (const sink of transfers) sink.cork();
    if (interval > 0 && milliseconds === 0) for (const sink of transfers) sink.uncork();
    interval = milliseconds;
  }

  function passPortions(): void {
    let turns = Math.max(1, Math.ceil(moving.size / mostInTurn));
    for (const sink of [...transfers].slice(0, mostLookedAt)) {
      transfers.delete(sink);
      transfers.add(sink);
      const usesTurn = moving.delete(sink);
      sink.uncork();
      sink.cork();
      if (usesTurn) turns -= 1;
      if (turns === 0) return;
    }
  }

  function turn(): void {
    timer = undefined;
    if (transfers.size === 0 || now() - lastAnswer > goneAfter) {
      pace(0);
      look = undefined;
      return;
    }
    if (interval > 0) passPortions();
    adapt();
    timer = setTimeout(turn, interval || lookEvery);
  }

  return {
    answered() {
      lastAnswer = now();
      if (timer === undefined && transfers.size > 0) turn();
    },
    join(sink) {
      const onDrain = (): void => void moving.add(sink);
      transfers.add(sink);
      moving.add(sink);
      sink.on('drain', onDrain);
      if (interval > 0) sink.cork();
      return () => {
        sink.off('drain', onDrain);
        moving.delete(sink);
        if (transfers.delete(sink) && interval > 0) sink.uncork();
      };
    },
  };
}
