import { prepareSceneGround } from './scene-ground';
import { everyScene } from './scene-sequences';

jest.setTimeout(600_000);

/** A sequence takes half a second of an idle core and up to three of a busy one; test/faults/ runs as many as a night allows. */
const sequences = Number(process.env.TRAIN_SEQUENCES ?? 25);
const limit = 120_000;

test('random sequences on git and PostgreSQL: what lands was tested, in order, and nobody is lost (D8)', async () => {
  const ground = await prepareSceneGround();
  try {
    expect(await everyScene(ground, sequences, 14, limit)).toBeGreaterThan(0);
  } finally {
    await ground.close();
  }
});
