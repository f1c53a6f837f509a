import type { TrainEvent } from './merge-train';
import { boundedName, type Counting, dayOf, measuresOf } from './train-measures';

const now = new Date('2026-03-01T10:00:00Z');
const nothing: Counting = {
  events: [],
  builds: 0,
  addedAt: () => undefined,
  verdicts: new Map(),
  pausedSince: undefined,
};

const counted = (more: Partial<Counting>) =>
  measuresOf({ ...nothing, ...more }, now).map(({ day, measure, name, value }) => [day, measure, name, value]);

const today = dayOf(now);
const judged = (pipelineId: number, verdict: 'green' | 'failed', failedNames: string[] = []): TrainEvent => ({
  kind: 'judged',
  pipelineId,
  verdict,
  failedNames,
});

test('landings, removals by reason and pipelines are counted on the day, each counter once (7)', () => {
  const removed = { kind: 'removed', reason: 'pipeline_failed', pipelineId: 1, blamedOn: undefined } as const;
  const events: TrainEvent[] = [
    { kind: 'merged', carId: 1, sha: 'a' },
    { kind: 'merged', carId: 2, sha: 'b' },
    { ...removed, carId: 3 },
    { ...removed, carId: 4 },
  ];
  const addedAt = (id: number) => (id === 1 ? new Date(now.getTime() - 1_000) : undefined);
  expect(counted({ events, builds: 3, addedAt })).toEqual([
    [today, 'builds', '', 3],
    [today, 'landings', '', 2],
    [today, 'turnaround', '0', 1],
    [today, 'removals', 'pipeline_failed', 2],
  ]);
});

test('a failure is counted when a pipeline begins to fail, not each time it says so', () => {
  const events = [judged(1, 'failed', ['unit']), judged(1, 'failed', ['unit', 'lint']), judged(2, 'failed')];
  expect(counted({ events })).toEqual([
    [today, 'failures', 'unit', 1],
    [today, 'failures', '', 1],
  ]);
  expect(counted({ events: [judged(1, 'failed', ['unit'])], verdicts: new Map([[1, 'failed']]) })).toEqual([]);
  expect(counted({ events: [judged(1, 'failed', ['unit'])], verdicts: new Map([[1, 'green']]) })).toEqual([
    [today, 'failures', 'unit', 1],
  ]);
  expect(counted({ events: [judged(1, 'green')] })).toEqual([]);
});

test('flakes are counted by name, with bounded names and a bounded number of them', () => {
  const names = [...Array.from({ length: 150 }, (_, at) => `n${at}`), 'n0'];
  expect(counted({ events: [{ kind: 'flaked', carId: 1, names }] })).toHaveLength(100);
  expect([...boundedName('🚂'.repeat(300))]).toHaveLength(255);
  expect(boundedName('x'.repeat(300))).toHaveLength(255);
});

test('a pause is split by day (7)', () => {
  expect(counted({ pausedSince: new Date('2026-02-27T23:59:00Z') })).toEqual([
    ['2026-02-27', 'paused', '', 60_000],
    ['2026-02-28', 'paused', '', 86_400_000],
    ['2026-03-01', 'paused', '', 36_000_000],
  ]);
  expect(counted({ pausedSince: now })).toEqual([]);
});
