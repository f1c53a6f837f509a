import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { logger } from '@switchyard/telemetry';
import { eventually, type TestDatabase, testDatabase } from '@switchyard/testkit';
import type { DirectoryModel } from '@switchyard/testkit/installation';
import { type Directory, directoryMigrations, startDirectory } from '../src';

/** A database for the tests of a file, emptied after each. */
export function directoryHarness() {
  let database: TestDatabase;
  let db: Database;
  const open: Directory[] = [];

  beforeAll(async () => {
    database = await testDatabase({ sets: [directoryMigrations] });
    db = openDatabase({ url: database.url, applicationName: 'directory test' });
  });

  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
    await db.query(
      sql`truncate directory.users, directory.namespaces, directory.projects, directory.memberships, directory.shares, directory.labels, directory.milestones`,
    );
    await db.query(sql`update directory.state set sequence = 0, generation = 0, format = 0`);
  });

  afterAll(async () => {
    await db.close();
    await database.close();
  });

  /** A replica that has been filled from `model`. */
  async function follow(model: DirectoryModel, pollMs = 200, refillPauseMs = 50): Promise<Directory> {
    const directory = await startDirectory({ db, client: model.client, pollMs, refillPauseMs, log: logger });
    open.push(directory);
    await eventually(() => expect(directory.ready()).toBe(true));
    return directory;
  }

  /** A busy machine may need more than the 500 ms of one call. */
  const caughtUp = (directory: Directory, model: DirectoryModel) =>
    eventually(() => directory.ensure(model.changes.length));

  return { db: () => db, open, follow, caughtUp };
}
