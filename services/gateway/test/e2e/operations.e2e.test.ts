import { badInputTests } from './operations/bad-input';
import { documentTests } from './operations/document';
import { type BadInputRig, startBadInputRig } from './support/bad-input-rig';

jest.setTimeout(240_000);

/** What is true of every operation, on one installation: starting one and filling it takes longer than some of these tests. */
describe('every operation', () => {
  let rig: BadInputRig;
  beforeAll(async () => {
    rig = await startBadInputRig();
  });
  afterAll(() => rig?.close());

  // In this order: bad input walks whole lists of what the rig made, and well-formed requests change much of it.
  badInputTests(() => rig);
  documentTests(() => rig);
});
