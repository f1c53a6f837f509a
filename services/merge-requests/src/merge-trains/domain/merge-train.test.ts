import type { RemovalReason, Verdict } from '../../merge-requests';
import {
  type Car,
  type CarStatus,
  defaultParallelCars,
  emptyTrain,
  type NamedStatus,
  type Outcome,
  type Signal,
  type Step,
  type Train,
  type TrainEvent,
  transition,
  verdictOf,
} from './merge-train';

/** `1 fresh A>a #11 green`: car 1, built on A as a, tested by pipeline 11. */
function car(text: string): Car {
  const [, id, status, onto, sha, pipelineId, verdict] =
    /^(\d+) (\w+)(?: (\w+)>(\w+))?(?: #(\d+))?(?: (\w+))?$/.exec(text) ?? [];
  const build =
    onto === undefined || sha === undefined
      ? undefined
      : {
          onto,
          sha,
          pipelineId: pipelineId === undefined ? undefined : Number(pipelineId),
          verdict: (verdict ?? 'pending') as Verdict,
        };
  return { id: Number(id), status: status as CarStatus, build };
}

/** `A | car, car` is a train on a branch at A; `? | …` one that does not know where its branch is. */
function train(text: string, parallel = defaultParallelCars): Train {
  const [base, cars = ''] = text.split(' | ');
  return { base: base === '?' ? undefined : base, parallel, cars: cars === '' ? [] : cars.split(', ').map(car) };
}

const carText = ({ id, status, build }: Car): string =>
  [
    id,
    status,
    ...(build === undefined ? [] : [`${build.onto}>${build.sha}`]),
    ...(build?.pipelineId === undefined ? [] : [`#${build.pipelineId}`]),
    ...(build === undefined || build.verdict === 'pending' ? [] : [build.verdict]),
  ].join(' ');
const trainText = ({ base, cars }: Train): string =>
  cars.length === 0 ? (base ?? '?') : `${base ?? '?'} | ${cars.map(carText).join(', ')}`;

function stepText(step: Step): string {
  switch (step.kind) {
    case 'read_target':
      return 'read';
    case 'build':
      return `build ${step.carId} on ${step.onto}`;
    case 'open_pipeline':
      return `open ${step.carId} at ${step.sha}`;
    case 'cancel_pipeline':
      return `cancel ${step.pipelineId}`;
    case 'land':
      return `land ${step.carId} ${step.from}>${step.to}`;
    case 'settle':
      return `settle ${step.carId}`;
  }
}

function eventText(event: TrainEvent): string {
  switch (event.kind) {
    case 'added':
      return `added ${event.carId} at ${event.position}`;
    case 'removed':
      return `removed ${event.carId} ${event.reason}${event.pipelineId === undefined ? '' : ` #${event.pipelineId}`}`;
    case 'merged':
      return `merged ${event.carId} ${event.sha}`;
  }
}

const steps = (outcome: Outcome): string[] => outcome.steps.map(stepText);
const events = (outcome: Outcome): string[] => outcome.events.map(eventText);
const seen = (outcome: Outcome) => ({
  train: trainText(outcome.train),
  steps: steps(outcome),
  events: events(outcome),
});

const idle = 'A | 1 idle, 2 idle';
const stale = 'A | 1 stale, 2 stale';
const lost = '? | 1 stale, 2 stale';
const built = 'A | 1 fresh A>a, 2 idle';
const tested = 'A | 1 fresh A>a #11, 2 fresh a>b #12';
const green = 'A | 1 fresh A>a #11 green, 2 fresh a>b #12';
const merging = 'A | 1 merging A>a #11 green, 2 fresh a>b #12';
const states = { idle, stale, lost, built, tested, green, merging };
type State = keyof typeof states;

/** What is due in each state, whatever happened. */
const due: Readonly<Record<State, readonly string[]>> = {
  idle: ['build 1 on A'],
  stale: ['build 1 on A'],
  lost: ['read'],
  built: ['build 2 on a'],
  tested: [],
  green: ['land 1 A>a'],
  merging: ['settle 1'],
};

type Expected = readonly [train: string, steps: readonly string[], events?: readonly string[]];

/** The result of each signal about car 1, by state; in the states that are not named it changes nothing. */
const table: readonly (readonly [Signal, Partial<Record<State, Expected>>])[] = [
  [{ kind: 'resumed' }, {}],
  [{ kind: 'added', carId: 1 }, {}],
  [
    { kind: 'added', carId: 3 },
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
    { kind: 'removed', carId: 1, reason: 'canceled' },
    {
      idle: ['A | 2 idle', ['build 2 on A'], ['removed 1 canceled']],
      stale: ['A | 2 stale', ['build 2 on A'], ['removed 1 canceled']],
      lost: ['? | 2 stale', ['read'], ['removed 1 canceled']],
      built: ['A | 2 idle', ['build 2 on A'], ['removed 1 canceled']],
      tested: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 canceled #11']],
      green: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 canceled #11']],
    },
  ],
  [{ kind: 'removed', carId: 9, reason: 'canceled' }, {}],
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
      idle: ['A | 1 fresh A>n, 2 idle', ['open 1 at n', 'build 2 on n']],
      stale: ['A | 1 fresh A>n, 2 stale', ['open 1 at n', 'build 2 on n']],
    },
  ],
  [{ kind: 'built', carId: 1, onto: 'Z', sha: 'n' }, {}],
  [
    { kind: 'not_buildable', carId: 1, onto: 'A', reason: 'conflict' },
    {
      idle: ['A | 2 idle', ['build 2 on A'], ['removed 1 conflict']],
      stale: ['A | 2 stale', ['build 2 on A'], ['removed 1 conflict']],
    },
  ],
  [
    { kind: 'not_buildable', carId: 1, onto: 'A', reason: 'no_changes' },
    {
      idle: ['A | 2 idle', ['build 2 on A'], ['removed 1 no_changes']],
      stale: ['A | 2 stale', ['build 2 on A'], ['removed 1 no_changes']],
    },
  ],
  [{ kind: 'not_buildable', carId: 1, onto: 'Z', reason: 'conflict' }, {}],
  [
    { kind: 'pipeline_opened', carId: 1, sha: 'a', pipelineId: 11 },
    { built: ['A | 1 fresh A>a #11, 2 idle', ['build 2 on a']] },
  ],
  [{ kind: 'pipeline_opened', carId: 1, sha: 'n', pipelineId: 19 }, {}],
  [{ kind: 'reported', carId: 1, pipelineId: 11, verdict: 'green' }, { tested: [green, ['land 1 A>a']] }],
  [{ kind: 'reported', carId: 1, pipelineId: 11, verdict: 'pending' }, { green: [tested, []] }],
  [
    { kind: 'reported', carId: 1, pipelineId: 11, verdict: 'failed' },
    {
      tested: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 pipeline_failed #11']],
      green: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 pipeline_failed #11']],
    },
  ],
  [
    { kind: 'reported', carId: 1, pipelineId: 11, verdict: 'canceled' },
    {
      tested: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 pipeline_canceled #11']],
      green: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 pipeline_canceled #11']],
    },
  ],
  [{ kind: 'reported', carId: 1, pipelineId: 10, verdict: 'failed' }, {}],
  [{ kind: 'reported', carId: 1, pipelineId: 10, verdict: 'green' }, {}],
  [
    { kind: 'timed_out', carId: 1, pipelineId: 11 },
    { tested: ['A | 2 stale', ['cancel 11', 'cancel 12', 'build 2 on A'], ['removed 1 timeout #11']] },
  ],
  [{ kind: 'timed_out', carId: 1, pipelineId: 10 }, {}],
  [{ kind: 'landing_begun', carId: 1, sha: 'a' }, { green: [merging, ['settle 1']] }],
  [{ kind: 'landing_begun', carId: 1, sha: 'n' }, {}],
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
    const [after, todo, published = []] = expected ?? [states[state], due[state]];
    expect(seen(outcome)).toEqual({ train: after, steps: todo, events: published });
    if (expected === undefined) expect(outcome.train).toBe(before);
    else expect(outcome.train).not.toBe(before);
    expect(trainText(before)).toBe(states[state]);
  });
});

describe('a landing that was begun (D8)', () => {
  it('ends the car and leaves the one behind it on its tested commit', () => {
    const landed = transition(train(merging), signalOfLanding('landed'));
    expect(seen(landed)).toEqual({ train: 'a | 2 fresh a>b #12', steps: [], events: ['merged 1 a'] });
  });

  it('is taken back when the target branch was elsewhere: every car is built again once that was read', () => {
    const failed = transition(train(merging), signalOfLanding('landing_failed'));
    expect(seen(failed)).toEqual({ train: lost, steps: ['cancel 11', 'cancel 12', 'read'], events: [] });
  });

  it.each(['idle', 'stale', 'lost', 'built', 'tested', 'green'] as const)(
    'changes nothing for a car that is %s',
    (state) => {
      for (const kind of ['landed', 'landing_failed'] as const) {
        const before = train(states[state]);
        expect(transition(before, signalOfLanding(kind)).train).toBe(before);
      }
    },
  );

  it.each(['landed', 'landing_failed'] as const)('of another commit is not what %s is about', (kind) => {
    const before = train(merging);
    expect(transition(before, { kind, carId: 1, sha: 'n' }).train).toBe(before);
  });

  it('begins for the first car alone, however green the second', () => {
    const before = train('A | 1 fresh A>a #11, 2 fresh a>b #12 green');
    expect(transition(before, { kind: 'landing_begun', carId: 2, sha: 'b' }).train).toBe(before);
    expect(steps(transition(before, { kind: 'resumed' }))).toEqual([]);
  });
});

function signalOfLanding(kind: 'landed' | 'landing_failed'): Signal {
  return { kind, carId: 1, sha: 'a' };
}

describe('a car leaves', () => {
  const four = 'A | 1 fresh A>a #11 green, 2 fresh a>b #12, 3 fresh b>c #13 green, 4 idle';

  it('G-4.1-6 point 4: those behind it lose their pipelines, those ahead keep theirs', () => {
    const outcome = transition(train(four), { kind: 'removed', carId: 2, reason: 'draft' });
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11 green, 3 stale, 4 idle',
      steps: ['cancel 12', 'cancel 13', 'land 1 A>a', 'build 3 on a'],
      events: ['removed 2 draft #12'],
    });
  });

  it('G-4.1-6 point 4: the last one disturbs no other car', () => {
    const outcome = transition(train(four), { kind: 'removed', carId: 4, reason: 'closed' });
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
    expect(events(transition(train(tested), { kind: 'removed', carId: 2, reason }))).toEqual([
      `removed 2 ${reason} #12`,
    ]);
  });

  it('a failure in the middle does not wait for those ahead', () => {
    const outcome = transition(train(four), { kind: 'reported', carId: 3, pipelineId: 13, verdict: 'failed' });
    expect(seen(outcome)).toEqual({
      train: 'A | 1 fresh A>a #11 green, 2 fresh a>b #12, 4 idle',
      steps: ['cancel 13', 'land 1 A>a', 'build 4 on b'],
      events: ['removed 3 pipeline_failed #13'],
    });
  });
});

describe('the queue', () => {
  it('G-4.1-6 point 1: no more cars are built than may be tested at the same time', () => {
    expect(defaultParallelCars).toBe(20);
    const two = train('A | 1 fresh A>a #11, 2 fresh a>b #12, 3 idle', 2);
    expect(steps(transition(two, { kind: 'resumed' }))).toEqual([]);
    const three = train('A | 1 fresh A>a #11, 2 fresh a>b #12, 3 idle', 3);
    expect(steps(transition(three, { kind: 'resumed' }))).toEqual(['build 3 on b']);
    expect(steps(transition(two, { kind: 'removed', carId: 2, reason: 'closed' }))).toEqual([
      'cancel 12',
      'build 3 on a',
    ]);
  });

  it('a car that was built while the number of cars shrank is not tested', () => {
    const before = train('A | 1 fresh A>a #11, 2 idle', 1);
    expect(transition(before, { kind: 'built', carId: 2, onto: 'a', sha: 'b' }).train).toBe(before);
  });

  it('cars are built one after another, from the first', () => {
    let outcome = [1, 2, 3].reduce<Outcome>(
      ({ train: before }, carId) => transition(before, { kind: 'added', carId }),
      { train: emptyTrain(), steps: [], events: [] },
    );
    expect(seen(outcome)).toEqual({
      train: '? | 1 idle, 2 idle, 3 idle',
      steps: ['read'],
      events: ['added 3 at 3'],
    });
    outcome = transition(outcome.train, { kind: 'target_read', sha: 'A' });
    expect(steps(outcome)).toEqual(['build 1 on A']);
    outcome = transition(outcome.train, { kind: 'built', carId: 1, onto: 'A', sha: 'a' });
    expect(steps(outcome)).toEqual(['open 1 at a', 'build 2 on a']);
    outcome = transition(outcome.train, { kind: 'built', carId: 3, onto: 'a', sha: 'c' });
    expect(trainText(outcome.train)).toBe('A | 1 fresh A>a, 2 idle, 3 idle');
  });

  it('the next car lands on the commit that has just landed', () => {
    let outcome = transition(train('A | 1 merging A>a #11 green, 2 fresh a>b #12 green'), signalOfLanding('landed'));
    expect(steps(outcome)).toEqual(['land 2 a>b']);
    outcome = transition(outcome.train, { kind: 'landing_begun', carId: 2, sha: 'b' });
    expect(trainText(outcome.train)).toBe('a | 2 merging a>b #12 green');
  });

  it('nothing is due for a train without cars', () => {
    expect(steps(transition(emptyTrain(), { kind: 'resumed' }))).toEqual([]);
    expect(steps(transition(train('A'), { kind: 'target_read', sha: 'B' }))).toEqual([]);
  });

  it('G-4.1-6 point 5: where the target branch stands is not heard while a car is being merged; the landing settles it', () => {
    const before = train(merging);
    expect(transition(before, { kind: 'target_read', sha: 'Z' }).train).toBe(before);
    expect(transition(before, { kind: 'target_read', sha: undefined }).train).toBe(before);
  });
});

describe('a pipeline that was deleted', () => {
  it('has its car built again, and those behind it', () => {
    const lostOne = transition(train('A | 1 fresh A>a, 2 fresh a>b #12'), { kind: 'pipeline_lost', carId: 1 });
    expect(seen(lostOne)).toEqual({
      train: 'A | 1 stale, 2 stale',
      steps: ['cancel 12', 'build 1 on A'],
      events: [],
    });
  });

  it('said late, of a car that has another by now, leaves none behind', () => {
    const late = transition(train(tested), { kind: 'pipeline_lost', carId: 1 });
    expect(steps(late)).toEqual(['cancel 11', 'cancel 12', 'build 1 on A']);
  });

  it('is nothing to a car that has no build or is being merged', () => {
    for (const text of [idle, stale, merging]) {
      const before = train(text);
      expect(transition(before, { kind: 'pipeline_lost', carId: 1 }).train).toBe(before);
    }
  });
});

describe('what a pipeline comes to (D8)', () => {
  const named = (...texts: string[]): NamedStatus[] =>
    texts.map((text) => {
      const [name = '', status = '', allowed] = text.split(' ');
      return { name, status, allowFailure: allowed === 'allowed' };
    });

  it.each<[string, boolean, Verdict]>([
    ['created', false, 'pending'],
    ['waiting_for_resource', false, 'pending'],
    ['pending', false, 'pending'],
    ['running', false, 'pending'],
    ['manual', false, 'pending'],
    ['canceling', false, 'pending'],
    ['success', false, 'green'],
    ['failed', false, 'failed'],
    ['canceled', false, 'canceled'],
    ['skipped', false, 'failed'],
    ['skipped', true, 'green'],
  ])('without required names the pipeline decides: %s (skipped counts: %s) is %s', (status, skippedCounts, verdict) => {
    expect(verdictOf(status, named('ci failed'), [], skippedCounts)).toBe(verdict);
  });

  it.each<[string, string[], string[], Verdict]>([
    ['running', ['unit success', 'e2e success'], ['unit', 'e2e'], 'green'],
    ['running', ['unit success', 'e2e success', 'lint running'], ['unit', 'e2e'], 'green'],
    ['failed', ['unit success', 'lint failed'], ['unit'], 'green'],
    ['success', ['unit success'], ['unit', 'e2e'], 'pending'],
    ['success', ['lint success'], ['unit'], 'pending'],
    ['running', ['unit success', 'e2e running'], ['unit', 'e2e'], 'pending'],
    ['running', ['unit success', 'e2e pending'], ['unit', 'e2e'], 'pending'],
    ['running', ['unit failed', 'e2e running'], ['unit', 'e2e'], 'failed'],
    ['running', ['unit failed', 'e2e canceled'], ['unit', 'e2e'], 'failed'],
    ['running', ['unit canceled', 'e2e running'], ['unit', 'e2e'], 'canceled'],
    ['canceled', ['unit success'], ['unit', 'e2e'], 'canceled'],
    ['canceled', [], ['unit'], 'canceled'],
    ['failed', ['unit failed allowed'], ['unit'], 'green'],
    ['skipped', ['unit skipped'], ['unit'], 'failed'],
  ])('with required names those decide: %s, %j, required %j is %s', (status, statuses, required, verdict) => {
    expect(verdictOf(status, named(...statuses), required, false)).toBe(verdict);
  });

  it('a required name that was skipped counts where the project says so', () => {
    expect(verdictOf('success', named('unit skipped', 'e2e success'), ['unit', 'e2e'], true)).toBe('green');
    expect(verdictOf('running', named('unit skipped'), ['unit', 'e2e'], true)).toBe('pending');
  });
});
