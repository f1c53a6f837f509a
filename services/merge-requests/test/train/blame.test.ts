import type { HoldReason, Signal } from '../../src/merge-trains/domain/merge-train';
import { transition } from '../../src/merge-trains/domain/transition';
import { due, events, following, report, seen, steps, train, trainText } from './train-text';

const blamed = (carId: number): Signal => ({ kind: 'blamed', carId });
const landed = (carId: number, sha: string): Signal => ({ kind: 'landed', carId, sha });
const removed = (carId: number): Signal => ({ kind: 'removed', carId, reason: 'canceled' });
const held = (carId: number, onto: string, reason: HoldReason = 'conflict'): Signal => ({
  kind: 'not_buildable',
  carId,
  onto,
  reason,
});

/** A car is tested once alone: what fails is blamed at once, if it may be. */
const once = { retries: 0 };

describe('a car that fails behind others (D8)', () => {
  const three = 'A | 1 fresh A>a #11, 2 fresh a>b #12, 3 fresh b>c #13';

  it('keeps its place, and those behind are built on the nearest that does not fail', () => {
    expect(seen(transition(train(three, once), report(12, 'failed', 'unit')))).toEqual({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~unit, 3 stale',
      steps: ['cancel 13', 'build 3 on a'],
      events: ['judged 12 failed unit'],
    });
  });

  it('the last one to fail is reported first: nobody is blamed for the one ahead', () => {
    const outcome = following(train(three, once), report(13, 'failed', 'unit'), report(12, 'failed', 'unit'));
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~unit, 3 stale',
      steps: ['cancel 13', 'build 3 on a'],
      events: ['judged 13 failed unit', 'judged 12 failed unit'],
    });
    expect(transition(outcome.train, blamed(2)).train).toBe(outcome.train);
  });

  it('gets a fresh chance when what is ahead of it leaves', () => {
    const failing = train('A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~unit', once);
    expect(seen(transition(failing, removed(1)))).toEqual({
      train: 'A | 2 stale',
      steps: ['cancel 11', 'cancel 12', 'build 2 on A'],
      events: ['removed 1 canceled #11'],
    });
  });

  it('leaves when what is ahead of it lands, with the commit and the base it failed on', () => {
    const merging = train('A | 1 merging A>a #11 green, 2 fresh a>b #12 failed ~unit', once);
    const outcome = transition(merging, landed(1, 'a'));
    expect(steps(outcome)).toEqual(['blame 2 pipeline_failed']);
    expect(transition(outcome.train, blamed(2)).events).toEqual([
      {
        kind: 'removed',
        carId: 2,
        reason: 'pipeline_failed',
        pipelineId: 12,
        blamedOn: {
          base: 'a',
          build: {
            onto: 'a',
            sha: 'b',
            pipelineId: 12,
            requested: true,
            verdict: 'failed',
            reruns: 0,
            failedNames: ['unit'],
          },
        },
      },
    ]);
  });

  it('is not blamed where the target branch has moved to something else', () => {
    const failing = train('A | 1 fresh A>a #11 failed ~unit', once);
    expect(due(failing)).toEqual(['blame 1 pipeline_failed']);
    expect(seen(transition(failing, { kind: 'target_read', sha: 'B' }))).toEqual({
      train: 'B | 1 stale',
      steps: ['cancel 11', 'build 1 on B'],
      events: [],
    });
  });

  it('is blamed once: a second worker changes nothing', () => {
    const outcome = transition(train('A | 1 fresh A>a #11 failed ~unit, 2 fresh A>b #12', once), blamed(1));
    expect(seen(outcome)).toEqual({
      train: 'A | 2 fresh A>b #12',
      steps: ['cancel 11'],
      events: ['removed 1 pipeline_failed #11 on A'],
    });
    expect(transition(outcome.train, blamed(1)).train).toBe(outcome.train);
  });

  it('lands when its pipeline passes after all, and those behind are built on it', () => {
    const failing = train('A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~unit, 3 fresh a>c #13', once);
    expect(seen(transition(failing, report(12, 'green')))).toEqual({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #12 green, 3 stale',
      steps: ['cancel 13', 'build 3 on b'],
      events: ['judged 12 green', 'flaked 2 unit'],
    });
  });

  it('what else fails of it is known as well', () => {
    const failing = train('A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~unit', once);
    const outcome = transition(failing, report(12, 'failed', 'e2e', 'unit'));
    expect(seen(outcome)).toMatchObject({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~e2e+unit',
      events: [],
    });
  });
});

describe('a car that has no result in time (D8)', () => {
  it('waits while it stands on others', () => {
    const outcome = transition(train('A | 1 fresh A>a #11, 2 fresh a>b #12, 3 fresh b>c #13', once), {
      kind: 'timed_out',
      pipelineId: 12,
    });
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #12 late, 3 stale',
      steps: ['cancel 12', 'cancel 13', 'build 3 on a'],
      events: ['judged 12 late'],
    });
  });

  it('leaves on what has landed, whatever is reported later', () => {
    const late = train('A | 1 fresh A>a #11 late', once);
    expect(due(late)).toEqual(['blame 1 timeout']);
    expect(transition(late, report(11, 'green')).train).toBe(late);
    expect(events(transition(late, blamed(1)))).toEqual(['removed 1 timeout #11 on A']);
  });

  it('is in time when it was judged already', () => {
    const green = train('A | 1 fresh A>a #11 green');
    expect(transition(green, { kind: 'timed_out', pipelineId: 11 }).train).toBe(green);
  });
});

describe('a pipeline that someone cancels (D8)', () => {
  it('takes its car from the train wherever it stands', () => {
    const outcome = transition(train('A | 1 fresh A>a #11, 2 fresh a>b #12'), report(12, 'canceled'));
    expect(steps(outcome)).toEqual(['blame 2 pipeline_canceled']);
    expect(events(transition(outcome.train, blamed(2)))).toEqual(['removed 2 pipeline_canceled #12']);
  });
});

describe('a car that cannot be built (D8)', () => {
  const two = 'A | 1 fresh A>a #11, 2 idle, 3 idle';

  it.each<HoldReason>(['conflict', 'no_changes', 'build_failed'])(
    'waits while it stands on others, and those behind are built without it: %s',
    (reason) => {
      expect(seen(transition(train(two), held(2, 'a', reason)))).toEqual({
        train: `A | 1 fresh A>a #11, 2 idle held:${reason}@a, 3 idle`,
        steps: ['build 3 on a'],
        events: [],
      });
    },
  );

  it('leaves when what it conflicts with has landed', () => {
    const outcome = transition(train('A | 1 merging A>a #11 green, 2 idle held:conflict@a'), landed(1, 'a'));
    expect(steps(outcome)).toEqual(['blame 2 conflict']);
    expect(events(transition(outcome.train, blamed(2)))).toEqual(['removed 2 conflict on a']);
  });

  it('is built when what it conflicts with leaves', () => {
    const outcome = transition(train('A | 1 fresh A>a #11, 2 idle held:conflict@a'), removed(1));
    expect(seen(outcome)).toMatchObject({ train: 'A | 2 idle', steps: ['cancel 11', 'build 2 on A'] });
  });

  it('is built when what it conflicts with fails', () => {
    const outcome = transition(
      train('A | 1 fresh A>a #11, 2 idle held:conflict@a', { retries: 0 }),
      report(11, 'failed', 'unit'),
    );
    expect(seen(outcome)).toMatchObject({
      train: 'A | 1 fresh A>a #11 failed ~unit, 2 idle',
      steps: ['blame 1 pipeline_failed', 'build 2 on A'],
    });
  });
});

describe('a failure that would be blamed is tested again (D8)', () => {
  const first = 'A | 1 fresh A>a #11, 2 fresh a>b #12';
  const opened: Signal = { kind: 'pipeline_opened', carId: 1, sha: 'a', pipelineId: 21 };

  it.each([0, 1, 2, 3])('%d times, each in a new pipeline on the same commit, and then it leaves', (retries) => {
    let { train: now } = following(train('A | 1 fresh A>a #11', { retries }));
    for (let again = 1; again <= retries; again += 1) {
      const outcome = transition(now, report(10 + again, 'failed', 'unit'));
      expect(steps(outcome)).toEqual([`cancel ${10 + again}`, 'rerun 1 at a']);
      expect(transition(outcome.train, blamed(1)).train).toBe(outcome.train);
      now = transition(outcome.train, { ...opened, pipelineId: 11 + again } as Signal).train;
    }
    const outcome = transition(now, report(11 + retries, 'failed', 'unit'));
    expect(steps(outcome)).toEqual(['blame 1 pipeline_failed']);
    expect(events(transition(outcome.train, blamed(1)))).toEqual([`removed 1 pipeline_failed #${11 + retries} on A`]);
  });

  it('a pass lands it and is counted as a flake of what had failed, once', () => {
    const failed = following(train(first), report(11, 'failed', 'unit'), opened);
    expect(trainText(failed.train)).toBe('A | 1 fresh A>a #21 again:1 ~unit, 2 stale');
    const passed = transition(failed.train, report(21, 'green'));
    expect(seen(passed)).toEqual({
      train: 'A | 1 fresh A>a #21 green again:1, 2 stale',
      steps: ['land 1 A>a', 'build 2 on a'],
      events: ['judged 21 green', 'flaked 1 unit'],
    });
    expect(events(following(passed.train, report(21, 'pending'), report(21, 'green')))).toEqual(['judged 21 green']);
  });

  it('a pass in the same pipeline is a flake too', () => {
    const again = following(
      train('A | 1 fresh A>a #11, 2 fresh a>b #12', once),
      report(12, 'failed', 'unit'),
      report(12, 'pending'),
      report(12, 'green'),
    );
    expect(events(again)).toEqual(['judged 12 failed unit', 'judged 12 green', 'flaked 2 unit']);
  });

  it('waits for room, and is not blamed until then', () => {
    const full = train('A | 1 fresh A>a #11, 2 fresh a>b #12, 3 fresh b>c #13', { parallel: 2 });
    const narrow = train('A | 1 fresh A>a #11 failed ~unit, 2 fresh A>b #12', { parallel: 1 });
    expect(due(narrow)).toEqual([]);
    expect(steps(transition(narrow, report(12, 'green')))).toEqual(['cancel 11', 'rerun 1 at a']);
    expect(steps(transition(full, report(11, 'failed', 'unit')))).toContain('rerun 1 at a');
  });

  it('those behind are not built on it while it is tested again', () => {
    const outcome = following(
      train(first),
      report(11, 'failed', 'unit'),
      opened,
      { kind: 'built', carId: 2, onto: 'A', sha: 'n' },
      { kind: 'added', carId: 3, mergeRequestId: 103, first: false },
    );
    expect(trainText(outcome.train)).toBe('A | 1 fresh A>a #21 again:1 ~unit, 2 fresh A>n asked, 3 idle');
    expect(steps(outcome)).toEqual(['build 3 on n']);
  });

  it('one that fails behind others is tested again when those have landed, not before', () => {
    const failing = transition(train(first), report(12, 'failed', 'unit'));
    expect(steps(failing)).toEqual([]);
    const outcome = following(
      failing.train,
      report(11, 'green'),
      { kind: 'landing_begun', carId: 1, sha: 'a', to: 'a' },
      landed(1, 'a'),
    );
    expect(seen(outcome)).toMatchObject({
      train: 'a | 2 fresh a>b asked again:1 ~unit',
      steps: ['cancel 12', 'rerun 2 at b'],
    });
  });
});

describe('the newest report decides (D8)', () => {
  it('a green car behind the head that fails is judged by the same rules of blame', () => {
    const green = train('A | 1 fresh A>a #11, 2 fresh a>b #12 green, 3 fresh b>c #13', once);
    expect(seen(transition(green, report(12, 'failed', 'lint')))).toEqual({
      train: 'A | 1 fresh A>a #11, 2 fresh a>b #12 failed ~lint, 3 stale',
      steps: ['cancel 13', 'build 3 on a'],
      events: ['judged 12 failed lint'],
    });
  });

  it('what is being merged is decided', () => {
    const merging = train('A | 1 merging A>a #11 green');
    expect(transition(merging, report(11, 'failed', 'lint')).train).toBe(merging);
  });
});
