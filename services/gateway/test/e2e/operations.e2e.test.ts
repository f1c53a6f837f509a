import { badInputTests } from './operations/bad-input';
import { documentTests } from './operations/document';
import { type BadInputHarness, startBadInputHarness } from './support/bad-input-harness';

jest.setTimeout(600_000);

/** What is true of every operation, on one installation: starting one and filling it takes longer than some of these tests. */
describe('every operation', () => {
  let harness: BadInputHarness;
  beforeAll(async () => {
    harness = await startBadInputHarness();
  });
  afterAll(() => harness?.close());

  // In this order: bad input walks whole lists of what the harness made, and well-formed requests change much of it.
  badInputTests(() => harness, { share: 0.15, seed: 20_240_131 });
  documentTests(() => harness);
});
