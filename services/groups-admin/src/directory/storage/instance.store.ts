import { sql } from '@switchyard/database/sql';
import type { Transact } from './directory-writer';

/**
 * Records the licence tier of the instance, when it differs from that of the last start (G-13-16). One change, whatever
 * the number of projects: readers look the tier up (D5). Where several replicas start with different tiers, the last
 * one wins.
 */
export const publishTier = (transaction: Transact, tier: string): Promise<void> =>
  transaction(async (tx) => {
    const made = await tx.write(
      'instance',
      sql`insert into instance (id, tier) values (1, ${tier}) on conflict (id) do nothing returning id`,
    );
    if (made.length === 0) {
      await tx.write('instance', sql`update instance set tier = ${tier} where id = 1 and tier <> ${tier} returning id`);
      return;
    }
    // Before the first start that knows the instance's row, projects were published without their train settings.
    const late = await tx.query<{ id: number }>(sql`
      select id from projects where merge_pipelines_enabled and merge_trains_enabled order by id for no key update`);
    tx.changed(
      'project',
      late.map(({ id }) => id),
    );
  });
