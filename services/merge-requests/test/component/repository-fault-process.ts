import { startHarness } from './repository-harness';

// Service and gateway in a process of their own, for the tests that kill it. Arguments: database, data folder, further
// variables of the service.
const [databaseUrl = '', folder = '', further = '{}'] = process.argv.slice(2);

async function main(): Promise<void> {
  // What a crashed process left behind is waited for in each of these tests.
  const harness = await startHarness(
    { databaseUrl, folder },
    { SWITCHYARD_RECOVERY_SECONDS: '1', ...JSON.parse(further) },
  );
  process.stdout.write(`${harness.url}\n`);
}

void main();
