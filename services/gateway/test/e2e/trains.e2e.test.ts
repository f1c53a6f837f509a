import { type System, startSystem } from './support/system';
import { backupTests } from './trains/backup';
import { leavingTests } from './trains/merge-train-removal';
import { mergeTrainTests } from './trains/merge-trains';
import { pageTests } from './trains/page';
import { runningTrainTests } from './trains/train';

jest.setTimeout(300_000);

/** Merge trains on one installation; each test makes its own projects. */
describe('trains', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem();
  });
  afterAll(() => system?.close());

  mergeTrainTests(() => system);
  leavingTests(() => system);
  runningTrainTests(() => system);
  pageTests(() => system);
  backupTests(() => system);
});
