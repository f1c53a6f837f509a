import type { Verdict } from '../../merge-requests';
import { emptyTrain, newCar, type Train } from './merge-train';
import { newsOf, nextDue } from './merge-train-work';
import type { StoredTrain, TrainPipeline } from './stored-train';

const minute = 60_000;
const now = new Date('2026-01-01T12:00:00Z');
const ago = (minutes: number): Date => new Date(now.getTime() - minutes * minute);

const train = (verdict: Verdict = 'pending'): Train => ({
  ...emptyTrain(),
  base: 'A',
  cars: [
    {
      ...newCar(1, 1),
      status: 'fresh',
      build: { onto: 'A', sha: 'a', pipelineId: 11, requested: true, verdict, reruns: 0, failedNames: [] },
    },
  ],
});

const stored = (given: Partial<TrainPipeline> = {}, changes: Partial<StoredTrain> = {}): StoredTrain =>
  ({
    train: train(),
    cars: new Map([[1, { id: 1, outdated: false }]]),
    pipelines: new Map([
      [
        11,
        {
          id: 11,
          reports: { status: 'running', names: [], newestAt: undefined },
          targetUrls: new Map(),
          openedAt: ago(61),
          finishedAt: undefined,
          restartedAt: undefined,
          ...given,
        },
      ],
    ]),
    rule: { required: [], count: 0, settlingSeconds: 2, skippedCounts: false },
    timeoutMinutes: 60,
    runsAgainAt: undefined,
    controlChangedAt: undefined,
    ...changes,
  }) as unknown as StoredTrain;

const kinds = (one: StoredTrain): string[] => newsOf(one, now).map(({ kind }) => kind);

describe('the time of a pipeline (D8)', () => {
  it('ends after the time-out of the project', () => {
    expect(kinds(stored())).toContain('timed_out');
    expect(kinds(stored({ openedAt: ago(59) }))).not.toContain('timed_out');
  });

  it('begins again when its train goes on after a pause', () => {
    expect(kinds(stored({}, { controlChangedAt: ago(5) }))).not.toContain('timed_out');
    expect(kinds(stored({}, { controlChangedAt: ago(61) }))).toContain('timed_out');
  });

  it('begins again when one of its names is started again', () => {
    const restarted = stored({ restartedAt: ago(1) }, { train: train('green') });
    expect(newsOf(restarted, now)).toEqual([
      { kind: 'reported', pipelineId: 11, verdict: 'pending', failedNames: [] },
      { kind: 'resumed' },
    ]);
  });
});

it('a settling pipeline is due when it has settled, a pause when it ends', () => {
  const green = { status: 'success', names: [{ name: 'ci', status: 'success', allowFailure: false }], newestAt: now };
  expect(nextDue(stored({ reports: green }), now)).toEqual(new Date(now.getTime() + 2_000));
  const paused = stored({}, { train: { ...train(), state: 'paused' }, runsAgainAt: new Date(now.getTime() + 1_000) });
  expect(nextDue(paused, now)).toEqual(new Date(now.getTime() + 1_000));
});

it('a pause ends by itself when its time has come', () => {
  const paused = stored({ openedAt: ago(1) }, { train: { ...train(), state: 'paused' }, runsAgainAt: ago(0) });
  expect(newsOf(paused, now)[0]).toEqual({ kind: 'controlled', state: 'running' });
});
