import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@switchyard/telemetry';
import { askAgainMs, type Owner, owners } from '../domain/pending-change';
import type { PendingChanges } from './change.ports';
import type { Round } from './render-changes';

/** Milliseconds that a process keeps the events of an owner to itself. */
const leaseMs = 15_000;
/** Milliseconds between two looks without a notice, which is lost where the connection that listens breaks. */
const lookMs = 30_000;
/** Milliseconds between two looks while another process holds the lease: it may have died. */
const lookHeldMs = 1_000;
/** Milliseconds of the first pause after a failure; it doubles up to the longest. */
const firstPauseMs = 200;
const longestPauseMs = 10_000;

/** What the workers need. */
export interface WorkOffEdges {
  readonly pending: PendingChanges;
  /** One round for each owner. */
  readonly rounds: Readonly<Record<Owner, () => Promise<Round>>>;
  /** Calls `wake` when events came. */
  readonly onPending: (wake: () => void) => () => void;
  /** Name of this process among those that work. */
  readonly holder: string;
}

/** Starts one worker for each owner; what it returns ends them after their round. */
export function workOffChanges({ pending, rounds, onPending, holder }: WorkOffEdges): { close(): Promise<void> } {
  const stopping = new AbortController();
  let woken = new AbortController();
  const unlisten = onPending(() => {
    woken.abort();
    woken = new AbortController();
  });

  const wait = (ms: number, wake?: AbortSignal): Promise<void> =>
    pause(ms, undefined, {
      signal: wake === undefined ? stopping.signal : AbortSignal.any([stopping.signal, wake]),
      ref: false,
    }).catch(() => undefined);

  async function worker(owner: Owner): Promise<void> {
    let failures = 0;
    const fail = async (): Promise<void> => {
      await wait(Math.min(firstPauseMs * 2 ** failures, longestPauseMs));
      failures += 1;
    };
    while (!stopping.signal.aborted) {
      // Taken before the look: an event that comes right after it wakes at once.
      const { signal } = woken;
      try {
        const lease = await pending.lease(owner, holder, leaseMs);
        const round = lease === 'taken' ? await rounds[owner]() : 'idle';
        if (round === 'failed') await fail();
        else failures = 0;
        if (lease === 'held') await wait(lookHeldMs);
        // Events wait, and none can be rendered: a part of their owner is away.
        else if (round === 'idle') await wait(lease === 'taken' ? askAgainMs : lookMs, signal);
      } catch (error) {
        if (failures === 0) logger.warn({ err: error, owner }, 'events wait for their owner to render them');
        await fail();
      }
    }
  }

  const running = owners.map(worker);
  return {
    async close() {
      stopping.abort();
      unlisten();
      await Promise.all(running);
      await pending.release(holder).catch(() => undefined);
    },
  };
}
