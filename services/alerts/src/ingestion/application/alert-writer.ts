import { sqlState } from '@switchyard/database';
import { isAppError, unavailable } from '@switchyard/errors';
import type { Logger } from '@switchyard/telemetry';
import type { ItemOutcome } from '../../alerts';
import type { PayloadItem } from '../../payloads';
import type { ReceivedPayload } from '../domain/alert-batch';

/** Where payloads are written; see `alertIngest`. */
export interface PayloadStore {
  /** All of them in one transaction; per payload, per item, what became of it. */
  write(payloads: readonly ReceivedPayload[]): Promise<readonly (readonly ItemOutcome[])[]>;
  /** Throws when the payload cannot be stored; stores nothing. */
  rehearse(payload: ReceivedPayload): Promise<void>;
}

/** Bounds of the writer. */
export interface WriterLimits {
  /** Items of one transaction, unless a single payload has more. */
  readonly batchItems: number;
  /** Items that wait at the most. */
  readonly waitingItems: number;
  /** Bytes of payloads that wait at the most. */
  readonly waitingBytes: number;
  /** Milliseconds after which those that wait make new ones be refused. */
  readonly patienceMs: number;
  /** Milliseconds after which a payload that still waits is refused: its sender is about to give up. */
  readonly giveUpMs: number;
}

/** What one process holds of payloads while the database is busy. */
export const defaultLimits: WriterLimits = {
  batchItems: 2_000,
  waitingItems: 20_000,
  waitingBytes: 64 << 20,
  patienceMs: 5_000,
  giveUpMs: 8_000,
};

/** Thrown when more waits than is going to be written in time. Nothing of the payload has been stored. */
export class Overloaded extends Error {}

/** Writes payloads in groups. */
export interface AlertWriter {
  /** Items that wait. */
  waiting(): number;
  /**
   * Resolves once the payload is stored durably.
   * @param bytes size of the payload as it came
   * @throws Overloaded when too much waits
   * @throws AppError unavailable while the database is away, full or not to be written; whether the payload was stored is then unknown
   */
  write(payload: ReceivedPayload, bytes: number): Promise<readonly ItemOutcome[]>;
}

/** Classes of SQLSTATE that speak of the data: exceptions of values, violated constraints, limits that a row exceeds. */
const ofData = /^(?:22|23|54)/;

/**
 * What a failed write says of the database, as `unavailable`; undefined when the data are at fault. A full disk, or a standby that was
 * promoted elsewhere, refuses every item alike: to call them not storable would lose them with a 200.
 */
function troubleOf(error: unknown): unknown {
  if (isAppError(error, 'unavailable')) return error;
  const state = sqlState(error);
  return state === undefined || ofData.test(state) ? undefined : unavailable(error);
}

interface Waiting {
  readonly payload: ReceivedPayload;
  readonly bytes: number;
  readonly since: number;
  readonly resolve: (outcomes: readonly ItemOutcome[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Builds the writer: one transaction under way per process, and whatever has come meanwhile goes into the next. A commit waits for the
 * disk, so that a group costs little more than its first payload. A group that fails by its data is written payload by payload, and a
 * payload that cannot be stored without the items at fault: nobody's neighbour is refused.
 */
export function alertWriter(
  store: PayloadStore,
  {
    limits = defaultLimits,
    log,
    now = () => performance.now(),
  }: { limits?: WriterLimits; log: Logger; now?: () => number },
): AlertWriter {
  const queue: Waiting[] = [];
  let waitingItems = 0;
  let waitingBytes = 0;
  let isWriting = false;

  const isOverloaded = (items: number, bytes: number): boolean => {
    const [oldest] = queue;
    if (oldest === undefined) return false;
    return (
      waitingItems + items > limits.waitingItems ||
      waitingBytes + bytes > limits.waitingBytes ||
      now() - oldest.since > limits.patienceMs
    );
  };

  function nextGroup(): Waiting[] {
    const group: Waiting[] = [];
    let items = 0;
    for (let one = queue[0]; one !== undefined; one = queue[0]) {
      const { length } = one.payload.items;
      if (group.length > 0 && items + length > limits.batchItems) break;
      queue.shift();
      waitingItems -= length;
      waitingBytes -= one.bytes;
      if (now() - one.since > limits.giveUpMs) one.reject(new Overloaded());
      else {
        group.push(one);
        items += length;
      }
    }
    return group;
  }

  async function writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await store.write(group.map(({ payload }) => payload));
      for (const [at, one] of group.entries()) one.resolve(outcomes[at] ?? []);
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble !== undefined) for (const one of group) one.reject(trouble);
      else if (group.length > 1) for (const one of group) await writeGroup([one]);
      else for (const one of group) await writeWithoutFaults(one, error);
    }
  }

  async function writeWithoutFaults({ payload, resolve, reject }: Waiting, cause: unknown): Promise<void> {
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

  /** The items that cannot be stored, found by halves: one at fault among a thousand costs some twenty tries. */
  async function faultsOf(payload: ReceivedPayload, items: readonly PayloadItem[]): Promise<PayloadItem[]> {
    if (items.length === 0) return [];
    try {
      await store.rehearse({ ...payload, items });
      return [];
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble !== undefined) throw trouble;
      if (items.length === 1) return [...items];
    }
    const half = Math.ceil(items.length / 2);
    return [...(await faultsOf(payload, items.slice(0, half))), ...(await faultsOf(payload, items.slice(half)))];
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    try {
      while (queue.length > 0) {
        const group = nextGroup();
        if (group.length > 0) await writeGroup(group);
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
