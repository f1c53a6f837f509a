import { burstTests } from './one-installation/bursts';
import { displayTextTests } from './one-installation/display-texts';
import { issueTests } from './one-installation/issues';
import { noteTests } from './one-installation/notes';
import { typedClientTests } from './one-installation/typed-client';
import { type System, startSystem } from './support/system';

jest.setTimeout(300_000);

/** Tests that need an installation, and none of their own: each makes its own users and projects. Issues come first, for they count all there are. */
describe('one installation', () => {
  let system: System;
  beforeAll(async () => {
    system = await startSystem();
  });
  afterAll(() => system?.close());

  issueTests(() => system);
  noteTests(() => system);
  typedClientTests(() => system);
  displayTextTests(() => system);
  burstTests(() => system);
});
