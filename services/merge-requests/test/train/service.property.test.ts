import { prepareSceneGround } from './scene-ground';
import { everyScene } from './scene-sequences';

jest.setTimeout(600_000);

/**
 * A sequence takes half a second, or four of a busy machine: as many as fit into the limit, milliseconds. test/faults/
 * runs 300 and more, without one.
 */
const sequences = Number(process.env.TRAIN_SEQUENCES ?? 300);
const limit = 30_000;

test('random sequences on git and PostgreSQL: what lands was tested, in order, and no merge request is lost (D8)', async () => {
  const ground = await prepareSceneGround();
  try {
    expect(await everyScene(ground, sequences, 14, limit)).toBeGreaterThan(0);
  } finally {
    await ground.close();
  }
});
