import fc from 'fast-check';
import type { RemovalReason } from '../../src/merge-requests';
import type { TrainSettings, TrainState } from '../../src/merge-trains/domain/merge-train';
import type { transition } from '../../src/merge-trains/domain/transition';
import type { CommitStatusState } from '../../src/pipelines/domain/pipeline-status';
import { TrainWorld } from './world';
import type { Demands } from './world-state';

/** One step of a sequence. */
type Command = (world: TrainWorld) => void;

const at = fc.nat(60);
const worker = fc.nat(1);
const name = fc.constantFrom('unit', 'unit', 'unit', 'e2e', 'lint');
const state = fc.constantFrom<CommitStatusState[]>(
  'success',
  'success',
  'success',
  'running',
  'failed',
  'canceled',
  'skipped',
);
const reason = fc.constantFrom<RemovalReason[]>(
  'canceled',
  'closed',
  'draft',
  'pushed',
  'right_lost',
  'source_branch_deleted',
);
const settings: fc.Arbitrary<Required<TrainSettings>> = fc.record({
  parallel: fc.constantFrom(1, 2, 2, 3, 3, 4, 6),
  retries: fc.constantFrom(0, 0, 1, 1, 1, 2),
  batchSize: fc.constantFrom(1, 2, 4, 4, 5, 5, 10),
});
const demands = fc.constantFrom<Demands[]>(
  { required: [], count: 0 },
  { required: [], count: 2 },
  { required: ['unit'], count: 0 },
  { required: ['unit', 'e2e'], count: 0 },
);
const controls = fc.constantFrom<TrainState[]>('running', 'running', 'running', 'running', 'paused', 'draining');

/** `run` with arguments, printed by its name when a sequence fails. */
const command = <T extends unknown[]>(
  label: string,
  given: { [K in keyof T]: fc.Arbitrary<T[K]> },
  run: (world: TrainWorld, ...values: T) => void,
): fc.Arbitrary<Command> =>
  fc.tuple(...given).map((values) =>
    Object.assign((world: TrainWorld) => run(world, ...(values as unknown as T)), {
      [fc.toStringMethod]: () => `${label}(${values.join(', ')})`,
    }),
  );

function board(world: TrainWorld, kind: number, again: boolean, first: boolean): void {
  world.board({ hot: kind < 4, culprit: kind === 4 || kind === 5, unbuildable: kind === 6 }, again, first);
}

/** Workers that are left alone for a while. */
function workOn(world: TrainWorld, who: number, steps: number): void {
  for (let done = 0; done < steps; done += 1) {
    world.take(who, 0);
    for (let acts = 0; acts < 5; acts += 1) world.act(who);
  }
}

const weighted = (weight: number, arbitrary: fc.Arbitrary<Command>) => ({ weight, arbitrary });

const boarding = [
  weighted(
    12,
    command('board', [fc.nat(23), fc.nat(6), fc.nat(9)], (world, kind, again, first) =>
      board(world, kind, again === 0, first === 0),
    ),
  ),
  weighted(
    5,
    command('board many', [fc.array(fc.nat(23), { minLength: 3, maxLength: 8 })], (world, kinds) => {
      for (const kind of kinds) board(world, kind, false, false);
    }),
  ),
  weighted(
    3,
    command('put first', [at], (world, which) => world.putFirst(which)),
  ),
  weighted(
    6,
    command('leave', [at, reason], (world, which, why) => world.leave(which, why)),
  ),
];

const working = [
  weighted(
    22,
    command('take', [worker, at], (world, who, which) => world.take(who, which)),
  ),
  weighted(
    40,
    command('act', [worker, fc.integer({ min: 1, max: 3 })], (world, who, times) => {
      for (let done = 0; done < times; done += 1) world.act(who);
    }),
  ),
  weighted(30, command('work', [worker, fc.integer({ min: 1, max: 12 })], workOn)),
  weighted(
    5,
    command('crash', [worker], (world, who) => world.crash(who)),
  ),
];

const reporting = [
  weighted(
    14,
    command('report', [at, name, state], (world, which, one, to) => world.report(which, one, to)),
  ),
  weighted(
    22,
    command('end', [at, fc.constantFrom(undefined, undefined, 'unit', 'unit', 'e2e')], (world, which, failing) =>
      world.end(which, failing),
    ),
  ),
  weighted(
    16,
    command('end honestly', [at], (world, which) => world.endHonestly(which)),
  ),
  weighted(
    6,
    command('all end', [fc.constantFrom(undefined, undefined, 'unit')], (world, failing) => world.endAll(failing)),
  ),
  // The target branch itself fails: one after another, until the train stops.
  weighted(
    2,
    command('target fails', [fc.integer({ min: 3, max: 9 })], (world, times) => {
      for (let done = 0; done < times; done += 1) {
        workOn(world, 0, 4);
        world.end(0, 'unit');
      }
    }),
  ),
  weighted(
    14,
    command('deliver', [at, fc.nat(3)], (world, which, twice) => world.deliver(which, twice === 0)),
  ),
  weighted(
    8,
    command('deliver result', [at], (world, which) => world.deliverResult(which)),
  ),
  weighted(
    2,
    command('time out', [at], (world, which) => world.timeOut(which)),
  ),
  weighted(
    2,
    command('delete pipeline', [at], (world, which) => world.deletePipeline(which)),
  ),
  weighted(
    3,
    command('probe again', [], (world) => world.probeAgain()),
  ),
];

const surroundings = [
  weighted(
    3,
    command('outside push', [fc.nat(4), fc.boolean()], (world, hot, signals) => world.outsidePush(hot === 0, signals)),
  ),
  weighted(
    1,
    command('outside push of car', [at], (world, which) => world.outsidePushOfCar(which)),
  ),
  weighted(
    2,
    command('force push', [fc.nat(3), fc.boolean()], (world, back, signals) => world.forcePush(back, signals)),
  ),
  weighted(
    1,
    command('delete target', [fc.boolean()], (world, signals) => world.deleteTarget(signals)),
  ),
  weighted(
    1,
    command('switch off', [], (world) => world.switchOff()),
  ),
  weighted(
    2,
    command('set', [settings, fc.constantFrom('parallel', 'retries', 'batchSize')], (world, to, what) =>
      world.set({ [what]: to[what as keyof TrainSettings] }),
    ),
  ),
  weighted(
    2,
    command('outdate', [at], (world, which) => world.outdate(which)),
  ),
  weighted(
    4,
    command('pause amid', [worker, at], (world, who, which) => world.pauseAmid(who, which)),
  ),
  weighted(
    8,
    command('control', [controls], (world, to) => world.control(to)),
  ),
];

const commands = fc.oneof(...boarding, ...working, ...reporting, ...surroundings);

/** What happened in all sequences, and what an oracle found first. */
export interface SequencesRun {
  readonly counts: ReadonlyMap<string, number>;
  readonly failure: string | undefined;
}

/**
 * Random sequences of everything that can happen, with every oracle after each, against `machine`.
 * @param shortened whether a sequence that fails is made as short as it can be
 */
export function everySequence(
  machine: typeof transition,
  runs: number,
  longest: number,
  shortened = true,
): SequencesRun {
  const counts = new Map<string, number>();
  const result = fc.check(
    fc.property(
      demands,
      settings,
      fc.array(commands, { minLength: 1, maxLength: longest, size: 'max' }),
      (demanded, set, sequence) => {
        const world = new TrainWorld(machine, demanded, set);
        for (const happen of sequence) happen(world);
        world.finally();
        for (const [what, times] of world.counts) counts.set(what, (counts.get(what) ?? 0) + times);
      },
    ),
    { numRuns: runs, endOnFailure: !shortened },
  );
  const [, , sequence] = result.counterexample ?? [];
  const failure = result.failed
    ? `${result.errorInstance instanceof Error ? result.errorInstance.stack : result.errorInstance}\n${fc.stringify(sequence)}`
    : undefined;
  return { counts, failure };
}
