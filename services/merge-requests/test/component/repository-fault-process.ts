import { startHarness } from './repository-harness';

// Service and gateway in a process of their own, for the tests that kill it. Arguments: database, data folder.
const [databaseUrl = '', folder = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  // What a crashed process left behind is waited for in each of these tests.
  const harness = await startHarness({ databaseUrl, folder }, 1);
  process.stdout.write(`${harness.url}\n`);
}

void main();
