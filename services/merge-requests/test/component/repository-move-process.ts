import { openDatabase } from '@switchyard/database';
import { moveRepositories } from '../../src/repositories';
import { silentBus } from '../support/stand-ins';

// Moves a repository in a process of its own, for the tests that kill it. Arguments: database, data folder, storages,
// project, storage.
const [databaseUrl = '', folder = '', storages = '', ...args] = process.argv.slice(2);

async function main(): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'repository move test' });
  const unused = { bus: () => silentBus, write: () => undefined };
  const environment = { SWITCHYARD_DATA: folder, SWITCHYARD_REPOSITORY_STORAGES: storages };
  await moveRepositories.run({ db, ...unused }, args, environment);
  await db.close();
}

void main();
