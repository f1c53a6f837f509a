import type { Database } from '@switchyard/database';
import { unavailable } from '@switchyard/errors';
import { mostTries, type PendingChange } from '../domain/pending-change';
import { type PendingChanges, RenderedTooLate } from './change.ports';
import { renderChanges } from './render-changes';

/** A queue in memory, and the rounds over it; `fails` says what rendering an event throws. */
function queueOf(eventIds: readonly string[], fails: (eventId: string) => Error | undefined) {
  let waiting: PendingChange[] = eventIds.map((eventId, id) => ({ id, eventId, type: 't', body: '', tries: 0 }));
  const recorded: string[] = [];
  const passedOver: string[] = [];
  const remove = (ids: readonly number[]) => {
    waiting = waiting.filter(({ id }) => !ids.includes(id));
  };
  const pending = {
    oldest: async (_owner: string, limit: number) => waiting.slice(0, limit),
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
      for (const { eventId } of events) {
        const error = fails(eventId);
        if (error !== undefined) throw error;
      }
      return events.map(({ eventId }) => ({ eventId, bodies: [] }));
    },
    {
      db: { transaction: (work: (tx: never) => unknown) => work({} as never) } as unknown as Database,
      pending,
      changes: { append: async () => [] } as never,
      followers: [],
      countPassedOver: () => undefined,
    },
  );
  return { round, recorded, passedOver, waiting: () => waiting.map(({ eventId }) => eventId) };
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

it('notes and reactions on epics get their places, and no webhook or integration gets them', async () => {
  const placed = [
    { kind: 'note', projectId: 0, eventId: 'on an epic' },
    { kind: 'emoji', projectId: 0, eventId: 'of an epic' },
    { kind: 'epic', projectId: 0, eventId: 'epic' },
    { kind: 'note', projectId: 3, eventId: 'on an issue' },
  ];
  const followed: string[] = [];
  const waiting = placed.map(({ eventId }, id) => ({ id, eventId, type: 't', body: '', tries: 0 }));
  const round = renderChanges(
    'collaboration',
    async (events) => events.map(({ eventId }) => ({ eventId, bodies: [] })),
    {
      db: { transaction: (work: (tx: never) => unknown) => work({} as never) } as unknown as Database,
      pending: { oldest: async () => waiting, take: async () => true } as unknown as PendingChanges,
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
