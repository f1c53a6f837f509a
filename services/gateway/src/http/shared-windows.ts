import { hash, randomUUID } from 'node:crypto';
import { type Repeating, repeat } from '@switchyard/background';
import type { RequestCountServiceService } from '@switchyard/protos/groups_admin/v1/request_count';
import type { RpcClient } from '@switchyard/rpc';
import { logger } from '@switchyard/telemetry';
import { countingWindows, type Windows } from './rate-limits';

/** Milliseconds between two exchanges of counts: for as long gateways do not know of each other's requests. */
const exchangeMs = 250;

/** Milliseconds without an exchange after one that failed. */
const restMs = 5_000;

/** Counters of one exchange, and those that wait for it; what comes beyond is counted by this gateway alone. */
const mostOfExchange = 1_000;
const mostWaiting = 10_000;

/** Counts since the last exchange. */
interface Unsent {
  readonly windows: Windows;
  readonly name: string;
  readonly seconds: number;
  added: number;
}

/** Counters that all gateways share. */
export interface SharedWindows {
  /** Counters of one purpose, apart from those of others. */
  of(purpose: string): Windows;
  /** Exchanges counts until it is closed. */
  start(): Repeating;
}

/**
 * Counters in memory, as `countingWindows` has them, with what other gateways have counted: no request waits for them.
 * Counts that groups-admin may not have taken are not sent again, so none counts twice; while it is away each gateway
 * counts for itself (ADR 77).
 */
export function sharedWindows(client: RpcClient<typeof RequestCountServiceService>, now = Date.now): SharedWindows {
  const unsent = new Map<string, Unsent>();

  function note(purpose: string, windows: Windows, name: string, seconds: number, added: number): void {
    const id = `${purpose}\0${name}`;
    const noted = unsent.get(id);
    if (noted !== undefined) noted.added += added;
    else if (unsent.size < mostWaiting) unsent.set(id, { windows, name, seconds, added });
  }

  /** When the next exchange may be tried; 0 while they succeed. */
  let restsUntil = 0;

  async function exchange(signal: AbortSignal): Promise<void> {
    if (now() < restsUntil) return;
    try {
      await exchangeCounts(signal);
      if (restsUntil > 0) logger.info('counts of requests are shared again');
      restsUntil = 0;
    } catch (error) {
      if (restsUntil === 0) logger.warn({ err: error }, 'counts of requests are not shared: this gateway counts alone');
      restsUntil = now() + restMs;
    }
  }

  async function exchangeCounts(signal: AbortSignal): Promise<void> {
    const sent = [...unsent].slice(0, mostOfExchange);
    if (sent.length === 0) return;
    for (const [id] of sent) unsent.delete(id);
    const counts = sent.map(([id, { added, seconds }]) => ({
      key: hash('sha256', id, 'buffer').subarray(0, 16),
      added,
      seconds,
    }));
    const { sums } = await client.countRequests({ counts }, { requestId: randomUUID(), signal, timeoutMs: 5_000 });
    for (const [at, { count, endsInMs }] of sums.entries()) {
      const [id, { windows, name, seconds }] = sent[at] as (typeof sent)[number];
      const endsAt = now() + endsInMs;
      const found = windows.find(name);
      // Earlier counts may have been lost on the way: then this gateway knows of more, in the same window alone. The end of
      // one is known as exactly as replies are quick.
      const known = found && Math.abs(found.endsAt - endsAt) < seconds * 500 ? found.count : 0;
      windows.put(name, { count: Math.max(known, count + (unsent.get(id)?.added ?? 0)), endsAt });
    }
  }

  return {
    of(purpose) {
      const windows = countingWindows(now);
      return {
        ...windows,
        count(name, seconds) {
          note(purpose, windows, name, seconds, 1);
          return windows.count(name, seconds);
        },
        discount(name) {
          const window = windows.find(name);
          if (window === undefined) return;
          note(purpose, windows, name, Math.max(1, Math.ceil((window.endsAt - now()) / 1_000)), -1);
          windows.discount(name);
        },
      };
    },
    start: () => repeat('counts of requests', exchangeMs, exchange),
  };
}
