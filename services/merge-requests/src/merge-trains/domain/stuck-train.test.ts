import { bucketOf } from './duration-buckets';
import { isStuck, patienceWith, type WaitingTrain } from './stuck-train';

const now = new Date('2026-03-10T12:00:00Z');
const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);
const waiting = (seconds: number, more: Partial<WaitingTrain> = {}): WaitingTrain => ({
  id: 1,
  projectId: 1,
  targetBranch: 'main',
  waitingSince: ago(seconds),
  landedAt: undefined,
  turnaround: new Map([[bucketOf(1_800), 20]]),
  timeoutMinutes: 60,
  ...more,
});

test('a train is stuck after four times its usual turnaround (11)', () => {
  expect(patienceWith(waiting(0)) / (4 * 1_800)).toBeCloseTo(1, 1);
  expect([isStuck(waiting(6_800), now), isStuck(waiting(7_600), now)]).toEqual([false, true]);
});

test('not before five minutes, however fast it usually is', () => {
  const turnaround = new Map([[bucketOf(10), 20]]);
  expect([isStuck(waiting(299, { turnaround }), now), isStuck(waiting(300, { turnaround }), now)]).toEqual([
    false,
    true,
  ]);
});

test('without five landings, after the time that a pipeline has', () => {
  const turnaround = new Map([[bucketOf(10), 4]]);
  expect([isStuck(waiting(3_599, { turnaround }), now), isStuck(waiting(3_600, { turnaround }), now)]).toEqual([
    false,
    true,
  ]);
  expect(patienceWith({ turnaround: new Map(), timeoutMinutes: 1 })).toBe(300);
});
