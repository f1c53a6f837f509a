import { type Database, openDatabase } from '@switchyard/database';
import { startDirectory } from '@switchyard/directory';
import { logger } from '@switchyard/telemetry';
import { eventually, testDatabase } from '@switchyard/testkit';
import type { DirectoryModel } from '@switchyard/testkit/installation';
import { service } from '../../src/service';

/** A database of this service. */
export interface Replica {
  readonly db: Database;
  close(): Promise<void>;
}

/** Opens a database whose directory is that of `model`, and does not follow it any further: a test may change its rows. */
export async function startReplica(model: DirectoryModel): Promise<Replica> {
  const server = await testDatabase({ sets: service.migrationSets });
  const db = openDatabase({ url: server.url, applicationName: 'test' });
  const directory = await startDirectory({ db, client: model.client, log: logger });
  await eventually(() => expect(directory.ready()).toBe(true));
  await directory.close();
  return {
    db,
    async close() {
      await db.close();
      await server.close();
    },
  };
}
