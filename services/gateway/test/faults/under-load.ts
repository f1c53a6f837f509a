import { join } from 'node:path';
import { openJournal } from '../e2e/support/journal';
import { expectOneTodoPerReview, expectSettled, expectSoundRepository } from '../e2e/support/oracles';
import { random } from '../e2e/support/random';
import { makeScene, type Someone } from '../e2e/support/scene';
import type { System } from '../e2e/support/system';

const writers = 4;

/** Runs `faults` while clients write to a project of their own; then looks whether everything holds. */
export async function underLoad(
  {
    system,
    reviewer,
    folder,
    name,
    seed,
  }: { system: System; reviewer: Someone; folder: string; name: string; seed: number },
  faults: () => Promise<void>,
): Promise<void> {
  const scene = await makeScene(system, reviewer, name, folder);
  const journal = openJournal(scene, join(folder, `${name}.journal`));
  const ending = new AbortController();
  const clients = Array.from({ length: writers }, (_, index) =>
    journal.writer(`w${index}`, random(seed * writers + index), ending.signal),
  );
  try {
    // A client that fails ends the wait for a fault nobody would fire any more.
    await Promise.race([faults(), Promise.all(clients)]);
  } finally {
    ending.abort();
    await Promise.all(clients);
  }
  await expectSettled(system);
  await journal.check();
  await expectSettled(system);
  await expectSoundRepository(scene);
  await expectOneTodoPerReview(scene);
}
