import { readFileSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** Milliseconds for which transfers move at a time: what the system keeps of a burst is worked off soon after it. */
const burst = 2;

/** The longest rest after a burst, in bursts: transfers keep at least a ninth of the time. */
const longestRest = 8;

/** Milliseconds between two looks at how long this process waits for a processor. */
const lookEvery = 50;

/** Shares of the time that this process waits: below the first one transfers rest less, above the second one more. */
const [calm, crowded] = [0.05, 0.1];

/** Milliseconds after the last answer for which transfers give way to the next request. */
const goneAfter = 500;

/** Where the bytes of a transfer go. */
type Sink = Pick<Writable, 'cork' | 'uncork'>;

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
 * While other requests come and this process waits for a processor, transfers move in short bursts with rests between them, which grow until
 * it waits no more. To stand still during a request would be too late: what the system has taken over by then keeps receivers busy for
 * longer than the request takes. Where the processors are idle, transfers are as fast as they can be.
 */
export function giveWay(
  { now, waited }: GiveWayClock = { now: () => performance.now(), waited: waitedOnLinux },
): GiveWay {
  const transfers = new Set<Sink>();
  let lastAnswer = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let resting = false;
  /** Length of a rest, in bursts. */
  let rest = 0;
  let look: { readonly at: number; readonly waited: number } | undefined;

  function adapt(): void {
    const at = now();
    if (look !== undefined && at - look.at < lookEvery) return;
    const total = waited();
    if (total === undefined) return;
    if (look !== undefined) {
      const share = (total - look.waited) / (at - look.at);
      if (share > crowded) rest = Math.min(rest + 1, longestRest);
      else if (share < calm) rest = Math.max(rest - 1, 0);
    }
    look = { at, waited: total };
  }

  function turn(): void {
    timer = undefined;
    const goesOn = transfers.size > 0 && now() - lastAnswer <= goneAfter;
    const rests = goesOn && !resting && rest > 0;
    if (resting) for (const sink of transfers) sink.uncork();
    if (rests) for (const sink of transfers) sink.cork();
    resting = rests;
    if (!goesOn) {
      rest = 0;
      look = undefined;
      return;
    }
    adapt();
    timer = setTimeout(turn, resting ? rest * burst : rest > 0 ? burst : lookEvery);
  }

  return {
    answered() {
      lastAnswer = now();
      if (timer === undefined && transfers.size > 0) turn();
    },
    join(sink) {
      transfers.add(sink);
      if (resting) sink.cork();
      return () => {
        if (transfers.delete(sink) && resting) sink.uncork();
      };
    },
  };
}
