import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import { startSystem } from './support/system';

/** Transactions a second that nobody asked for, in all databases together; a statement outside a transaction is one. */
const most = 8;
/** Longer than PostgreSQL keeps the counts of an idle connection to itself (10 s). */
const windowMs = 15_000;

test('an installation that nobody uses hardly asks its databases anything', async () => {
  const system = await startSystem();
  const transactions = async (): Promise<number> => {
    const [row] = await system.query(
      'groups_admin',
      "select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname like 'switchyard%'",
    );
    return row?.count as number;
  };
  try {
    // The first window holds what a start leaves to be done; a busy machine takes longer over it.
    await eventually(
      async () => {
        const before = await transactions();
        await pause(windowMs);
        expect(((await transactions()) - before) / (windowMs / 1_000)).toBeLessThanOrEqual(most);
      },
      { within: 90_000 },
    );
  } finally {
    await system.close();
  }
}, 240_000);
