import { badInputTests } from '../e2e/operations/bad-input';
import { type BadInputHarness, startBadInputHarness } from '../e2e/support/bad-input-harness';

jest.setTimeout(1_800_000);

/** Hostile values in all parameters, other ones in each run; SEED repeats one, SHARE tries a part. */
describe('every operation', () => {
  let harness: BadInputHarness;
  beforeAll(async () => {
    harness = await startBadInputHarness();
  });
  afterAll(() => harness?.close());

  const { SHARE: share = 1, SEED: seed = Date.now() % 1_000_000 } = process.env;
  badInputTests(() => harness, { share: Number(share), seed: Number(seed) });
});
