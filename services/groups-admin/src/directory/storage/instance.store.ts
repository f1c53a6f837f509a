import { type Database, sql } from '@switchyard/database';
import { instanceChanges, projectChanges } from './directory-rows';
import { recordDirectoryChange } from './directory-writer';

/**
 * Tells the directory the licence tier of the instance, when it is another than at the last start (G-13-16). One change, whatever the
 * number of projects: readers look the tier up (D5). Where several replicas start with different tiers, the last one's stands.
 */
export async function publishInstance(db: Database, tier: string): Promise<void> {
  await db.transaction(async (tx) => {
    const made = await tx.one(sql`
      insert into instance (id, tier) values (1, ${tier}) on conflict (id) do nothing returning id`);
    const changed =
      made ?? (await tx.one(sql`update instance set tier = ${tier} where id = 1 and tier <> ${tier} returning id`));
    if (changed === undefined) return;
    // Before the first start that knows the instance's row, projects were published without their train settings.
    const late =
      made === undefined
        ? []
        : await tx.query<{ id: number }>(sql`
            select id from projects where merge_pipelines_enabled and merge_trains_enabled order by id for no key update`);
    await recordDirectoryChange(tx, [
      ...(await instanceChanges(tx)),
      ...(await projectChanges(
        tx,
        late.map(({ id }) => id),
      )),
    ]);
  });
}
