import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { labelsByIds } from '@switchyard/directory';

/** How system notes name labels and epics; what is gone has no name. */
export const epicNoteNames = {
  /** Titles of labels by id. */
  async labels(tx: SqlExecutor, ids: readonly number[]): Promise<Map<number, string>> {
    return new Map([...(await labelsByIds(tx, ids))].map(([id, { title }]) => [id, title]));
  },

  /** Full references of epics, `group&1`, by id. */
  async epics(tx: SqlExecutor, ids: readonly number[]): Promise<Map<number, string>> {
    const rows =
      ids.length === 0
        ? []
        : await tx.query<{ id: number; reference: string }>(sql`
            select e.id, n.full_path || '&' || e.iid as reference
            from epics e join directory.namespaces n on n.id = e.group_id where e.id = any(${[...ids]}::bigint[])`);
    return new Map(rows.map(({ id, reference }) => [id, reference]));
  },
};
