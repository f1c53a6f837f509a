import { contains, type Database, listPage, type PageInfo, type PageRequest, type Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import type { DirectoryTx } from '../../directory';
import { groupsOf, type Parent, parentColumn } from '../../parents';
import { internalUserTypes } from '../../rules';
import { hasEmail } from '../../users';
import type { MemberFilter, MemberRow, Membership, NewMember } from '../domain/member-row';

const live = sql`(m.expires_at is null or m.expires_at > now())`;
const membershipColumns = sql`m.id, m.user_id, m.namespace_id, m.project_id, m.access_level, m.version, not ${live} as expired`;

const columns = sql`u.id, u.username, u.name, u.state, u.avatar_url, u.public_email, m.id as membership_id, m.access_level,
  m.created_at, m.expires_at,
  case when c.id is not null then json_build_object('id', c.id, 'username', c.username, 'name', c.name, 'state', c.state,
    'avatar_url', c.avatar_url, 'public_email', c.public_email) end as created_by`;

const columnOf = (parent: Parent): Sql => sql`m.${parentColumn(parent)}`;

/** Each user once, with the highest level of all that reach the source; of two that are equal the nearer. */
const inherited = (source: Parent): Sql => sql`(
  select distinct on (m.user_id) m.* from memberships m
  where (${columnOf(source)} = ${source.id} or m.namespace_id = any(${groupsOf(source)})) and ${live}
  order by m.user_id, m.access_level desc, (${columnOf(source)} = ${source.id}) desc nulls last, m.id) m`;

const memberFrom = (source: Parent, all: boolean): Sql =>
  sql`${all ? inherited(source) : sql`memberships m`} join users u on u.id = m.user_id left join users c on c.id = m.created_by_id`;

const conditions = (source: Parent, all: boolean): Sql[] =>
  all ? [] : [sql`${columnOf(source)} = ${source.id}`, live];

/** Memberships in the database. */
export const memberStore = (db: Database) => ({
  /** A page of members by user id: one statement and one count. */
  list(source: Parent, filter: MemberFilter, request: PageRequest): Promise<{ rows: MemberRow[]; page: PageInfo }> {
    const where = conditions(source, filter.inherited);
    if (filter.query !== undefined) {
      const part = contains(filter.query);
      where.push(
        sql`u.username ilike ${part} or u.name ilike ${part} or ${hasEmail(filter.query, filter.searchPrivateEmail)}`,
      );
    }
    if (filter.userIds !== undefined) where.push(sql`u.id = any(${filter.userIds}::bigint[])`);
    return listPage<MemberRow>({
      db,
      name: 'list_members',
      select: columns,
      from: memberFrom(source, filter.inherited),
      where,
      orders: { id: [{ name: 'id', expression: sql`u.id`, type: 'bigint' }] },
      request,
      count: true,
    });
  },

  /** One member; undefined when the user is none. */
  find: (source: Parent, userId: number, all: boolean): Promise<MemberRow | undefined> =>
    db.one<MemberRow>(
      sql`select ${columns} from ${memberFrom(source, all)} where ${raw('m.user_id')} = ${userId}
        and ${all ? sql`true` : sql`${columnOf(source)} = ${source.id} and ${live}`}`,
    ),

  /** Locks the source, so that changes of its members follow one another; false when it is gone. */
  async lockSource(tx: Tx, { kind, id }: Parent): Promise<boolean> {
    const row = await tx.one(
      kind === 'group'
        ? sql`select id from namespaces where id = ${id} for no key update`
        : sql`select id from projects where id = ${id} for no key update`,
    );
    return row !== undefined;
  },

  /** Users by id or username, in any case, without those of the instance itself. */
  usersBy: (given: {
    ids: readonly number[];
    usernames: readonly string[];
  }): Promise<{ id: number; username: string }[]> =>
    db.query(sql`
      select id, username from users where user_type <> all(${[...internalUserTypes]}::text[])
      and (id = any(${[...given.ids]}::bigint[]) or lower(username) = any(${given.usernames.map((name) => name.toLowerCase())}::text[]))`),

  /** The direct membership of a user, expired or not. */
  membership: (tx: Tx, source: Parent, userId: number): Promise<Membership | undefined> =>
    tx.one<Membership>(
      sql`select ${membershipColumns} from memberships m where ${columnOf(source)} = ${source.id} and m.user_id = ${userId}`,
    ),

  /** Highest level a user has in the source from the groups above it; 0 for none. */
  async inheritedLevel(tx: Tx, source: Parent, userId: number): Promise<number> {
    const own = source.kind === 'group' ? sql`m.namespace_id <> ${source.id}` : sql`true`;
    const row = await tx.one<{ level: number }>(sql`
      select coalesce(max(m.access_level), 0) as level from memberships m
      where m.user_id = ${userId} and m.namespace_id = any(${groupsOf(source)}) and ${own} and ${live}`);
    return row?.level ?? 0;
  },

  /** Number of Owners a group has, those of the groups above included, without one user. */
  async otherOwners(tx: Tx, groupId: number, userId: number): Promise<number> {
    const row = await tx.one<{ count: number }>(sql`
      select count(distinct m.user_id) as count from memberships m join users u on u.id = m.user_id
      where m.namespace_id = any(${groupsOf({ kind: 'group', id: groupId })}) and m.access_level = 50
      and (m.user_id <> ${userId} or m.namespace_id <> ${groupId}) and u.state = 'active' and ${live}`);
    return row?.count ?? 0;
  },

  /** Whether a project lies in the namespace of this user, who is its Owner by that. */
  async ownsHome(tx: Tx, projectId: number, userId: number): Promise<boolean> {
    const row = await tx.one(sql`
      select 1 from projects p join namespaces n on n.id = p.namespace_id where p.id = ${projectId} and n.owner_id = ${userId}`);
    return row !== undefined;
  },

  /** Inserts a membership, or takes over an expired one. */
  async put(tx: DirectoryTx, source: Parent, member: NewMember): Promise<Membership> {
    const groupId = source.kind === 'group' ? source.id : null;
    const projectId = source.kind === 'project' ? source.id : null;
    const target =
      source.kind === 'group'
        ? sql`(namespace_id, user_id) where namespace_id is not null`
        : sql`(project_id, user_id) where project_id is not null`;
    const [row] = await tx.write<Membership>(
      'membership',
      sql`
      insert into memberships as m (user_id, namespace_id, project_id, access_level, expires_at, created_by_id)
      values (${member.userId}, ${groupId}, ${projectId}, ${member.level},
        ${member.expiresAt ?? null}::date::timestamp at time zone 'UTC', ${member.createdBy})
      on conflict ${target} do update set access_level = excluded.access_level, expires_at = excluded.expires_at,
        created_by_id = excluded.created_by_id, created_at = now(), updated_at = now(), version = m.version + 1
      returning ${membershipColumns}`,
    );
    if (row === undefined) throw new Error('a membership was not inserted');
    return row;
  },

  /** Changes level and, when given, expiry (empty: none). */
  async change(tx: DirectoryTx, id: number, level: number, expiresAt: string | undefined): Promise<void> {
    const expiry =
      expiresAt === undefined
        ? sql`expires_at`
        : sql`${expiresAt === '' ? null : expiresAt}::date::timestamp at time zone 'UTC'`;
    await tx.write(
      'membership',
      sql`update memberships set access_level = ${level}, expires_at = ${expiry}, updated_at = now(), version = version + 1
        where id = ${id} returning id`,
    );
  },

  /** Direct memberships of a user in the groups and projects below a group. */
  below: (tx: Tx, groupId: number, userId: number): Promise<Membership[]> =>
    tx.query<Membership>(sql`
      select ${membershipColumns} from memberships m left join projects p on p.id = m.project_id
      join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)
      where m.user_id = ${userId} and n.ancestry @> array[${groupId}::bigint] and m.namespace_id is distinct from ${groupId}
      order by m.id`),

  /** Deletes memberships. */
  remove: (tx: DirectoryTx, ids: readonly number[]): Promise<void> => tx.erase('membership', ids),

  /** Memberships that have expired, oldest first. */
  expired: (tx: Tx, limit: number): Promise<Membership[]> =>
    tx.query<Membership>(sql`
      select ${membershipColumns} from memberships m where m.expires_at <= now()
      order by m.expires_at, m.id limit ${limit} for update skip locked`),
});
