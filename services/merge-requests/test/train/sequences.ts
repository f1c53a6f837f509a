import fc from 'fast-check';
import type { RemovalReason } from '../../src/merge-requests/domain/removal-reason';
import type { transition } from '../../src/merge-trains/domain/merge-train';
import type { CommitStatusState } from '../../src/pipelines/domain/pipeline-status';
import { TrainWorld } from './world';

/** One step of a sequence. */
type Command = (world: TrainWorld) => void;

const at = fc.nat(60);
const worker = fc.nat(1);
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

/** `run` with arguments, printed by its name when a sequence fails. */
const command = <T extends unknown[]>(
  name: string,
  given: { [K in keyof T]: fc.Arbitrary<T[K]> },
  run: (world: TrainWorld, ...values: T) => void,
): fc.Arbitrary<Command> =>
  fc.tuple(...given).map((values) =>
    Object.assign((world: TrainWorld) => run(world, ...(values as unknown as T)), {
      [fc.toStringMethod]: () => `${name}(${values.join(', ')})`,
    }),
  );

const commands = fc.oneof(
  {
    weight: 14,
    arbitrary: command('board', [fc.nat(3), fc.nat(6)], (world, hot, again) => world.board(hot === 0, again === 0)),
  },
  { weight: 25, arbitrary: command('take', [worker, at], (world, who, which) => world.take(who, which)) },
  {
    weight: 45,
    arbitrary: command('act', [worker, fc.integer({ min: 1, max: 3 })], (world, who, times) => {
      for (let done = 0; done < times; done += 1) world.act(who);
    }),
  },
  // A worker that is left alone for a while.
  {
    weight: 20,
    arbitrary: command('work', [worker, fc.integer({ min: 1, max: 8 })], (world, who, steps) => {
      for (let done = 0; done < steps; done += 1) {
        world.take(who, 0);
        for (let acts = 0; acts < 5; acts += 1) world.act(who);
      }
    }),
  },
  {
    weight: 30,
    arbitrary: command(
      'report',
      [at, fc.constantFrom('unit', 'unit', 'e2e', 'lint'), state],
      (world, which, name, to) => world.report(which, name, to),
    ),
  },
  { weight: 8, arbitrary: command('pass all', [], (world) => world.passAll()) },
  {
    weight: 20,
    arbitrary: command('deliver', [at, fc.nat(3)], (world, which, twice) => world.deliver(which, twice === 0)),
  },
  { weight: 12, arbitrary: command('deliver result', [at], (world, which) => world.deliverResult(which)) },
  { weight: 8, arbitrary: command('leave', [at, reason], (world, which, why) => world.leave(which, why)) },
  {
    weight: 4,
    arbitrary: command('outside push', [fc.nat(4), fc.boolean()], (world, hot, signals) =>
      world.outsidePush(hot === 0, signals),
    ),
  },
  { weight: 1, arbitrary: command('outside push of car', [at], (world, which) => world.outsidePushOfCar(which)) },
  {
    weight: 4,
    arbitrary: command('force push', [fc.nat(3), fc.boolean()], (world, back, signals) =>
      world.forcePush(back, signals),
    ),
  },
  { weight: 1, arbitrary: command('delete target', [fc.boolean()], (world, signals) => world.deleteTarget(signals)) },
  { weight: 2, arbitrary: command('time out', [at], (world, which) => world.timeOut(which)) },
  { weight: 2, arbitrary: command('delete pipeline', [at], (world, which) => world.deletePipeline(which)) },
  { weight: 5, arbitrary: command('crash', [worker], (world, who) => world.crash(who)) },
  { weight: 1, arbitrary: command('switch off', [], (world) => world.switchOff()) },
  {
    weight: 2,
    arbitrary: command('parallel', [fc.integer({ min: 1, max: 5 })], (world, cars) => world.setParallel(cars)),
  },
);

/** Random sequences of everything that can happen, with every oracle after each, against `machine`. */
export function everySequence(machine: typeof transition, runs: number, longest: number): void {
  fc.assert(
    fc.property(
      fc.constantFrom([], ['unit'], ['unit', 'e2e']),
      fc.integer({ min: 1, max: 6 }),
      fc.array(commands, { minLength: 1, maxLength: longest, size: 'max' }),
      (required, parallel, sequence) => {
        const world = new TrainWorld(machine, required, parallel);
        for (const happen of sequence) {
          happen(world);
          world.check();
        }
        world.finally();
      },
    ),
    { numRuns: runs },
  );
}
