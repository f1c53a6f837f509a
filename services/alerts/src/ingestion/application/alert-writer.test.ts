import { unavailable } from '@switchyard/errors';
import type { Logger } from '@switchyard/telemetry';
import type { ItemOutcome } from '../../alerts';
import type { PayloadItem } from '../../payloads';
import type { ReceivedPayload } from '../domain/alert-batch';
import { alertWriter, Overloaded, type PayloadStore, type WriterLimits } from './alert-writer';

const log = { warn: () => undefined } as unknown as Logger;
const limits: WriterLimits = {
  batchItems: 10,
  waitingItems: 30,
  waitingBytes: 1_000,
  refuseAfterMs: 5_000,
  timeoutMs: 8_000,
};

const item = (title: string): PayloadItem => ({ kind: 'reported', alert: { title } as never });
const payload = (...titles: string[]): ReceivedPayload => ({ projectId: 1, items: titles.map(item) }) as never;
const titleOf = (one: PayloadItem): string => (one.kind === 'reported' ? one.alert.title : `(${one.reason})`);
const titlesOf = (group: readonly ReceivedPayload[]): string[][] => group.map(({ items }) => items.map(titleOf));

/** A store that writes on demand, and refuses what is called bad. */
function heldStore() {
  const groups: string[][][] = [];
  const held: (() => void)[] = [];
  let failure: unknown;
  const refuse = (group: readonly ReceivedPayload[]) => {
    if (failure !== undefined) throw failure;
    if (
      titlesOf(group)
        .flat()
        .some((title) => title.startsWith('bad'))
    )
      throw new Error('refused');
  };
  const store: PayloadStore = {
    async write(group) {
      groups.push(titlesOf(group));
      await new Promise<void>((settle) => held.push(settle));
      refuse(group);
      return group.map(({ items }) =>
        items.map((one): ItemOutcome => ({ outcome: 'created', reason: undefined, iid: 1, title: titleOf(one) })),
      );
    },
    preview: async (one) => refuse([one]),
  };
  return {
    store,
    groups,
    fail: (error: unknown) => {
      failure = error;
    },
    /** Lets what is under way finish until nothing is left. */
    async release() {
      for (let quiet = 0; quiet < 20; quiet += 1) {
        for (const settle of held.splice(0)) {
          settle();
          quiet = 0;
        }
        await new Promise((settle) => setImmediate(settle));
      }
    },
  };
}

describe('a writer of payloads', () => {
  it('writes payloads that arrived during a write as one batch, in order, up to the limit of items', async () => {
    const { store, groups, release } = heldStore();
    const writer = alertWriter(store, { limits, log });
    const written = [writer.write(payload('a'), 1), ...['b', 'c'].map((title) => writer.write(payload(title), 1))];
    written.push(writer.write(payload(...'defghijkl'), 1), writer.write(payload(...'mnopqrstuvwxyz'), 1));
    await release();
    expect(groups).toEqual([[['a']], [['b'], ['c']], [[...'defghijkl']], [[...'mnopqrstuvwxyz']]]);
    expect((await Promise.all(written)).map((outcomes) => outcomes.length)).toEqual([1, 1, 1, 9, 14]);
  });

  it('refuses when too many items or bytes wait, and takes again when they have been written', async () => {
    const { store, release } = heldStore();
    const writer = alertWriter(store, { limits, log });
    const first = [writer.write(payload('a'), 1), writer.write(payload('b'), 900)];
    await expect(writer.write(payload('c'), 200)).rejects.toThrow(Overloaded);
    const second = writer.write(payload(...'c'.repeat(28)), 1);
    await expect(writer.write(payload('d', 'e'), 1)).rejects.toThrow(Overloaded);
    await release();
    await Promise.all([...first, second]);
    const third = writer.write(payload('f'), 5_000);
    await release();
    expect(await third).toHaveLength(1);
  });

  it('refuses new ones while the oldest waits too long, and in the end the oldest as well', async () => {
    const { store, groups, release } = heldStore();
    let now = 0;
    const writer = alertWriter(store, { limits, log, now: () => now });
    const first = writer.write(payload('a'), 1);
    const waiting = expect(writer.write(payload('b'), 1)).rejects.toThrow(Overloaded);
    now = 4_000;
    const younger = writer.write(payload('c'), 1);
    now = 5_001;
    await expect(writer.write(payload('d'), 1)).rejects.toThrow(Overloaded);
    now = 8_001;
    await release();
    await Promise.all([first, waiting, younger]);
    expect(groups).toEqual([[['a']], [['c']]]);
  });

  it('writes a group that fails by its data payload by payload, and a payload without what is at fault', async () => {
    const { store, groups, release } = heldStore();
    const writer = alertWriter(store, { limits, log });
    const written = [
      writer.write(payload('a'), 1),
      writer.write(payload('b', 'bad 1', 'c', 'bad 2'), 1),
      writer.write(payload('d'), 1),
    ];
    await release();
    const outcomes = await Promise.all(written);
    expect(outcomes.map((items) => items.map(({ title }) => title))).toEqual([
      ['a'],
      ['b', '(not_storable)', 'c', '(not_storable)'],
      ['d'],
    ]);
    expect(groups).toHaveLength(5);
  });

  it.each([
    ['away', unavailable()],
    ['full', Object.assign(new Error('could not extend file'), { code: '53100' })],
    ['not to be written', Object.assign(new Error('cannot execute UPDATE'), { code: '25006' })],
  ])('refuses a whole group when the database is %s, and tries nothing twice', async (_how, failure) => {
    const { store, groups, release, fail } = heldStore();
    const writer = alertWriter(store, { limits, log });
    fail(failure);
    const refused = ['a', 'b', 'c'].map((title) =>
      expect(writer.write(payload(title), 1)).rejects.toThrow('unavailable'),
    );
    await release();
    await Promise.all(refused);
    expect(groups).toEqual([[['a']], [['b'], ['c']]]);
  });
});
