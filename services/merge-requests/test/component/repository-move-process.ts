import { openDatabase } from '@switchyard/database';
import { moveRepositories } from '../../src/repositories';
import { silentBus } from '../support/stand-ins';

// Moves a repository in a process of its own, for the tests that kill it. Arguments: database, environment, project,
// storage.
const [databaseUrl = '', environment = '{}', ...args] = process.argv.slice(2);

async function main(): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'repository move test' });
  const unused = { bus: () => silentBus, write: () => undefined };
  await moveRepositories.run({ db, ...unused }, args, JSON.parse(environment));
  await db.close();
}

void main();
