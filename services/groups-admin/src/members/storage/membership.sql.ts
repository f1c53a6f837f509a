import type { Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import { groupsOf, type Parent, parentColumn } from '../../parents';
import type { Membership, NewMember } from '../domain/member-row';

/** Condition on `memberships m`: not expired. */
export const live = sql`(m.expires_at is null or m.expires_at > now())`;

/** The column of `memberships m` that names the source. */
export const sourceColumn = (source: Parent): Sql => sql`m.${parentColumn(source)}`;

/** Columns of a `Membership`, of `memberships m`. */
export const membershipColumns = sql`m.id, m.user_id, m.namespace_id, m.project_id, m.access_level, m.version, not ${live} as expired`;

/** Locks the source, so that changes of its members follow one another; false when it was purged. */
export async function lockSource(tx: Tx, { kind, id }: Parent): Promise<boolean> {
  const row = await tx.one(
    kind === 'group'
      ? sql`select id from namespaces where id = ${id} for no key update`
      : sql`select id from projects where id = ${id} for no key update`,
  );
  return row !== undefined;
}

/** The direct membership of a user, expired or not. */
export const findMembership = (tx: Tx, source: Parent, userId: number): Promise<Membership | undefined> =>
  tx.one<Membership>(
    sql`select ${membershipColumns} from memberships m where ${sourceColumn(source)} = ${source.id} and m.user_id = ${userId}`,
  );

/** Highest level that a user has in the source from the groups above it; 0 for none. */
export async function inheritedLevel(tx: Tx, source: Parent, userId: number): Promise<number> {
  const own = source.kind === 'group' ? sql`m.namespace_id <> ${source.id}` : sql`true`;
  const row = await tx.one<{ level: number }>(sql`
    select coalesce(max(m.access_level), 0) as level from memberships m
    where m.user_id = ${userId} and m.namespace_id = any(${groupsOf(source)}) and ${own} and ${live}`);
  return row?.level ?? 0;
}

/** Number of active Owners of a group but bots, those of the groups above included, without a membership of one user in it. */
export async function otherOwners(tx: Tx, groupId: number, userId: number): Promise<number> {
  const row = await tx.one<{ count: number }>(sql`
    select count(distinct m.user_id) as count from memberships m join users u on u.id = m.user_id
    where m.namespace_id = any(${groupsOf({ kind: 'group', id: groupId })}) and m.access_level = 50
    and (m.user_id <> ${userId} or m.namespace_id <> ${groupId}) and u.state = 'active' and u.user_type <> 'bot' and ${live}`);
  return row?.count ?? 0;
}

/** Whether a project lies in the namespace of this user, who is its Owner by that. */
export async function ownsNamespace(tx: Tx, projectId: number, userId: number): Promise<boolean> {
  const row = await tx.one(sql`
    select 1 from projects p join namespaces n on n.id = p.namespace_id where p.id = ${projectId} and n.owner_id = ${userId}`);
  return row !== undefined;
}

/** Whether a user is the bot of an access token of the source itself. */
export const isOwnBot = async (tx: Tx, source: Parent, userId: number): Promise<boolean> =>
  (await tx.one(
    sql`select 1 from access_token_bots b where b.user_id = ${userId} and b.${parentColumn(source)} = ${source.id}`,
  )) !== undefined;

/** Inserts a membership, or replaces an expired one. */
export async function putMembership(tx: DirectoryTx, source: Parent, member: NewMember): Promise<Membership> {
  const groupId = source.kind === 'group' ? source.id : null;
  const projectId = source.kind === 'project' ? source.id : null;
  const target =
    source.kind === 'group'
      ? sql`(namespace_id, user_id) where namespace_id is not null`
      : sql`(project_id, user_id) where project_id is not null`;
  const [row] = await tx.write<Membership>(
    'membership',
    sql`
    insert into memberships as m (user_id, namespace_id, project_id, access_level, expires_at, created_by_id, created_at)
    values (${member.userId}, ${groupId}, ${projectId}, ${member.level},
      ${member.expiresAt ?? null}::date::timestamp at time zone 'UTC', ${member.createdBy}, coalesce(${member.since ?? null}, now()))
    on conflict ${target} do update set access_level = excluded.access_level, expires_at = excluded.expires_at,
      created_by_id = excluded.created_by_id, created_at = excluded.created_at, updated_at = now(), version = m.version + 1
    returning ${membershipColumns}`,
  );
  if (row === undefined) throw new Error('a membership was not inserted');
  return row;
}

/** Changes level and, when given, expiry (empty: none). */
export async function updateMembership(
  tx: DirectoryTx,
  id: number,
  level: number,
  expiresAt: string | undefined,
): Promise<void> {
  const expiry =
    expiresAt === undefined
      ? sql`expires_at`
      : sql`${expiresAt === '' ? null : expiresAt}::date::timestamp at time zone 'UTC'`;
  await tx.write(
    'membership',
    sql`update memberships set access_level = ${level}, expires_at = ${expiry}, updated_at = now(), version = version + 1
      where id = ${id} returning id`,
  );
}

/** Direct memberships of a user in the groups and projects below a group. */
export const membershipsBelow = (tx: Tx, groupId: number, userId: number): Promise<Membership[]> =>
  tx.query<Membership>(sql`
    select ${membershipColumns} from memberships m left join projects p on p.id = m.project_id
    join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)
    where m.user_id = ${userId} and n.ancestry @> array[${groupId}::bigint] and m.namespace_id is distinct from ${groupId}
    order by m.id`);

/** Locks memberships that have expired, oldest first; those that another process has locked are left out. */
export const lockExpired = (tx: Tx, limit: number): Promise<Membership[]> =>
  tx.query<Membership>(sql`
    select ${membershipColumns} from memberships m where m.expires_at <= now()
    order by m.expires_at, m.id limit ${limit} for update skip locked`);
