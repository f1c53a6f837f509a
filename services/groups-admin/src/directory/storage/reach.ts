import { type Sql, sql } from '@switchyard/database/sql';
import { deletingIds } from './viewer';

/** A project with its namespaces, or a group with those above it, as expressions of a statement. */
export interface Reached {
  /** Ids from the root down to the group, or to the namespace of the project. */
  readonly ancestry: Sql;
  /** Absent for a group. */
  readonly projectId?: Sql | number;
}

const live = (alias: Sql): Sql => sql`(${alias}.expires_at is null or ${alias}.expires_at > now())`;
const shareLives = live(sql`s`);
const membershipLives = live(sql`m`);

/** The condition that namespaces are not below one that is marked for deletion. */
const shown = (ancestry: Sql): Sql => sql`not (${ancestry} && ${deletingIds})`;

const isIn = (alias: Sql, { ancestry, projectId }: Reached): Sql =>
  projectId === undefined
    ? sql`${alias}.namespace_id = any(${ancestry})`
    : sql`(${alias}.project_id = ${projectId} or ${alias}.namespace_id = any(${ancestry}))`;

/** `group_shares s` of what is looked up that count now. */
export const sharesOf = (reached: Reached): Sql => sql`${isIn(sql`s`, reached)} and ${shareLives}`;

/**
 * For a `from`: shares `s` of what is looked up and their invited groups `g`, with the memberships `m` in these, those
 * of the groups above them among them. No share of an invited group is looked at.
 */
export const sharedMemberships = (reached: Reached): Sql => sql`group_shares s join namespaces g on g.id = s.group_id
  join memberships m on m.namespace_id = any(g.ancestry)
  where ${sharesOf(reached)} and ${membershipLives} and ${shown(sql`g.ancestry`)}`;

/**
 * The ways by which a user is a member of one project or group, as rows of `level` and `expires_at`: by memberships in
 * it or above it, and by the shares of the same with groups that the user is in.
 * They are read from the few shares of the target, each of which costs two looks into indexes. The groups that the user is
 * in would be the worse start: an owner of a large tree is in every group of it.
 * @param least level below which a way does not count, 5 to 50
 */
export const waysOf = (userId: Sql | number, reached: Reached, least: number): Sql => sql`
  select m.access_level as level, m.expires_at from memberships m
  where m.user_id = ${userId} and m.access_level >= ${least}::int and ${isIn(sql`m`, reached)} and ${membershipLives}
  union all
  select least(s.access_level, m.access_level), least(s.expires_at, m.expires_at) from ${sharedMemberships(reached)}
    and m.user_id = ${userId} and m.access_level >= ${least}::int and s.access_level >= ${least}::int`;

/** The ways by which a user is a member of something below a group that is not hidden, as rows of `expires_at`. */
export const waysBelow = (userId: Sql | number, groupId: Sql): Sql => sql`
  select way.expires_at from (
    select m.namespace_id, m.project_id, m.expires_at from memberships m where m.user_id = ${userId} and ${membershipLives}
    union all
    select s.namespace_id, s.project_id, least(s.expires_at, m.expires_at)
    from memberships m join namespaces g on g.ancestry @> array[m.namespace_id] join group_shares s on s.group_id = g.id
    where m.user_id = ${userId} and m.namespace_id is not null and ${membershipLives} and ${shareLives}
      and ${shown(sql`g.ancestry`)}) as way
  left join projects held on held.id = way.project_id
  join namespaces d on d.id = coalesce(way.namespace_id, held.namespace_id)
  where ${groupId} = any(d.ancestry) and held.marked_for_deletion_at is null and ${shown(sql`d.ancestry`)}`;
