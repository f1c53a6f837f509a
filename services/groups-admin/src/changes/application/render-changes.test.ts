import type { Database } from '@switchyard/database';
import { unavailable } from '@switchyard/errors';
import { askAgainMs, mostTries, type PendingChange } from '../domain/pending-change';
import { type PendingChanges, RenderedTooLate } from './change.ports';
import { renderChanges } from './render-changes';

/** Project of an event of these tests: a digit in its id. */
const projectOf = (eventId: string): number => Number(/\d/.exec(eventId)?.[0] ?? 0);

/**
 * A queue in memory, and the rounds over it.
 * @param fails what rendering an event throws
 * @param awayFor the part of the owner that an event waits for
 */
function queueOf(
  eventIds: readonly string[],
  fails: (eventId: string) => Error | undefined,
  awayFor: (eventId: string) => string | undefined = () => undefined,
) {
  const event = { type: 't', body: '', tries: 0 };
  let waiting: PendingChange[] = eventIds.map((eventId, at) => ({
    ...event,
    ...{ id: at + 1, eventId, projectId: projectOf(eventId) },
  }));
  const recorded: string[] = [];
  const passedOver: string[] = [];
  const asked: string[][] = [];
  const read: number[] = [];
  const resting = new Map<number, string>();
  const remove = (ids: readonly number[]) => {
    waiting = waiting.filter(({ id }) => !ids.includes(id));
  };
  const pending = {
    oldest: async (_owner: string, after: number, limit: number) => {
      read.push(after);
      return waiting.filter(({ id, projectId }) => id > after && !resting.has(projectId)).slice(0, limit);
    },
    rest: async (_tx: unknown, _owner: string, away: ReadonlyMap<number, string>) => {
      for (const [projectId, part] of away) resting.set(projectId, part);
    },
    resting: async () =>
      [...new Set(resting.values())].map((away) => ({
        away,
        event: waiting.find(({ projectId }) => resting.get(projectId) === away),
      })),
    wake: async (_owner: string, away: string) => {
      for (const [projectId, part] of [...resting]) if (part === away) resting.delete(projectId);
    },
    failed: async (failed: number) => {
      waiting = waiting.map((event) => (event.id === failed ? { ...event, tries: event.tries + 1 } : event));
    },
    passOver: async (_owner: string, { id, eventId }: PendingChange) => {
      remove([id]);
      passedOver.push(eventId);
    },
    take: async (_tx: unknown, ids: readonly number[]) => {
      recorded.push(...waiting.filter(({ id }) => ids.includes(id)).map(({ eventId }) => eventId));
      remove(ids);
      return true;
    },
  } as unknown as PendingChanges;
  const round = renderChanges(
    'alerts',
    async (events) => {
      asked.push(events.map(({ eventId }) => eventId));
      for (const { eventId } of events) {
        const error = fails(eventId);
        if (error !== undefined) throw error;
      }
      return events.map(({ eventId }) => ({ eventId, bodies: [], away: awayFor(eventId) }));
    },
    {
      db: { transaction: (work: (tx: never) => unknown) => work({} as never) } as unknown as Database,
      pending,
      changes: { append: async () => [] } as never,
      followers: [],
      countPassedOver: () => undefined,
    },
  );
  const add = (eventId: string) => {
    waiting = [...waiting, { ...event, id: (waiting.at(-1)?.id ?? 0) + 1, eventId, projectId: projectOf(eventId) }];
  };
  return { round, add, asked, read, recorded, passedOver, waiting: () => waiting.map(({ eventId }) => eventId) };
}

const late = () => new RenderedTooLate('late');

/** Rounds until one finds nothing, at most `most`. */
async function rounds(round: () => Promise<string>, most: number): Promise<string[]> {
  const ends: string[] = [];
  while (ends.length < most && ends.at(-1) !== 'idle') ends.push(await round());
  return ends;
}

describe('an event that is never rendered in time', () => {
  it('is passed over after some tries while its owner renders the next one', async () => {
    const queue = queueOf(['a', 'slow', 'b'], (id) => (id === 'slow' ? late() : undefined));
    expect((await rounds(queue.round, 50)).filter((end) => end === 'failed')).toHaveLength(mostTries - 1);
    expect([queue.recorded, queue.passedOver, queue.waiting()]).toEqual([['a', 'b'], ['slow'], []]);
  });

  it('waits while its owner renders none in time, and goes on once it does', async () => {
    let isOverloaded = true;
    const queue = queueOf(['a', 'b'], () => (isOverloaded ? late() : undefined));
    await rounds(queue.round, 20);
    expect([queue.passedOver, queue.waiting()]).toEqual([[], ['a', 'b']]);
    isOverloaded = false;
    await rounds(queue.round, 5);
    expect([queue.recorded, queue.passedOver]).toEqual([['a', 'b'], []]);
  });

  it('waits as the last of its queue: it holds up no other', async () => {
    const queue = queueOf(['slow'], late);
    await rounds(queue.round, 20);
    expect([queue.passedOver, queue.waiting()]).toEqual([[], ['slow']]);
  });
});

it('an owner that is away loses no event, and none is counted as tried', async () => {
  const queue = queueOf(['a', 'b'], () => unavailable('away'));
  for (let n = 0; n < mostTries * 2; n += 1) await expect(queue.round()).rejects.toMatchObject({ kind: 'unavailable' });
  expect([queue.passedOver, queue.waiting()]).toEqual([[], ['a', 'b']]);
});

describe('a part of an owner that is away', () => {
  let now = 0;
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  it('holds up its own projects alone; it is asked again with one event, and then they go on in order', async () => {
    const away = new Set(['fast']);
    const queue = queueOf(
      ['1a', '2a', '1b', '2b', '3a'],
      () => undefined,
      (id) => (projectOf(id) > 1 && away.has('fast') ? 'fast' : undefined),
    );
    expect(await rounds(queue.round, 5)).toEqual(['done', 'idle']);
    queue.add('2c');
    queue.add('1c');
    now = askAgainMs - 1;
    expect(await rounds(queue.round, 5)).toEqual(['done', 'idle']);
    expect([queue.recorded, queue.asked]).toEqual([
      ['1a', '1b', '1c'],
      [['1a', '2a', '1b', '2b', '3a'], ['1c']],
    ]);
    // What waits is not read past again and again.
    expect(queue.read).toEqual([0, 5, 5, 7]);
    now = askAgainMs;
    expect([await rounds(queue.round, 5), queue.asked.slice(2)]).toEqual([['idle'], [['2a']]]);
    away.clear();
    now = 2 * askAgainMs;
    expect(await rounds(queue.round, 5)).toEqual(['done', 'idle']);
    expect([queue.recorded.slice(3), queue.passedOver]).toEqual([['2a', '2b', '3a', '2c'], []]);
  });

  it('holds up what follows in the project also where it is rendered', async () => {
    const queue = queueOf(
      ['1a', '1b', '2a'],
      () => undefined,
      (id) => (id === '1a' ? 'fast' : undefined),
    );
    expect(await rounds(queue.round, 5)).toEqual(['done', 'idle']);
    expect([queue.recorded, queue.waiting()]).toEqual([['2a'], ['1a', '1b']]);
  });

  it('holds up no project of another part that answers again', async () => {
    const away = new Set(['one', 'two']);
    const partOf = (id: string) => (projectOf(id) === 1 ? 'one' : 'two');
    const queue = queueOf(
      ['1a', '2a'],
      () => undefined,
      (id) => (away.has(partOf(id)) ? partOf(id) : undefined),
    );
    await rounds(queue.round, 5);
    away.delete('two');
    now = askAgainMs;
    await rounds(queue.round, 5);
    expect([queue.recorded, queue.waiting()]).toEqual([['2a'], ['1a']]);
  });

  it('is no proof that its owner renders in time: an event before it is not passed over', async () => {
    const queue = queueOf(
      ['1a', '2a'],
      (id) => (id === '1a' ? late() : undefined),
      (id) => (id === '2a' ? 'fast' : undefined),
    );
    await rounds(queue.round, 20);
    expect([queue.passedOver, queue.waiting()]).toEqual([[], ['1a', '2a']]);
  });
});

it('notes and reactions on epics get their places, and no webhook or integration gets them', async () => {
  const placed = [
    { kind: 'note', projectId: 0, eventId: 'on an epic' },
    { kind: 'emoji', projectId: 0, eventId: 'of an epic' },
    { kind: 'epic', projectId: 0, eventId: 'epic' },
    { kind: 'note', projectId: 3, eventId: 'on an issue' },
  ];
  const followed: string[] = [];
  const waiting = placed.map(({ eventId }, id) => ({ id, eventId, type: 't', body: '', projectId: 0, tries: 0 }));
  const round = renderChanges(
    'collaboration',
    async (events) => events.map(({ eventId }) => ({ eventId, bodies: [] })),
    {
      db: { transaction: (work: (tx: never) => unknown) => work({} as never) } as unknown as Database,
      pending: {
        resting: async () => [],
        oldest: async () => waiting,
        take: async () => true,
      } as unknown as PendingChanges,
      changes: { append: async () => placed } as never,
      followers: [
        async (_tx, changes) => {
          followed.push(...changes.map(({ eventId }) => eventId));
        },
      ],
      countPassedOver: () => undefined,
    },
  );
  expect(await round()).toBe('done');
  expect(followed).toEqual(['epic', 'on an issue']);
});
