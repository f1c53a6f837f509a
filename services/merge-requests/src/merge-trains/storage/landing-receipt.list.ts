import { type SqlExecutor, sql } from '@switchyard/database';
import { type UserRow, userColumns, userJoin, userOf } from '@switchyard/directory';
import {
  type LandingReceipt,
  type LandingReceiptRow,
  landingReceiptColumns,
  toLandingReceipt,
} from './landing-receipt.store';

/** A receipt with everything its public representation embeds. */
export interface LandingReceiptView {
  readonly receipt: LandingReceipt;
  readonly mergeRequestId: number;
  /** Who added the merge request to the train; the ghost for a deleted user. */
  readonly addedBy: UserRow | undefined;
  readonly boardedAt: Date;
  /** What the verifier found; undefined until it has looked. */
  readonly verification: { readonly verifiedAt: Date; readonly differences: readonly string[] } | undefined;
}

type Row = LandingReceiptRow & {
  mergeRequestId: number;
  boardedAt: Date;
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
    select ${landingReceiptColumns}, r.boarded_at as "boardedAt", mr.id as "mergeRequestId",
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
    boardedAt: row.boardedAt,
    verification:
      row.verifiedAt === null ? undefined : { verifiedAt: row.verifiedAt, differences: row.differences ?? [] },
  };
}
