import type { Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { type Parent, parentColumn } from '../../parents';
import type { Admission } from '../domain/admission';

/** The namespace `n` of a source. */
const namespaceOf = ({ kind, id }: Parent): Sql =>
  kind === 'group' ? sql`${id}::bigint` : sql`(select p.namespace_id from projects p where p.id = ${id})`;

/**
 * What decides whether a user may become a member: one statement.
 * @param instanceTier licence tier where the top-level group has none of its own; in the free one nothing is locked
 */
export async function readAdmission(tx: Tx, source: Parent, userId: number, instanceTier: string): Promise<Admission> {
  const row = await tx.one<{
    locked: boolean;
    domains: string | null;
    email: string | null;
    confirmed: boolean | null;
  }>(sql`
    select coalesce(top.tier, ${instanceTier}) <> 'free' and exists (
        select from namespaces above where above.id = any(n.ancestry) and above.settings @> '{"membership_lock": true}') as locked,
      case when coalesce(top.tier, ${instanceTier}) <> 'free' then top.settings ->> 'allowed_email_domains_list' end as domains,
      u.email, u.confirmed_at is not null as confirmed
    from namespaces n join namespaces top on top.id = n.ancestry[1]
    left join users u on u.id = ${userId} and u.user_type = 'human'
    where n.id = ${namespaceOf(source)}`);
  return {
    membersLocked: row?.locked ?? false,
    emailDomains: row?.domains ? row.domains.split(',') : [],
    email: row?.email ? { address: row.email, isConfirmed: row.confirmed ?? false } : undefined,
  };
}

/** Whether a user has a pending request. */
export async function hasAccessRequest(tx: Tx, source: Parent, userId: number): Promise<boolean> {
  const row = await tx.one(
    sql`select 1 from access_requests where ${parentColumn(source)} = ${source.id} and user_id = ${userId}`,
  );
  return row !== undefined;
}
