import type { Signal, Train, TrainState } from '../../src/merge-trains/domain/merge-train';
import { transition } from '../../src/merge-trains/domain/transition';
import { due, events, following, report, seen, steps, train, trainText } from './train-text';

const blamed = (carId: number): Signal => ({ kind: 'blamed', carId });
const control = (state: TrainState): Signal => ({ kind: 'controlled', state });
const streak = (...names: string[][]): Pick<Train, 'streak'> => ({
  streak: names.map((one, at) => ({ mergeRequestId: at + 1, names: one })),
});
const once = { retries: 0 };
const two = { ...once, ...streak(['unit'], ['unit']) };

describe('a train that stops itself (D8)', () => {
  it('when the third merge request in a row fails for one name: nobody is blamed, the target branch is tested', () => {
    expect(seen(transition(train('A | 1 fresh A>a #11, 2 fresh a>b #12', two), report(11, 'failed', 'unit')))).toEqual({
      train: 'A | 1 fresh A>a #11 failed ~unit, 2 stale',
      steps: ['cancel 12', 'probe A'],
      events: ['judged 11 failed unit', 'paused by itself unit'],
    });
  });

  it('two that leave and one that would: each is counted when it leaves', () => {
    const three = train('A | 1 fresh A>a #11 failed ~unit, 2 fresh A>b #12 failed ~lint+unit, 3 fresh A>c #13', once);
    const left = following(three, blamed(1), blamed(2));
    expect(events(left)).toEqual(['removed 1 pipeline_failed #11 on A', 'removed 2 pipeline_failed #12 on A']);
    expect(left.train.streak.map(({ mergeRequestId }) => mergeRequestId)).toEqual([101, 102]);
    expect(events(transition(left.train, report(13, 'failed', 'unit')))).toContain('paused by itself unit');
  });

  it('three that fail at the same time', () => {
    const three = train('A | 1 fresh A>a #11 failed ~unit, 2 fresh A>b #12 failed ~unit, 3 fresh A>c #13', once);
    expect(events(transition(three, report(13, 'failed', 'unit')))).toEqual([
      'judged 13 failed unit',
      'paused by itself unit',
    ]);
  });

  it('the third in a row is not excused by one behind it that fails for something else', () => {
    const last = train('A | 1 fresh A>a #11, 2 fresh A>b #12 failed ~lint', two);
    expect(events(transition(last, report(11, 'failed', 'unit')))).toContain('paused by itself unit');
  });

  it.each<[string, Partial<Train>]>([
    ['two have failed for it', { ...once, ...streak(['unit']) }],
    ['another name is in between', { ...once, ...streak(['unit'], ['unit'], ['lint']) }],
    [
      'it is the third time for one merge request',
      { ...once, streak: [1, 1].map((id) => ({ mergeRequestId: id, names: ['unit'] })) },
    ],
    ['it is still tested again', { ...two, retries: 1 }],
  ])('not while %s', (_, changes) => {
    const outcome = transition(train('A | 1 fresh A>a #11', changes), report(11, 'failed', 'unit'));
    expect(outcome.train.state).toBe('running');
    expect(events(outcome)).toEqual(['judged 11 failed unit']);
  });

  it('not for a failure on commits that have not landed', () => {
    const outcome = transition(train('A | 1 fresh A>a #11, 2 fresh a>b #12', two), report(12, 'failed', 'unit'));
    expect(outcome.train.state).toBe('running');
  });

  it('a landing ends the row', () => {
    const landed = transition(train('A | 1 merging A>a #11 green, 2 fresh a>b #12', two), {
      kind: 'landed',
      carId: 1,
      sha: 'a',
    });
    expect(landed.train.streak).toEqual([]);
    expect(transition(landed.train, report(12, 'failed', 'unit')).train.state).toBe('running');
  });

  it('starts nothing in the change that stops it', () => {
    const narrow = train('A | 1 fresh A>a #11, 2 fresh a>b', { ...two, parallel: 1 });
    expect(steps(transition(narrow, report(11, 'failed', 'unit')))).toEqual(['probe A']);
    const batch = train('A | 1 fresh A>a #11, 2 fresh A>b #12 failed ~unit /2, 3 fresh b>c #12 failed ~unit /2', two);
    expect(steps(transition(batch, report(11, 'failed', 'unit')))).not.toContain('open 2 at b');
  });
});

describe('a train that has stopped itself (D8)', () => {
  const stopped = (
    probe: Partial<NonNullable<Train['probe']>> = {},
    text = 'A | 1 fresh A>a #11 failed ~unit, 2 stale',
  ) =>
    train(text, {
      ...two,
      state: 'paused',
      targetFailing: true,
      probe: { sha: 'A', pipelineId: 50, verdict: 'pending', ...probe },
    });

  it('keeps every place, blames nobody, and still takes cars', () => {
    expect(due(stopped())).toEqual([]);
    const before = stopped();
    expect(transition(before, blamed(1)).train).toBe(before);
    const outcome = transition(before, { kind: 'added', carId: 3, mergeRequestId: 103, first: false });
    expect(trainText(outcome.train)).toBe('A | 1 fresh A>a #11 failed ~unit, 2 stale, 3 idle');
  });

  it('knows the pipeline of its probe', () => {
    const opened = transition(stopped({ pipelineId: undefined }), { kind: 'probe_opened', sha: 'A', pipelineId: 51 });
    expect(opened.train.probe).toEqual({ sha: 'A', pipelineId: 51, verdict: 'pending' });
    expect(transition(opened.train, { kind: 'probe_opened', sha: 'A', pipelineId: 52 }).train).toBe(opened.train);
  });

  it('goes on when the probe passes: what failed meanwhile is tested afresh', () => {
    const outcome = transition(stopped(), { kind: 'probe_reported', pipelineId: 50, verdict: 'green' });
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a asked, 2 stale',
      steps: ['cancel 50', 'cancel 11', 'open 1 at a', 'build 2 on a'],
      events: ['running'],
    });
    expect(outcome.train).toMatchObject({ targetFailing: false, probe: undefined, streak: [] });
  });

  it('stays where it is when the probe fails, and tests again after a time', () => {
    const failed = transition(stopped(), { kind: 'probe_reported', pipelineId: 50, verdict: 'failed' });
    expect(failed.train.state).toBe('paused');
    expect(steps(failed)).toEqual([]);
    expect(steps(transition(failed.train, { kind: 'probe_due' }))).toEqual(['cancel 50', 'probe A']);
    const pending = stopped();
    expect(transition(pending, { kind: 'probe_due' }).train).toBe(pending);
  });

  it('tests the target branch where it stands now', () => {
    expect(steps(transition(stopped(), { kind: 'target_read', sha: 'B' }))).toEqual([
      'cancel 11',
      'cancel 50',
      'probe B',
    ]);
    const moved = stopped();
    expect(transition(moved, { kind: 'probe_reported', pipelineId: 49, verdict: 'green' }).train).toBe(moved);
  });

  it('goes on, or is paused, or drains by the decision of a maintainer, without the probe', () => {
    for (const state of ['running', 'paused', 'draining'] as const) {
      const outcome = transition(stopped(), control(state));
      expect(outcome.train).toMatchObject({ state, targetFailing: false, probe: undefined });
      expect(steps(outcome)).toContain('cancel 50');
      expect(events(outcome)).toEqual([state]);
    }
  });
});

describe('a train that is paused (D8)', () => {
  const paused = { state: 'paused' } as const;

  it('takes cars, and has nothing due', () => {
    const outcome = transition(train('A | 1 fresh A>a #11 green, 2 idle', paused), {
      kind: 'added',
      carId: 3,
      mergeRequestId: 103,
      first: false,
    });
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11 green, 2 idle, 3 idle',
      steps: [],
      events: ['added 3 at 3'],
    });
  });

  it.each<[string, string, Signal]>([
    ['lands nothing', 'A | 1 fresh A>a #11 green', { kind: 'landing_begun', carId: 1, sha: 'a', to: 'a' }],
    ['builds nothing', 'A | 1 idle', { kind: 'built', carId: 1, onto: 'A', sha: 'a' }],
    ['blames nobody', 'A | 1 fresh A>a #11 failed again:1 ~unit', blamed(1)],
    ['lets no time run out', 'A | 1 fresh A>a #11', { kind: 'timed_out', pipelineId: 11 }],
  ])('%s', (_, text, signal) => {
    const before = train(text, paused);
    expect(transition(before, signal).train).toBe(before);
    expect(due(before)).toEqual([]);
  });

  it('opens no pipeline: neither the next one nor one again', () => {
    const before = train('A | 1 fresh A>a #11, 2 fresh a>b, 3 fresh b>c #13', { ...paused, parallel: 2 });
    expect(seen(transition(before, report(11, 'failed', 'unit')))).toEqual({
      train: 'A | 1 fresh A>a #11 failed ~unit, 2 stale, 3 stale',
      steps: ['cancel 13'],
      events: ['judged 11 failed unit'],
    });
  });

  it('takes no failed batch apart before it runs again', () => {
    const batch = train('A | 1 fresh A>a #12 /1, 2 fresh a>b #12 /1', paused);
    const failed = transition(batch, report(12, 'failed', 'unit'));
    expect(steps(failed)).toEqual([]);
    expect(steps(transition(failed.train, control('running')))).toEqual(['cancel 12', 'open 1 at a', 'rerun 2 at b']);
  });

  it('ends the landing that was begun', () => {
    const merging = train('A | 1 merging A>a #11 green, 2 idle', paused);
    expect(due(merging)).toEqual(['settle 1']);
    expect(seen(transition(merging, { kind: 'landed', carId: 1, sha: 'a' }))).toEqual({
      train: 'a | 2 idle',
      steps: [],
      events: ['merged 1 a'],
    });
  });

  it('lets everyone leave who wants to', () => {
    const outcome = transition(train('A | 1 fresh A>a #11', paused), { kind: 'removed', carId: 1, reason: 'closed' });
    expect(seen(outcome)).toEqual({ train: 'A', steps: ['cancel 11'], events: ['removed 1 closed #11'] });
  });

  it('goes on where it stopped', () => {
    const before = train('A | 1 fresh A>a #11 green, 2 fresh a>b', paused);
    expect(seen(transition(before, control('running')))).toEqual({
      train: 'A | 1 fresh A>a #11 green, 2 fresh a>b asked',
      steps: ['open 2 at b', 'land 1 A>a'],
      events: ['running'],
    });
    expect(transition(before, control('paused')).train).toBe(before);
  });
});

describe('a train that drains (D8)', () => {
  it('lands the cars that are aboard', () => {
    const draining = train('A | 1 fresh A>a #11, 2 idle', { state: 'draining' });
    expect(steps(transition(draining, report(11, 'green')))).toEqual(['land 1 A>a', 'build 2 on a']);
    const green = train('A | 1 fresh A>a #11 green', { state: 'draining' });
    expect(trainText(transition(green, { kind: 'landing_begun', carId: 1, sha: 'a', to: 'a' }).train)).toBe(
      'A | 1 merging A>a #11 green',
    );
  });

  it('blames by the same rules', () => {
    expect(due(train('A | 1 fresh A>a #11 failed ~unit', { ...once, state: 'draining' }))).toEqual([
      'blame 1 pipeline_failed',
    ]);
  });

  it('goes on draining after it has stopped itself', () => {
    const draining = train('A | 1 fresh A>a #11', { ...two, state: 'draining' });
    const stopped = transition(draining, report(11, 'failed', 'unit')).train;
    expect([stopped.state, stopped.targetFailing]).toEqual(['paused', true]);
    const probed = following(
      stopped,
      { kind: 'probe_opened', sha: 'A', pipelineId: 90 },
      { kind: 'probe_reported', pipelineId: 90, verdict: 'green' },
    ).train;
    expect([probed.state, probed.targetFailing]).toEqual(['draining', false]);
  });
});
