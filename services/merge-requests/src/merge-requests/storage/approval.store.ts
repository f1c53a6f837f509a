import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { joinProject, type UserRow, usersByIds, userWithLevel } from '@switchyard/directory';
import { type ApprovalFacts, approvalsLeft, rulesInForce } from '../domain/approvals';
import type { MergeRequest } from '../domain/merge-request';
import type { MergeRequestChange, MergeRequestFact } from '../domain/merge-request-change';
import { type ApprovalFactsRow, approvalFactsJson, approverLevel, toApprovalFacts } from './approval-facts';

/** Saves the approvals and reviews of a change; the row of the merge request is locked. */
export async function saveApprovals(
  tx: Tx,
  id: number,
  { approvals, reviews }: Pick<MergeRequestChange, 'approvals' | 'reviews'>,
): Promise<void> {
  if (approvals?.added !== undefined) {
    await tx.query(sql`
      insert into merge_request_approvals (merge_request_id, user_id) values (${id}, ${approvals.added}) on conflict do nothing`);
  }
  if (approvals?.removed !== undefined) {
    await tx.query(sql`
      delete from merge_request_approvals where merge_request_id = ${id} and user_id = any(${[...approvals.removed]}::bigint[])`);
  }
  if (reviews !== undefined && reviews.length > 0) {
    await tx.query(sql`
      update merge_request_reviewers r set state = given.state
      from unnest(${reviews.map(({ userId }) => userId)}::bigint[], ${reviews.map(({ state }) => state)}::text[]) as given (user_id, state)
      where r.merge_request_id = ${id} and r.user_id = given.user_id`);
  }
}

async function approvalFactsOf(tx: Tx, id: number): Promise<ApprovalFacts> {
  const row = await tx.one<{ approval: ApprovalFactsRow }>(sql`
    select ${approvalFactsJson} as approval from merge_requests mr ${joinProject(sql`mr.project_id`)} where mr.id = ${id}`);
  return toApprovalFacts(row?.approval ?? null);
}

/** Facts of a change, those of an approval with whether the merge request has every approval that it needs since. */
export async function withApproval(
  tx: Tx,
  mergeRequest: MergeRequest,
  facts: readonly MergeRequestFact[],
): Promise<readonly MergeRequestFact[]> {
  if (facts.every((fact) => fact.kind !== 'acted' || fact.act !== 'approved')) return facts;
  const approved = approvalsLeft(mergeRequest, await approvalFactsOf(tx, mergeRequest.id)) === 0;
  return facts.map((fact) => (fact.kind === 'acted' && fact.act === 'approved' ? { ...fact, approved } : fact));
}

/** Most users of whom one event says that their approval is demanded. */
const maxRequested = 200;

/**
 * Users whom the rules in force for a new merge request name themselves, where they demand approvals; without the
 * author.
 */
export async function requestedApprovers(
  tx: Tx,
  mr: Pick<MergeRequest, 'id' | 'authorId' | 'targetBranch'>,
): Promise<number[]> {
  const rules = rulesInForce(mr, await approvalFactsOf(tx, mr.id)).filter(({ required }) => required > 0);
  if (rules.length === 0) return [];
  const users = await tx.query<{ id: number }>(sql`
    select distinct ru.user_id as id from approval_rule_users ru join directory.users u on u.id = ru.user_id
    where ru.rule_id = any(${rules.map(({ id }) => id)}::bigint[]) and u.deleted_at is null and ru.user_id <> ${mr.authorId}
    order by ru.user_id limit ${maxRequested}`);
  return users.map(({ id }) => id);
}

/**
 * A reviewer who published a review has reviewed. What they decided before stays: an approval, a request for changes.
 */
export async function keepReview(tx: Tx, mergeRequestId: number, userId: number): Promise<void> {
  await tx.query(sql`
    update merge_request_reviewers set state = 'reviewed'
    where merge_request_id = ${mergeRequestId} and user_id = ${userId} and state in ('unreviewed', 'unapproved')`);
}

/** Most users that are suggested as approvers. */
const maxSuggested = 100;

/** Approvals as they are read. */
export const approvalReads = (db: Database) => ({
  /** Users whom rules name themselves, who may approve and have not, by id; at most 100. */
  async suggestedApprovers(mergeRequestId: number, ruleIds: readonly number[]): Promise<number[]> {
    if (ruleIds.length === 0) return [];
    const rows = await db.query<{ id: number }>(sql`
      select distinct u.id from merge_requests mr ${joinProject(sql`mr.project_id`)}
      cross join approval_rule_users ru join directory.users u on u.id = ru.user_id
      where mr.id = ${mergeRequestId} and ru.rule_id = any(${[...ruleIds]}::bigint[]) and ${userWithLevel(approverLevel)}
        and not exists (select from merge_request_approvals a where a.merge_request_id = mr.id and a.user_id = u.id)
      order by u.id limit ${maxSuggested}`);
    return rows.map(({ id }) => id);
  },

  usersByIds: (ids: readonly number[]): Promise<ReadonlyMap<number, UserRow>> => usersByIds(db, ids),
});
