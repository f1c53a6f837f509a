import { sqlState } from '@switchyard/database';
import { isAppError, unavailable } from '@switchyard/errors';
import type { Logger } from '@switchyard/telemetry';
import type { ItemOutcome } from '../../alerts';
import type { PayloadItem } from '../../payloads';
import type { ReceivedPayload } from '../domain/alert-batch';

/** Where payloads are written; see `alertIngest`. */
export interface PayloadStore {
  /** Writes all of them in one transaction. @returns the outcome of each item of each payload */
  write(payloads: readonly ReceivedPayload[]): Promise<readonly (readonly ItemOutcome[])[]>;
  /** Writes a payload and rolls back. Throws when the payload cannot be stored. */
  preview(payload: ReceivedPayload): Promise<void>;
}

/** Bounds of the writer. */
export interface WriterLimits {
  /** Items of one transaction, unless a single payload has more. */
  readonly batchItems: number;
  /** Most items that wait. */
  readonly waitingItems: number;
  /** Most bytes of payloads that wait. */
  readonly waitingBytes: number;
  /** Milliseconds that the oldest payload may wait before new ones are refused. */
  readonly refuseAfterMs: number;
  /** Milliseconds after which a payload that still waits is refused: its sender gives up soon. */
  readonly timeoutMs: number;
}

/** Payloads that one process keeps while the database is busy. */
export const defaultLimits: WriterLimits = {
  batchItems: 2_000,
  waitingItems: 20_000,
  waitingBytes: 64 << 20,
  refuseAfterMs: 5_000,
  timeoutMs: 8_000,
};

/** Thrown when more payloads wait than can be written in time. Nothing of this payload has been stored. */
export class Overloaded extends Error {}

/** Writes payloads in batches. */
export interface AlertWriter {
  /** Items that wait. */
  waiting(): number;
  /**
   * Resolves once the payload is stored durably.
   * @param bytes size of the payload as received
   * @throws Overloaded when too much waits
   * @throws AppError unavailable while the database cannot be reached, is full or read-only; the payload may have been
   * stored
   */
  write(payload: ReceivedPayload, bytes: number): Promise<readonly ItemOutcome[]>;
}

/** Classes of SQLSTATE that are faults of the data: invalid values, violated constraints, limits that a row exceeds. */
const dataFaults = /^(?:22|23|54)/;

/**
 * The failure of the database behind a failed write, as `unavailable`; undefined when the data are at fault. A full
 * disk or a read-only server refuses every item: to reject the items as not storable would lose them with a 200.
 */
function databaseFailureOf(error: unknown): unknown {
  if (isAppError(error, 'unavailable')) return error;
  const state = sqlState(error);
  return state === undefined || dataFaults.test(state) ? undefined : unavailable(error);
}

interface WaitingPayload {
  readonly payload: ReceivedPayload;
  readonly bytes: number;
  readonly since: number;
  readonly resolve: (outcomes: readonly ItemOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Builds the writer. A process runs one transaction at a time; payloads that arrive during it form the next batch. A
 * commit waits for the disk, so a batch costs little more than its first payload. When the data of a batch are at
 * fault, its payloads are written one by one, and a payload that cannot be stored is written without the items at
 * fault.
 */
export function alertWriter(
  store: PayloadStore,
  {
    limits = defaultLimits,
    log,
    now = () => performance.now(),
  }: { limits?: WriterLimits; log: Logger; now?: () => number },
): AlertWriter {
  const queue: WaitingPayload[] = [];
  let waitingItems = 0;
  let waitingBytes = 0;
  let isWriting = false;

  const isOverloaded = (items: number, bytes: number): boolean => {
    const [oldest] = queue;
    if (oldest === undefined) return false;
    return (
      waitingItems + items > limits.waitingItems ||
      waitingBytes + bytes > limits.waitingBytes ||
      now() - oldest.since > limits.refuseAfterMs
    );
  };

  function nextBatch(): WaitingPayload[] {
    const batch: WaitingPayload[] = [];
    let items = 0;
    for (let one = queue[0]; one !== undefined; one = queue[0]) {
      const { length } = one.payload.items;
      if (batch.length > 0 && items + length > limits.batchItems) break;
      queue.shift();
      waitingItems -= length;
      waitingBytes -= one.bytes;
      if (now() - one.since > limits.timeoutMs) one.reject(new Overloaded());
      else {
        batch.push(one);
        items += length;
      }
    }
    return batch;
  }

  async function writeBatch(batch: readonly WaitingPayload[]): Promise<void> {
    try {
      const outcomes = await store.write(batch.map(({ payload }) => payload));
      for (const [at, one] of batch.entries()) one.resolve(outcomes[at] ?? []);
    } catch (error) {
      const failure = databaseFailureOf(error);
      if (failure !== undefined) for (const one of batch) one.reject(failure);
      else if (batch.length > 1) for (const one of batch) await writeBatch([one]);
      else for (const one of batch) await writeWithoutFaults(one, error);
    }
  }

  async function writeWithoutFaults({ payload, resolve, reject }: WaitingPayload, cause: unknown): Promise<void> {
    try {
      const faults = new Set(await faultsOf(payload, payload.items));
      log.warn(
        { err: cause, project_id: payload.projectId, items: faults.size },
        'a payload could not be stored as it is',
      );
      const items = payload.items.map((item) => (faults.has(item) ? notStorable(item) : item));
      const [outcomes = []] = await store.write([{ ...payload, items }]);
      resolve(outcomes);
    } catch (error) {
      reject(error);
    }
  }

  /** The items that cannot be stored, by bisection: one of a thousand costs about twenty tries. */
  async function faultsOf(payload: ReceivedPayload, items: readonly PayloadItem[]): Promise<PayloadItem[]> {
    if (items.length === 0) return [];
    try {
      await store.preview({ ...payload, items });
      return [];
    } catch (error) {
      const failure = databaseFailureOf(error);
      if (failure !== undefined) throw failure;
      if (items.length === 1) return [...items];
    }
    const half = Math.ceil(items.length / 2);
    return [...(await faultsOf(payload, items.slice(0, half))), ...(await faultsOf(payload, items.slice(half)))];
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    try {
      while (queue.length > 0) {
        const batch = nextBatch();
        if (batch.length > 0) await writeBatch(batch);
      }
    } finally {
      isWriting = false;
    }
  }

  return {
    waiting: () => waitingItems,
    write: (payload, bytes) =>
      new Promise((resolve, reject) => {
        const { length } = payload.items;
        if (isOverloaded(length, bytes)) return reject(new Overloaded());
        queue.push({ payload, bytes, since: now(), resolve, reject });
        waitingItems += length;
        waitingBytes += bytes;
        if (!isWriting) void writeAll();
      }),
  };
}

const notStorable = (item: PayloadItem): PayloadItem => ({
  kind: 'rejected',
  reason: 'not_storable',
  title: item.kind === 'reported' ? item.alert.title : item.title,
});
