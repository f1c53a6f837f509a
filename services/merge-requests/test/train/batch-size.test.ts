import { batchSizeAt } from '../../src/merge-trains/domain/batch-size';
import type { Signal, Train } from '../../src/merge-trains/domain/merge-train';
import { transition } from '../../src/merge-trains/domain/transition';
import { due, events, following, report, seen, steps, train, trainText } from './train-text';

const built = (carId: number, onto: string, sha: string): Signal => ({ kind: 'built', carId, onto, sha });
const begun = (carId: number, sha: string, to = sha): Signal => ({ kind: 'landing_begun', carId, sha, to });
const landed = (carId: number, sha: string): Signal => ({ kind: 'landed', carId, sha });
const failed = (carId: number, sha: string): Signal => ({ kind: 'landing_failed', carId, sha });
const removed = (carId: number): Signal => ({ kind: 'removed', carId, reason: 'draft' });
const four = { parallel: 1, batchSize: 4 };

/** A train of so many cars that wait. */
const waiting = (count: number, changes: Partial<Train>): Train =>
  train(`A | ${Array.from({ length: count }, (_, at) => `${at + 1} idle`).join(', ')}`, { batchSize: 10, ...changes });

describe('how many cars are tested together (D8)', () => {
  it.each<[string, number, Partial<Train>, number]>([
    ['one while every car has a place', 4, { parallel: 4 }, 1],
    ['as many as share out the queue over the places', 5, { parallel: 2 }, 3],
    ['all of a short queue for one place', 3, { parallel: 1 }, 3],
    ['no more than the project says', 9, { parallel: 1, batchSize: 2 }, 2],
    ['one where the project says so', 9, { parallel: 1, batchSize: 1 }, 1],
    ['no more than is worthwhile when one in twenty fails', 30, { parallel: 1, failureRate: 0.05 }, 4],
    ['no more than is worthwhile when one in four fails', 30, { parallel: 1, failureRate: 0.25 }, 2],
    ['one when most fail', 30, { parallel: 1, failureRate: 0.8 }, 1],
    ['ten when none fails', 30, { parallel: 1, failureRate: 0 }, 10],
  ])('%s', (_, count, changes, size) => {
    expect(batchSizeAt(waiting(count, changes), 0)).toBe(size);
  });

  it('a car that has failed in a batch is tested alone, and ends the batch ahead of it', () => {
    const alone = train('A | 1 idle, 2 idle, 3 idle alone, 4 idle', four);
    expect(batchSizeAt(alone, 0)).toBe(2);
    expect(batchSizeAt(alone, 2)).toBe(1);
  });

  it('a car that cannot be built ends the batch ahead of it', () => {
    expect(batchSizeAt(train('A | 1 idle, 2 idle held:conflict@a, 3 idle, 4 idle', four), 0)).toBe(1);
  });

  it('follows the share of cars that fail, newest first', () => {
    const rates = (verdict: 'failed' | 'green') => {
      const start = train('A | 1 fresh A>a #11', { retries: 0, failureRate: 0.1 });
      const signals: Signal[] =
        verdict === 'failed'
          ? [report(11, 'failed', 'unit'), { kind: 'blamed', carId: 1 }]
          : [report(11, 'green'), begun(1, 'a'), landed(1, 'a')];
      return following(start, ...signals).train.failureRate;
    };
    expect(rates('failed')).toBeCloseTo(0.13);
    expect(rates('green')).toBeCloseTo(0.0967);
  });
});

describe('a batch (D8)', () => {
  const idle = train('A | 1 idle, 2 idle, 3 idle, 4 idle, 5 idle', four);

  it('is built as one chain and tested once, at its tip', () => {
    const outcomes = following(idle, built(1, 'A', 'a'), built(2, 'a', 'b'), built(3, 'b', 'c'));
    expect(seen(outcomes)).toEqual({
      train: 'A | 1 fresh A>a /1, 2 fresh a>b /1, 3 fresh b>c /1, 4 idle /1, 5 idle',
      steps: ['build 4 on c'],
      events: [],
    });
    expect(seen(transition(outcomes.train, built(4, 'c', 'd')))).toEqual({
      train: 'A | 1 fresh A>a asked /1, 2 fresh a>b asked /1, 3 fresh b>c asked /1, 4 fresh c>d asked /1, 5 idle',
      steps: ['open 1+2+3+4 at d'],
      events: [],
    });
  });

  it('all of it shows the one pipeline', () => {
    const opened = transition(train('A | 1 fresh A>a asked /1, 2 fresh a>b asked /1, 3 idle', four), {
      kind: 'pipeline_opened',
      carId: 2,
      sha: 'b',
      pipelineId: 12,
    });
    expect(trainText(opened.train)).toBe('A | 1 fresh A>a #12 /1, 2 fresh a>b #12 /1, 3 idle');
  });

  it('is as long as can be built: the rest waits for the next one', () => {
    const begunBatch = following(idle, built(1, 'A', 'a'), built(2, 'a', 'b'));
    const outcome = transition(begunBatch.train, {
      kind: 'not_buildable',
      carId: 3,
      onto: 'b',
      reason: 'conflict',
    });
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a asked /1, 2 fresh a>b asked /1, 3 idle held:conflict@b, 4 idle, 5 idle',
      steps: ['open 1+2 at b'],
      events: [],
    });
  });

  const tested = 'A | 1 fresh A>a #13 /1, 2 fresh a>b #13 /1, 3 fresh b>c #13 /1, 4 idle';
  const green = tested.replaceAll('#13', '#13 green');

  it('lands whole: its members are begun in order, to the tested tip', () => {
    const passed = transition(train(tested, four), report(13, 'green'));
    expect(steps(passed)).toEqual(['land 1+2+3 A>c', 'build 4 on c']);
    const before = train(green, four);
    expect(transition(before, begun(2, 'b', 'c')).train).toBe(before);
    expect(transition(before, begun(1, 'c')).train).toBe(before);
    // Planned when the first was alone: the branch would move to a commit that was not tested by itself.
    expect(transition(before, begun(1, 'a')).train).toBe(before);
    const outcome = following(before, begun(1, 'a', 'c'), begun(2, 'b', 'c'), begun(3, 'c'));
    expect(trainText(outcome.train)).toBe(
      'A | 1 merging A>a #13 green /1, 2 merging a>b #13 green /1, 3 merging b>c #13 green /1, 4 idle',
    );
    const ended = following(outcome.train, landed(1, 'a'), landed(2, 'b'), landed(3, 'c'));
    expect(seen(ended)).toEqual({
      train: 'c | 4 idle',
      steps: ['build 4 on c'],
      events: ['merged 1 a', 'merged 2 b', 'merged 3 c'],
    });
  });

  it('its members land in order alone', () => {
    const merging = following(train(green, four), begun(1, 'a', 'c'), begun(2, 'b', 'c'), begun(3, 'c')).train;
    expect(transition(merging, landed(2, 'b')).train).toBe(merging);
  });

  it('is not landed whole: all of it is built again once the target branch was read', () => {
    const outcome = following(
      train(green, four),
      begun(1, 'a', 'c'),
      begun(2, 'b', 'c'),
      begun(3, 'c'),
      failed(1, 'a'),
      failed(2, 'b'),
      failed(3, 'c'),
    );
    expect(seen(outcome)).toMatchObject({ train: '? | 1 stale /1, 2 stale /1, 3 stale /1, 4 idle', steps: ['read'] });
  });

  it('a force push has left a part of it: that part has landed, the rest is built again', () => {
    const outcome = following(
      train(green, four),
      begun(1, 'a', 'c'),
      begun(2, 'b', 'c'),
      begun(3, 'c'),
      landed(1, 'a'),
      landed(2, 'b'),
      failed(3, 'c'),
    );
    expect(seen(outcome)).toMatchObject({
      train: '? | 3 stale /1, 4 idle',
      events: ['merged 1 a', 'merged 2 b'],
    });
  });

  it('what it leaves behind when its tip leaves is tested by itself: its pipeline tested the tip', () => {
    expect(seen(transition(train(green, four), removed(3)))).toEqual({
      train: 'A | 1 fresh A>a asked /1, 2 fresh a>b asked /1, 4 idle',
      steps: ['cancel 13', 'open 1+2 at b'],
      events: ['removed 3 draft #13'],
    });
  });

  it('what it leaves behind has not failed, though a pipeline has that was deleted since', () => {
    const deleted = 'A | 1 fresh A>a ~unit /1, 2 fresh a>b ~unit /1, 3 idle';
    expect(seen(transition(train(deleted, four), removed(2)))).toMatchObject({
      train: 'A | 1 fresh A>a asked /1, 3 idle',
      steps: ['open 1 at a'],
    });
  });

  it('whoever is put first out of it is tested by itself', () => {
    const failing = 'A | 1 fresh A>a #11 failed ~unit again:1, 2 fresh A>b #12 green /2, 3 fresh b>c #12 green /2';
    const outcome = transition(train(failing, four), { kind: 'added', carId: 2, mergeRequestId: 102, first: true });
    expect(seen(outcome)).toMatchObject({
      train: 'A | 2 fresh A>b asked, 1 stale, 3 stale /2',
      steps: ['cancel 11', 'cancel 12', 'open 2 at b'],
    });
  });

  it('is built again from where one of its members leaves', () => {
    const outcome = transition(train(green, four), removed(2));
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a /1, 3 stale /1, 4 idle',
      steps: ['cancel 13', 'build 3 on a'],
      events: ['removed 2 draft #13'],
    });
  });

  it('takes nobody with it that was in a batch of its first car before that was put first', () => {
    const moved = transition(train('A | 1 idle, 5 idle /5, 6 idle /5, 7 idle /5', { ...four, batchSize: 2 }), {
      kind: 'added',
      carId: 5,
      mergeRequestId: 105,
      first: true,
    });
    expect(trainText(transition(moved.train, built(5, 'A', 'e')).train)).toBe(
      'A | 5 fresh A>e /5, 1 idle /5, 6 idle, 7 idle',
    );
  });
});

describe('a batch that fails (D8)', () => {
  const tested = 'A | 1 fresh A>a #13 /1, 2 fresh a>b #13 /1, 3 fresh b>c #13 /1, 4 idle';
  const wide = { parallel: 3, batchSize: 4 };

  it('is taken apart into its members, tested as cumulative prefixes at the same time', () => {
    expect(seen(transition(train(tested, wide), report(13, 'failed', 'unit')))).toEqual({
      train: 'A | 1 fresh A>a asked alone, 2 fresh a>b asked alone, 3 fresh b>c asked again:1 ~unit alone, 4 idle',
      steps: ['cancel 13', 'open 1 at a', 'open 2 at b', 'rerun 3 at c'],
      events: ['judged 13 failed unit'],
    });
  });

  it('its members are tested in queue order where there is no room for all', () => {
    const outcome = transition(train(tested, { ...wide, parallel: 1 }), report(13, 'failed', 'unit'));
    expect(steps(outcome)).toEqual(['cancel 13', 'open 1 at a']);
  });

  it('waits as a whole while it stands on others, and those behind are built without it', () => {
    const behind = 'A | 1 fresh A>a #11, 2 fresh a>b #13 /2, 3 fresh b>c #13 /2, 4 idle';
    const outcome = transition(train(behind, { ...wide, parallel: 4 }), report(13, 'failed', 'unit'));
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #13 failed ~unit /2, 3 fresh b>c #13 failed ~unit /2, 4 idle',
      steps: ['build 4 on a'],
      events: ['judged 13 failed unit'],
    });
    const landing = following(outcome.train, report(11, 'green'), begun(1, 'a'), landed(1, 'a'));
    expect(steps(landing)).toEqual(['cancel 13', 'open 2 at b', 'rerun 3 at c', 'build 4 on b']);
  });

  it('is not blamed as a whole', () => {
    const outcome = transition(train(tested, { ...wide, retries: 0 }), report(13, 'failed', 'unit'));
    for (const carId of [1, 2, 3]) {
      expect(transition(outcome.train, { kind: 'blamed', carId }).train).toBe(outcome.train);
    }
  });

  it('the innocent ahead of the culprit lands, and the culprit alone leaves', () => {
    const apart = 'A | 1 fresh A>a #21 alone, 2 fresh a>b #22 alone, 3 fresh b>c #23 again:1 ~unit alone';
    const outcome = following(
      train(apart, { ...wide, retries: 0 }),
      report(23, 'failed', 'unit'),
      report(22, 'failed', 'unit'),
      report(21, 'green'),
      begun(1, 'a'),
      landed(1, 'a'),
      { kind: 'blamed', carId: 2 },
    );
    expect(seen(outcome)).toMatchObject({ train: 'a | 3 stale alone', steps: ['cancel 22', 'build 3 on a'] });
    expect(events(outcome).slice(-2)).toEqual(['merged 1 a', 'removed 2 pipeline_failed #22 on a']);
  });

  it('whose pipeline was late or cancelled is taken apart as well', () => {
    expect(steps(transition(train(tested, wide), { kind: 'timed_out', pipelineId: 13 }))).toEqual([
      'cancel 13',
      'open 1 at a',
      'open 2 at b',
      'open 3 at c',
    ]);
    expect(steps(transition(train(tested, wide), report(13, 'canceled')))).toEqual([
      'cancel 13',
      'open 1 at a',
      'open 2 at b',
      'open 3 at c',
    ]);
  });

  it('nothing is built behind it while it waits and there is more to build than room', () => {
    const behind = 'A | 1 fresh A>a #11, 2 fresh a>b #13 failed ~unit /2, 3 fresh b>c #13 failed ~unit /2, 4 idle';
    expect(due(train(behind, { ...wide, parallel: 2 }))).toEqual(['build 4 on a']);
    expect(due(train(`${behind}, 5 idle`, { ...wide, parallel: 2 }))).toEqual([]);
  });
});
