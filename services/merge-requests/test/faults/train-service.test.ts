import { prepareSceneGround } from '../train/scene-ground';
import { everyScene } from '../train/scene-sequences';

jest.setTimeout(7_200_000);

const sequences = Number(process.env.TRAIN_SEQUENCES ?? 10_000);
/** Milliseconds; 10,000 sequences take hours. */
const limit = Number(process.env.TRAIN_MINUTES ?? 30) * 60_000;

test('random sequences on git and PostgreSQL, for as long as there is time (D8)', async () => {
  const ground = await prepareSceneGround();
  try {
    const done = await everyScene(ground, sequences, 30, limit);
    process.stdout.write(`${done} sequences of trains, PROPERTY_SEED=${process.env.PROPERTY_SEED ?? 'as always'}\n`);
    expect(done).toBeGreaterThan(0);
  } finally {
    await ground.close();
  }
});
