import { join } from 'node:path';
import { makeFixture, type TestUser } from '../e2e/support/fixture';
import { openJournal } from '../e2e/support/journal';
import { expectOneTodoPerReview, expectSettled, expectSoundRepository } from '../e2e/support/oracles';
import { random } from '../e2e/support/random';
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
  }: { system: System; reviewer: TestUser; folder: string; name: string; seed: number },
  faults: () => Promise<void>,
): Promise<void> {
  const fixture = await makeFixture(system, reviewer, name, folder);
  const journal = openJournal(fixture, join(folder, `${name}.journal`));
  const ending = new AbortController();
  const clients = Array.from({ length: writers }, (_, index) =>
    journal.writer(`w${index}`, random(seed * writers + index), ending.signal),
  );
  try {
    // A client that fails ends the wait for a fault that nothing would fire any more.
    await Promise.race([faults(), Promise.all(clients)]);
  } finally {
    ending.abort();
    await Promise.all(clients);
  }
  await expectSettled(system);
  await journal.check();
  await expectSettled(system);
  await expectSoundRepository(fixture);
  await expectOneTodoPerReview(fixture);
}
