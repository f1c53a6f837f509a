import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';

/**
 * Serialises, until the transaction ends, the creation of a pipeline for a commit of a ref and the change that makes
 * that commit the head of a merge request: of the two, the later must see the earlier, or the merge request would miss
 * its head pipeline.
 */
export async function lockHead(tx: Tx, projectId: number, sha: string, ref: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`${projectId} ${sha} ${ref}`}, 0))`);
}
