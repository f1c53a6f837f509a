import { burstTests } from './one-installation/bursts';
import { changeFeedTests } from './one-installation/change-feed';
import { closedTests, startUnderOpenUmask } from './one-installation/closed';
import { displayTextTests } from './one-installation/display-texts';
import { idleTests } from './one-installation/idle';
import { issueTests } from './one-installation/issues';
import { noteTests } from './one-installation/notes';
import { projectExportTests } from './one-installation/project-exports';
import { rotationTests } from './one-installation/rotation';
import { tourTests } from './one-installation/tour';
import { typedClientTests } from './one-installation/typed-client';
import type { System } from './support/system';

jest.setTimeout(300_000);

/**
 * Tests that need an installation, and none of their own: each makes its own users and projects. The one without a
 * request comes first, then issues, for they count all there are.
 */
describe('one installation', () => {
  let system: System;
  beforeAll(async () => {
    system = await startUnderOpenUmask();
  });
  afterAll(() => system?.close());

  idleTests(() => system);
  issueTests(() => system);
  noteTests(() => system);
  typedClientTests(() => system);
  displayTextTests(() => system);
  burstTests(() => system);
  changeFeedTests(() => system);
  projectExportTests(() => system);
  tourTests(() => system);
  rotationTests(() => system);
  closedTests(() => system);
});
