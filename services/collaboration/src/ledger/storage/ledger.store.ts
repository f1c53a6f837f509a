import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { NewLedgerEntry } from '../domain/ledger-entry';

/** Writes entries of the ledger in the caller's transaction: one statement for any number. */
export async function writeEntries(tx: SqlExecutor, entries: readonly NewLedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(sql`
    insert into ledger_entries (user_id, project_id, group_id, target_type, target_id, target_iid, event, channel, decision, rule, detail,
      mail_id)
    select * from unnest(${entries.map(({ userId }) => userId)}::bigint[], ${entries.map(({ projectId }) => projectId)}::bigint[],
      ${entries.map(({ groupId }) => groupId)}::bigint[], ${entries.map(({ target }) => target.type)}::text[],
      ${entries.map(({ target }) => target.id)}::bigint[], ${entries.map(({ target }) => target.iid)}::bigint[],
      ${entries.map(({ event }) => event)}::text[], ${entries.map(({ channel }) => channel)}::text[],
      ${entries.map(({ decision }) => decision)}::text[], ${entries.map(({ rule }) => rule)}::text[],
      ${entries.map(({ detail }) => detail)}::text[], ${entries.map(({ mailId }) => mailId ?? null)}::bigint[])`);
}
