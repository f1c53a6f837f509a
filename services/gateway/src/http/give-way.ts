import type { Writable } from 'node:stream';

/** Milliseconds for which transfers stand still at the most. */
const longestHold = 10;

/** Milliseconds after which a request is none that is soon answered: what waits for others, or for a slow sender. */
const soon = 250;

/** Where the bytes of a transfer go. */
type Sink = Pick<Writable, 'cork' | 'uncork'>;

/** Lets requests that are soon answered pass large files, which would take all processors and all turns of this process. */
export interface GiveWay {
  /** Begins a request that is soon answered; what it returns ends it, and may be called again. */
  enter(): () => void;
  /** Begins a transfer, which may stand still from now on; what it returns ends it, and may be called again. */
  join(sink: Sink): () => void;
}

/**
 * Transfers stand still while such a request is under way, for 10 ms at the most; then they move for as long as they stood, so that
 * they have half of the time however many requests there are.
 * @param now the clock, in milliseconds; for tests
 */
export function giveWay(now: () => number = () => performance.now()): GiveWay {
  const transfers = new Set<Sink>();
  /** When they began; the oldest comes first. */
  const requests = new Set<{ readonly at: number }>();
  let heldSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function hold(): void {
    timer = undefined;
    const at = now();
    for (const request of requests) {
      if (at - request.at < soon) break;
      requests.delete(request);
    }
    if (requests.size === 0 || transfers.size === 0) return;
    heldSince = at;
    for (const sink of transfers) sink.cork();
    timer = setTimeout(release, longestHold);
  }
  function release(): void {
    if (heldSince === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(hold, now() - heldSince);
    heldSince = undefined;
    for (const sink of transfers) sink.uncork();
  }

  return {
    enter() {
      const request = { at: now() };
      requests.add(request);
      if (timer === undefined && transfers.size > 0) hold();
      return () => {
        requests.delete(request);
        if (requests.size === 0) release();
      };
    },
    join(sink) {
      transfers.add(sink);
      if (heldSince !== undefined) sink.cork();
      return () => {
        if (transfers.delete(sink) && heldSince !== undefined) sink.uncork();
      };
    },
  };
}
