import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import type { LandingReceiptView } from '../domain/landing-receipt';
import { type LandingReceiptRow, landingReceiptColumns, toLandingReceipt } from './landing-receipt.store';

type Row = LandingReceiptRow & {
  mergeRequestId: number;
  addedAt: Date;
  verifiedAt: Date | null;
  differences: string[] | null;
};

/**
 * The receipt of a merge request's landing.
 * @returns undefined without such a merge request, `none` when no landing of it left a receipt
 */
export async function landingReceiptOf(
  db: SqlExecutor,
  key: { projectId: number; iid: number },
): Promise<LandingReceiptView | 'none' | undefined> {
  const [row] = await db.query<Row>(sql`
    select ${landingReceiptColumns}, r.boarded_at as "addedAt", mr.id as "mergeRequestId",
      v.verified_at as "verifiedAt", v.differences, ${userColumns('adder')}
    from merge_requests mr
    left join lateral (select * from landing_receipts own where own.merge_request_id = mr.id order by own.id desc limit 1) r on true
    left join landing_verifications v on v.receipt_id = r.id
    ${userJoin('adder', sql`r.added_by_id`)}
    where mr.project_id = ${key.projectId} and mr.iid = ${key.iid}`);
  if (row === undefined) return undefined;
  if (row.id === null) return 'none';
  return {
    receipt: toLandingReceipt(row),
    mergeRequestId: row.mergeRequestId,
    addedBy: userOf(row, 'adder'),
    addedAt: row.addedAt,
    verification:
      row.verifiedAt === null ? undefined : { verifiedAt: row.verifiedAt, differences: row.differences ?? [] },
  };
}
