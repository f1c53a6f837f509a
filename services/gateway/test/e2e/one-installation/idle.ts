import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import type { System } from '../support/system';

/** Services with a database: each has a relay, consumers, a replica of the directory and its sweeps. */
const services = 6;
/** Transactions a second while no one sends a request, in all databases together; a statement outside a transaction is one. */
const maxTransactions = 2 * services;
/** Longer than PostgreSQL keeps the counts of an idle connection to itself (10 s). */
const windowMs = 15_000;

/** What an installation does that no one uses. */
export const idleTests = (started: () => System): void =>
  test('an installation that no one uses hardly queries its databases', async () => {
    const system = started();
    const transactions = async (): Promise<number> => {
      const [row] = await system.query(
        'groups_admin',
        "select sum(xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname like 'switchyard%'",
      );
      return row?.count as number;
    };
    // The first window holds what a start leaves to be done; a busy machine takes longer over it.
    await eventually(
      async () => {
        const before = await transactions();
        await pause(windowMs);
        expect(((await transactions()) - before) / (windowMs / 1_000)).toBeLessThanOrEqual(maxTransactions);
      },
      { within: 90_000 },
    );
  });
