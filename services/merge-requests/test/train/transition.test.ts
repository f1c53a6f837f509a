import type { RemovalReason } from '../../src/merge-requests';
import { defaultParallelCars, emptyTrain, type Signal } from '../../src/merge-trains/domain/merge-train';
import { transition } from '../../src/merge-trains/domain/transition';
import { due, events, following, report, seen, steps, train, trainText } from './train-text';

const idle = 'A | 1 idle, 2 idle';
const stale = 'A | 1 stale, 2 stale';
const lost = '? | 1 stale, 2 stale';
const built = 'A | 1 fresh A>a asked, 2 idle';
const tested = 'A | 1 fresh A>a #11, 2 fresh a>b #12';
const green = 'A | 1 fresh A>a #11 green, 2 fresh a>b #12';
const merging = 'A | 1 merging A>a #11 green, 2 fresh a>b #12';
const states = { idle, stale, lost, built, tested, green, merging };
type State = keyof typeof states;

/** What is due in each state, whatever happened. */
const always: Readonly<Record<State, readonly string[]>> = {
  idle: ['build 1 on A'],
  stale: ['build 1 on A'],
  lost: ['read'],
  built: ['build 2 on a'],
  tested: [],
  green: ['land 1 A>a'],
  merging: ['settle 1'],
};

type Expected = readonly [train: string, steps: readonly string[], events?: readonly string[]];

const added = (carId: number, first = false): Signal => ({ kind: 'added', carId, mergeRequestId: 100 + carId, first });
const removed = (carId: number, reason: RemovalReason): Signal => ({ kind: 'removed', carId, reason });

/** The result of each signal about car 1, by state; in the states that are not named it changes nothing. */
const table: readonly (readonly [Signal, Partial<Record<State, Expected>>])[] = [
  [{ kind: 'resumed' }, {}],
  [added(1), {}],
  [added(1, true), {}],
  [
    added(3),
    {
      idle: [`${idle}, 3 idle`, ['build 1 on A'], ['added 3 at 3']],
      stale: [`${stale}, 3 idle`, ['build 1 on A'], ['added 3 at 3']],
      lost: [`${lost}, 3 idle`, ['read'], ['added 3 at 3']],
      built: [`${built}, 3 idle`, ['build 2 on a'], ['added 3 at 3']],
      tested: [`${tested}, 3 idle`, ['build 3 on b'], ['added 3 at 3']],
      green: [`${green}, 3 idle`, ['land 1 A>a', 'build 3 on b'], ['added 3 at 3']],
      merging: [`${merging}, 3 idle`, ['settle 1', 'build 3 on b'], ['added 3 at 3']],
    },
  ],
  [
    removed(1, 'canceled'),
    {
      idle: ['A | 2 idle', ['build 2 on A'], ['removed 1 canceled']],
      stale: ['A | 2 stale', ['build 2 on A'], ['removed 1 canceled']],
      lost: ['? | 2 stale', ['read'], ['removed 1 canceled']],
      built: ['A | 2 idle', ['build 2 on A'], ['removed 1 canceled']],
      tested: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 canceled #11']],
      green: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 canceled #11']],
    },
  ],
  [removed(9, 'canceled'), {}],
  [{ kind: 'blamed', carId: 1 }, {}],
  [{ kind: 'target_read', sha: 'A' }, { lost: ['A | 1 stale, 2 stale', ['build 1 on A']] }],
  [
    { kind: 'target_read', sha: 'Z' },
    {
      idle: ['Z | 1 idle, 2 idle', ['build 1 on Z']],
      stale: ['Z | 1 stale, 2 stale', ['build 1 on Z']],
      lost: ['Z | 1 stale, 2 stale', ['build 1 on Z']],
      built: ['Z | 1 stale, 2 idle', ['build 1 on Z']],
      tested: ['Z | 1 stale, 2 stale', ['cancel 11', 'cancel 12', 'build 1 on Z']],
      green: ['Z | 1 stale, 2 stale', ['cancel 11', 'cancel 12', 'build 1 on Z']],
    },
  ],
  [
    { kind: 'target_read', sha: undefined },
    {
      idle: ['?', [], ['removed 1 target_branch_deleted', 'removed 2 target_branch_deleted']],
      stale: ['?', [], ['removed 1 target_branch_deleted', 'removed 2 target_branch_deleted']],
      lost: ['?', [], ['removed 1 target_branch_deleted', 'removed 2 target_branch_deleted']],
      built: ['?', [], ['removed 1 target_branch_deleted', 'removed 2 target_branch_deleted']],
      tested: [
        '?',
        ['cancel 11', 'cancel 12'],
        ['removed 1 target_branch_deleted #11', 'removed 2 target_branch_deleted #12'],
      ],
      green: [
        '?',
        ['cancel 11', 'cancel 12'],
        ['removed 1 target_branch_deleted #11', 'removed 2 target_branch_deleted #12'],
      ],
    },
  ],
  [
    { kind: 'built', carId: 1, onto: 'A', sha: 'n' },
    {
      idle: ['A | 1 fresh A>n asked, 2 idle', ['open 1 at n', 'build 2 on n']],
      stale: ['A | 1 fresh A>n asked, 2 stale', ['open 1 at n', 'build 2 on n']],
    },
  ],
  [{ kind: 'built', carId: 1, onto: 'Z', sha: 'n' }, {}],
  [
    { kind: 'not_buildable', carId: 1, onto: 'A', reason: 'conflict' },
    {
      idle: ['A | 1 idle held:conflict@A, 2 idle', ['blame 1 conflict', 'build 2 on A']],
      stale: ['A | 1 stale held:conflict@A, 2 stale', ['blame 1 conflict', 'build 2 on A']],
    },
  ],
  [{ kind: 'not_buildable', carId: 1, onto: 'Z', reason: 'conflict' }, {}],
  [
    { kind: 'outdated', carId: 1 },
    {
      built: ['A | 1 stale, 2 idle', ['build 1 on A']],
      tested: ['A | 1 stale, 2 stale', ['cancel 11', 'cancel 12', 'build 1 on A']],
      green: ['A | 1 stale, 2 stale', ['cancel 11', 'cancel 12', 'build 1 on A']],
    },
  ],
  [
    { kind: 'pipeline_opened', carId: 1, sha: 'a', pipelineId: 11 },
    { built: ['A | 1 fresh A>a #11, 2 idle', ['build 2 on a']] },
  ],
  [{ kind: 'pipeline_opened', carId: 1, sha: 'n', pipelineId: 19 }, {}],
  [report(11, 'green'), { tested: [green, ['land 1 A>a'], ['judged 11 green']] }],
  [report(11, 'pending'), { green: [tested, []] }],
  [
    report(11, 'failed', 'unit'),
    {
      tested: [
        'A | 1 fresh A>a asked again:1 ~unit, 2 stale',
        ['cancel 11', 'cancel 12', 'rerun 1 at a', 'build 2 on A'],
        ['judged 11 failed unit'],
      ],
      green: [
        'A | 1 fresh A>a asked again:1 ~unit, 2 stale',
        ['cancel 11', 'cancel 12', 'rerun 1 at a', 'build 2 on A'],
        ['judged 11 failed unit'],
      ],
    },
  ],
  [
    report(11, 'canceled'),
    {
      tested: [
        'A | 1 fresh A>a #11 canceled, 2 stale',
        ['cancel 12', 'blame 1 pipeline_canceled', 'build 2 on A'],
        ['judged 11 canceled'],
      ],
      green: [
        'A | 1 fresh A>a #11 canceled, 2 stale',
        ['cancel 12', 'blame 1 pipeline_canceled', 'build 2 on A'],
        ['judged 11 canceled'],
      ],
    },
  ],
  [report(10, 'failed', 'unit'), {}],
  [report(10, 'green'), {}],
  [
    { kind: 'timed_out', pipelineId: 11 },
    {
      tested: [
        'A | 1 fresh A>a #11 late, 2 stale',
        ['cancel 11', 'cancel 12', 'blame 1 timeout', 'build 2 on A'],
        ['judged 11 late'],
      ],
    },
  ],
  [{ kind: 'timed_out', pipelineId: 10 }, {}],
  [{ kind: 'landing_begun', carId: 1, sha: 'a', to: 'a' }, { green: [merging, ['settle 1']] }],
  [{ kind: 'landing_begun', carId: 1, sha: 'n', to: 'n' }, {}],
  [{ kind: 'probe_opened', sha: 'A', pipelineId: 19 }, {}],
  [{ kind: 'probe_reported', pipelineId: 11, verdict: 'green' }, {}],
  [{ kind: 'probe_due' }, {}],
  [{ kind: 'controlled', state: 'running' }, {}],
  [
    { kind: 'switched_off' },
    {
      idle: ['A', [], ['removed 1 trains_disabled', 'removed 2 trains_disabled']],
      stale: ['A', [], ['removed 1 trains_disabled', 'removed 2 trains_disabled']],
      lost: ['?', [], ['removed 1 trains_disabled', 'removed 2 trains_disabled']],
      built: ['A', [], ['removed 1 trains_disabled', 'removed 2 trains_disabled']],
      tested: ['A', ['cancel 11', 'cancel 12'], ['removed 1 trains_disabled #11', 'removed 2 trains_disabled #12']],
      green: ['A', ['cancel 11', 'cancel 12'], ['removed 1 trains_disabled #11', 'removed 2 trains_disabled #12']],
      merging: ['A | 1 merging A>a #11 green', ['cancel 12', 'settle 1'], ['removed 2 trains_disabled #12']],
    },
  ],
];

const cases = table.flatMap(([signal, expected]) =>
  (Object.keys(states) as State[]).map((state) => [signal, state, expected[state]] as const),
);

describe('every signal in every state (D8, G-3-2)', () => {
  it.each(cases)('%j when it is %s', (signal, state, expected) => {
    const before = train(states[state]);
    const outcome = transition(before, signal);
    const [after, todo, published = []] = expected ?? [states[state], always[state]];
    expect(seen(outcome)).toEqual({ train: after, steps: todo, events: published });
    if (expected === undefined) expect(outcome.train).toBe(before);
    else expect(outcome.train).not.toBe(before);
    expect(trainText(before)).toBe(states[state]);
  });
});

function ofLanding(kind: 'landed' | 'landing_failed'): Signal {
  return { kind, carId: 1, sha: 'a' };
}

describe('a landing that was begun (D8)', () => {
  it('ends the car and leaves the one behind it on its tested commit', () => {
    const landed = transition(train(merging), ofLanding('landed'));
    expect(seen(landed)).toEqual({ train: 'a | 2 fresh a>b #12', steps: [], events: ['merged 1 a'] });
  });

  it('is taken back when the target branch was elsewhere: every car is built again once that was read', () => {
    const failed = transition(train(merging), ofLanding('landing_failed'));
    expect(seen(failed)).toEqual({ train: lost, steps: ['cancel 11', 'cancel 12', 'read'], events: [] });
  });

  it.each(['idle', 'stale', 'lost', 'built', 'tested', 'green'] as const)(
    'changes nothing for a car that is %s',
    (state) => {
      for (const kind of ['landed', 'landing_failed'] as const) {
        const before = train(states[state]);
        expect(transition(before, ofLanding(kind)).train).toBe(before);
      }
    },
  );

  it.each(['landed', 'landing_failed'] as const)('of another commit is not what %s is about', (kind) => {
    const before = train(merging);
    expect(transition(before, { kind, carId: 1, sha: 'n' }).train).toBe(before);
  });

  it('begins for the first car alone, however green the second', () => {
    const before = train('A | 1 fresh A>a #11, 2 fresh a>b #12 green');
    expect(transition(before, { kind: 'landing_begun', carId: 2, sha: 'b', to: 'b' }).train).toBe(before);
    expect(due(before)).toEqual([]);
  });
});

describe('a car leaves', () => {
  const four = 'A | 1 fresh A>a #11 green, 2 fresh a>b #12, 3 fresh b>c #13 green, 4 idle';

  it('G-4.1-6 point 4: those behind it lose their pipelines, those ahead keep theirs', () => {
    const outcome = transition(train(four), removed(2, 'draft'));
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11 green, 3 stale, 4 idle',
      steps: ['cancel 12', 'cancel 13', 'land 1 A>a', 'build 3 on a'],
      events: ['removed 2 draft #12'],
    });
  });

  it('G-4.1-6 point 4: the last one disturbs no other car', () => {
    const outcome = transition(train(four), removed(4, 'closed'));
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11 green, 2 fresh a>b #12, 3 fresh b>c #13 green',
      steps: ['land 1 A>a'],
      events: ['removed 4 closed'],
    });
  });

  it.each<RemovalReason>([
    'canceled',
    'closed',
    'draft',
    'pushed',
    'not_mergeable',
    'right_lost',
    'user_gone',
    'source_branch_deleted',
    'retargeted',
    'merged_by_push',
    'skipped',
  ])('G-4.1-5: %s is published as it is', (reason) => {
    expect(events(transition(train(tested), removed(2, reason)))).toEqual([`removed 2 ${reason} #12`]);
  });
});

describe('the queue', () => {
  it('G-4.1-6 point 1: no more cars are built than may be tested at the same time', () => {
    expect(defaultParallelCars).toBe(20);
    const text = 'A | 1 fresh A>a #11, 2 fresh a>b #12, 3 idle';
    expect(due(train(text, { parallel: 2 }))).toEqual([]);
    expect(due(train(text, { parallel: 3 }))).toEqual(['build 3 on b']);
    expect(steps(transition(train(text, { parallel: 2 }), removed(2, 'closed')))).toEqual([
      'cancel 12',
      'build 3 on a',
    ]);
  });

  it('a car that was built while the number of pipelines shrank waits for one', () => {
    const outcome = transition(train('A | 1 fresh A>a #11, 2 idle', { parallel: 1 }), {
      kind: 'built',
      carId: 2,
      onto: 'a',
      sha: 'b',
    });
    expect(seen(outcome)).toEqual({ train: 'A | 1 fresh A>a #11, 2 fresh a>b', steps: [], events: [] });
    expect(steps(transition(outcome.train, report(11, 'green')))).toEqual(['open 2 at b', 'land 1 A>a']);
  });

  it('cars are built one after another, from the first', () => {
    let outcome = following(emptyTrain({ batchSize: 1 }), added(1), added(2), added(3));
    expect(seen(outcome)).toEqual({
      train: '? | 1 idle, 2 idle, 3 idle',
      steps: ['read'],
      events: ['added 1 at 1', 'added 2 at 2', 'added 3 at 3'],
    });
    outcome = transition(outcome.train, { kind: 'target_read', sha: 'A' });
    expect(steps(outcome)).toEqual(['build 1 on A']);
    outcome = transition(outcome.train, { kind: 'built', carId: 1, onto: 'A', sha: 'a' });
    expect(steps(outcome)).toEqual(['open 1 at a', 'build 2 on a']);
    outcome = transition(outcome.train, { kind: 'built', carId: 3, onto: 'a', sha: 'c' });
    expect(trainText(outcome.train)).toBe('A | 1 fresh A>a asked, 2 idle, 3 idle');
  });

  it('the next car lands on the commit that has just landed', () => {
    let outcome = transition(train('A | 1 merging A>a #11 green, 2 fresh a>b #12 green'), ofLanding('landed'));
    expect(steps(outcome)).toEqual(['land 2 a>b']);
    outcome = transition(outcome.train, { kind: 'landing_begun', carId: 2, sha: 'b', to: 'b' });
    expect(trainText(outcome.train)).toBe('a | 2 merging a>b #12 green');
  });

  it('nothing is due for a train without cars', () => {
    expect(due(emptyTrain())).toEqual([]);
    expect(steps(transition(train('A'), { kind: 'target_read', sha: 'B' }))).toEqual([]);
    const gone = train('?');
    expect(transition(gone, { kind: 'target_read', sha: undefined }).train).toBe(gone);
  });

  it('G-4.1-6 point 5: where the target branch stands is not heard while a car is being merged; the landing settles it', () => {
    const before = train(merging);
    expect(transition(before, { kind: 'target_read', sha: 'Z' }).train).toBe(before);
    expect(transition(before, { kind: 'target_read', sha: undefined }).train).toBe(before);
  });
});

describe('a car is put first (G-4.1-4)', () => {
  it('boards at the front, and those behind are built on it', () => {
    expect(seen(transition(train(tested), added(3, true)))).toEqual({
      train: 'A | 3 idle, 1 stale, 2 stale',
      steps: ['cancel 11', 'cancel 12', 'build 3 on A'],
      events: ['added 3 at 1 first', 'overtaken 1 at 2 by 3', 'overtaken 2 at 3 by 3'],
    });
  });

  it('moves there when it is aboard', () => {
    expect(seen(transition(train(tested), added(2, true)))).toEqual({
      train: 'A | 2 stale, 1 stale',
      steps: ['cancel 11', 'cancel 12', 'build 2 on A'],
      events: ['moved 2 at 1 first', 'overtaken 1 at 2 by 2'],
    });
  });

  it('stands behind what is being merged, which keeps its tests', () => {
    expect(seen(transition(train(merging), added(3, true)))).toEqual({
      train: 'A | 1 merging A>a #11 green, 3 idle, 2 stale',
      steps: ['cancel 12', 'settle 1', 'build 3 on a'],
      events: ['added 3 at 2 first', 'overtaken 2 at 3 by 3'],
    });
  });

  it('changes nothing for the one that is there already', () => {
    const before = train(merging);
    expect(transition(before, added(2, true)).train).toBe(before);
  });
});

describe('a pipeline that was deleted (D8)', () => {
  it('is opened again for the same commit', () => {
    const before = train('A | 1 fresh A>a, 2 fresh a>b #12');
    expect(seen(transition(before, { kind: 'resumed' }))).toEqual({
      train: 'A | 1 fresh A>a asked, 2 fresh a>b #12',
      steps: ['open 1 at a'],
      events: [],
    });
  });
});
