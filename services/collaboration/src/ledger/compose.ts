import { sql } from '@switchyard/database/sql';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { pruneLedger } from './application/prune-ledger';
import { readLedger } from './application/read-ledger';
import { forgetEntries, ledgerList } from './storage/ledger.list';
import { ledgerHandler } from './transport/ledger.handler';
import { sentEntries } from './transport/sent-entries.client';

/**
 * Builds the ledger, which reads its own part and that of groups-admin.
 * @param given.mailAttempts tries after which a mail is given up; the area of mail has them, which writes entries
 */
export function composeLedger(
  { config, db, peer, observe }: Edges,
  { mailAttempts }: { readonly mailAttempts: number },
): Area {
  const ledger = readLedger({
    db,
    list: ledgerList(db, mailAttempts),
    sent: sentEntries(peer('groups-admin')),
    async idOf(projectId, type, iid) {
      const row = await db.one<{ id: number }>(
        type === 'Issue'
          ? sql`select id from issues where project_id = ${projectId} and iid = ${iid}`
          : sql`select id from merge_request_numbers where project_id = ${projectId} and iid = ${iid}`,
      );
      return row?.id;
    },
  });
  return {
    services: [ledgerHandler(observe('ledger', ledger), db, config.SWITCHYARD_EXTERNAL_URL)],
    start: () => [pruneLedger((limit) => forgetEntries(db, limit))],
  };
}
