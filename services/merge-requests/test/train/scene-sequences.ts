import type { Database } from '@switchyard/database';
import fc from 'fast-check';
import type { Fault } from './faulty-database';
import { TrainScene, type Way } from './train-scene';
import type { SceneSettings } from './train-scene-state';

/** One step of a sequence. */
type Command = (scene: TrainScene) => Promise<void>;

const at = fc.nat(20);

const command = <T extends unknown[]>(
  name: string,
  given: { [K in keyof T]: fc.Arbitrary<T[K]> },
  run: (scene: TrainScene, ...values: T) => Promise<void>,
): fc.Arbitrary<Command> =>
  fc.tuple(...given).map((values) =>
    Object.assign((scene: TrainScene) => run(scene, ...(values as unknown as T)), {
      [fc.toStringMethod]: () => `${name}(${values.map((value) => fc.stringify(value)).join(', ')})`,
    }),
  );

const way = fc.constantFrom<Way[]>('cancel', 'close', 'draft', 'retarget', 'delete source', 'push', 'push');
const state = fc.constantFrom('success', 'success', 'success', 'running', 'failed', 'canceled', 'skipped');

const board = command('board', [at, fc.nat(9)], (scene, which, first) => scene.board(which, first === 0));
const control = command('control', [fc.constantFrom('paused', 'paused', 'draining', 'running')], (scene, to) =>
  scene.control(to),
);
const failAll = command('fail all', [], (scene) => scene.failAll());
const failOne = command('fail one', [at], (scene, which) => scene.failOne(which));
const failOn = command('fail on and on', [fc.integer({ min: 2, max: 5 })], async (scene, times) => {
  for (let done = 0; done < times; done += 1) {
    await scene.failAll();
    await scene.work({ kind: 'none' });
    await scene.check();
  }
});
const report = command('report', [at, fc.constantFrom('unit', 'e2e', 'lint'), state], (scene, which, name, to) =>
  scene.report(which, name, to),
);
const leave = command('leave', [at, way], (scene, which, how) => scene.leave(which, how));
const outsidePush = command('outside push', [fc.boolean()], (scene, hot) => scene.outsidePush(hot));
const forcePush = command('force push', [], (scene) => scene.forcePush());
const passAll = command('pass all', [], (scene) => scene.passAll());
const skipTrain = command('skip train', [at], (scene, which) => scene.skipTrain(which));
const workAlone = command('work', [], (scene) => scene.work({ kind: 'none' }));

/** What can happen while a worker stands still. */
const meanwhile = fc.oneof(
  board,
  report,
  leave,
  outsidePush,
  forcePush,
  passAll,
  failOne,
  skipTrain,
  control,
  workAlone,
);

/** A train step takes some ten statements: a fault strikes in one of the first few steps. */
const strike = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('crashes' as const), at: fc.integer({ min: 1, max: 60 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('crashes committed' as const), at: fc.integer({ min: 1, max: 8 }) }),
  },
);

const fault = (scene: TrainScene, struck: Fault | { at: number; run: Command }): Fault =>
  'run' in struck ? { kind: 'waits', at: struck.at, meanwhile: () => struck.run(scene) } : struck;

const interruption = fc.oneof(
  { weight: 3, arbitrary: strike },
  {
    weight: 4,
    arbitrary: fc.record({ at: fc.integer({ min: 1, max: 40 }), run: meanwhile }),
  },
);

const commands = fc.oneof(
  { weight: 10, arbitrary: board },
  { weight: 10, arbitrary: workAlone },
  { weight: 10, arbitrary: command('struck', [interruption], (scene, struck) => scene.work(fault(scene, struck))) },
  { weight: 3, arbitrary: command('race', [interruption], (scene, struck) => scene.race(fault(scene, struck))) },
  { weight: 3, arbitrary: command('look after', [], (scene) => scene.lookAfter()) },
  { weight: 6, arbitrary: report },
  { weight: 7, arbitrary: passAll },
  { weight: 2, arbitrary: failAll },
  { weight: 6, arbitrary: failOne },
  { weight: 4, arbitrary: failOn },
  { weight: 3, arbitrary: control },
  { weight: 3, arbitrary: leave },
  { weight: 2, arbitrary: outsidePush },
  { weight: 1, arbitrary: forcePush },
  { weight: 1, arbitrary: skipTrain },
  { weight: 1, arbitrary: command('delete target', [], (scene) => scene.deleteTarget()) },
  { weight: 1, arbitrary: command('push car', [at], (scene, which) => scene.pushCar(which)) },
  { weight: 1, arbitrary: command('time out', [], (scene) => scene.timeOut()) },
  { weight: 1, arbitrary: command('switch off', [], (scene) => scene.switchOff()) },
  { weight: 1, arbitrary: command('delete pipeline', [at], (scene, which) => scene.deletePipeline(which)) },
);

const settings: fc.Arbitrary<SceneSettings> = fc.record({
  method: fc.constantFrom('merge', 'ff', 'rebase_merge'),
  required: fc.constantFrom([], ['unit'], ['unit', 'e2e']),
  // Batches are made while more merge requests wait than pipelines may run.
  parallel: fc.constantFrom(1, 1, 2, 2, 3, 5),
  retries: fc.constantFrom(0, 1, 1, 2),
  batchSize: fc.constantFrom(1, 2, 4, 4),
  count: fc.constantFrom(0, 0, 2),
  squash: fc.boolean(),
  requests: fc.integer({ min: 2, max: 5 }),
  // The verifier recomputes each landing with a dozen processes: it looks at some of the scenes.
  verified: fc.constantFrom(true, false, false),
});

/** What the sequences run on. */
export interface SceneGround {
  readonly db: Database;
  readonly data: string;
  /** A project id that nothing has used yet. */
  nextProject(): number;
}

/**
 * Random sequences against the real service, with every oracle after each step.
 * @param limit milliseconds after which no further sequence starts
 * @returns how many were run
 */
export async function everyScene(ground: SceneGround, runs: number, longest: number, limit: number): Promise<number> {
  let done = 0;
  await fc.assert(
    fc.asyncProperty(
      settings,
      fc.array(commands, { minLength: 4, maxLength: longest, size: 'max' }),
      async (given, sequence) => {
        const scene = await TrainScene.make(ground.db, ground.data, ground.nextProject(), given);
        // Without a car nothing can go wrong.
        await scene.board(0, false);
        await scene.board(1, false);
        if (given.requests > 3) for (const at of [2, 3]) await scene.board(at, false);
        for (const happen of sequence) {
          await happen(scene);
          await scene.check();
        }
        await scene.finally();
        done += 1;
      },
    ),
    { numRuns: runs, interruptAfterTimeLimit: limit, markInterruptAsFailure: false },
  );
  return done;
}
