import { bucketOf } from './duration-buckets';
import { type Counters, type MeasuredTrain, statisticsRange, trainStatistics } from './train-statistics';

const now = new Date('2026-03-10T12:00:00Z');

test.each([
  [{}, { after: '2026-02-11', before: '2026-03-10' }],
  [{ before: '2026-03-01' }, { after: '2026-02-02', before: '2026-03-01' }],
  [{ after: '2026-03-10' }, { after: '2026-03-10', before: '2026-03-10' }],
  [
    { after: '2024-01-01', before: '2024-12-31' },
    { after: '2024-01-01', before: '2024-12-31' },
  ],
])('the days of %j', (wanted, range) => {
  expect(statisticsRange({ after: undefined, before: undefined, ...wanted }, now)).toEqual({ range });
});

test.each([
  [
    { after: '2026-02-30', before: 'x' },
    { after: ['is invalid'], before: ['is invalid'] },
  ],
  [{ after: '0000-01-01' }, { after: ['is invalid'] }],
  [{ before: '0001-01-05' }, { before: ['is invalid'] }],
  [{ after: '2026-03-11' }, { after: ['must not be later than before'] }],
  [{ after: '2025-03-01', before: '2026-03-02' }, { after: ['must be at most 365 days earlier than before'] }],
])('days that are refused: %j', (wanted, problems) => {
  expect(statisticsRange({ after: undefined, before: undefined, ...wanted }, now)).toEqual({ problems });
});

const range = { after: '2026-03-08', before: '2026-03-10' };
const train = (counters: Counters[], more: Partial<MeasuredTrain> = {}): MeasuredTrain => ({
  createdAt: new Date('2026-01-01T00:00:00Z'),
  pausedSince: undefined,
  counters,
  ...more,
});
const on = (day: string | undefined, measure: Counters['measure'], values: Record<string, number>): Counters => ({
  day,
  measure,
  values,
});

test('sums, builds per landing, days without anything, and what is most frequent first (7)', () => {
  const statistics = trainStatistics(
    train([
      on('2026-03-08', 'landings', { '': 3 }),
      on('2026-03-08', 'builds', { '': 4 }),
      on('2026-03-08', 'turnaround', { [bucketOf(100)]: 3 }),
      on('2026-03-10', 'landings', { '': 1 }),
      on('2026-03-10', 'builds', { '': 2 }),
      on('2026-03-10', 'turnaround', { [bucketOf(1_000)]: 1 }),
      on('2026-03-08', 'removals', { pipeline_failed: 1, conflict: 1 }),
      on('2026-03-10', 'removals', { pipeline_failed: 1 }),
      on(undefined, 'failures', { unit: 2, lint: 5, ['__proto__']: 1, '': 1 }),
      on(undefined, 'flakes', { unit: 1 }),
    ]),
    range,
    now,
  );
  expect(statistics).toMatchObject({ ...range, landings: 4, builds: 6, buildsPerLanding: 1.5, pausedShare: 0 });
  expect([Math.round(statistics.turnaround.p50! / 10), Math.round(statistics.turnaround.p95! / 100)]).toEqual([10, 10]);
  expect(statistics.removals).toEqual([
    { name: 'pipeline_failed', count: 2 },
    { name: 'conflict', count: 1 },
  ]);
  expect(statistics.failures.map(({ name }) => name)).toEqual(['lint', 'unit', '', '__proto__']);
  expect(statistics.flakes).toEqual([{ name: 'unit', count: 1 }]);
  expect(statistics.days).toEqual([
    { date: '2026-03-08', landings: 3, builds: 4, removals: 2, turnaround: expect.anything() },
    {
      date: '2026-03-09',
      landings: 0,
      builds: 0,
      removals: 0,
      turnaround: { p50: undefined, p95: undefined },
    },
    { date: '2026-03-10', landings: 1, builds: 2, removals: 1, turnaround: expect.anything() },
  ]);
});

test('a train that landed nothing has no builds per landing and no turnaround', () => {
  const statistics = trainStatistics(train([on('2026-03-08', 'builds', { '': 4 })]), range, now);
  expect(statistics).toMatchObject({
    landings: 0,
    builds: 4,
    buildsPerLanding: undefined,
    turnaround: { p50: undefined, p95: undefined },
  });
});

describe('the share of pause', () => {
  // 60 hours of the range have passed.
  const share = (paused: number, more: Partial<MeasuredTrain> = {}): number =>
    trainStatistics(train([on('2026-03-09', 'paused', { '': paused * 3_600_000 })], more), range, now).pausedShare;

  test('of pauses that have ended', () => expect(share(15)).toBeCloseTo(0.25));

  test('and of the one under way, from the first day on', () => {
    expect(share(6, { pausedSince: new Date('2026-03-10T03:00:00Z') })).toBeCloseTo(0.25);
    expect(share(0, { pausedSince: new Date('2026-02-01T00:00:00Z') })).toBe(1);
  });

  test('of the time that a train exists', () => {
    expect(share(15, { createdAt: new Date('2026-03-09T06:00:00Z') })).toBeCloseTo(0.5);
    expect(share(0, { createdAt: now, pausedSince: now })).toBe(0);
  });

  test('of past days, whatever is under way now', () => {
    const past = { after: '2026-03-01', before: '2026-03-02' };
    const paused = train([], { pausedSince: new Date('2026-03-02T12:00:00Z') });
    expect(trainStatistics(paused, past, now).pausedShare).toBeCloseTo(0.25);
    expect(trainStatistics(paused, { after: '2027-01-01', before: '2027-01-02' }, now).pausedShare).toBe(0);
  });
});
