import { contains, type Database, listPage, type PageInfo, type PageRequest, type Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { endByMembership, hasAccessRequest, readAdmission } from '../../access-requests';
import { type DirectoryTx, type DirectoryWriter, type Reached, sharedMemberships } from '../../directory';
import { groupsOf, type Parent } from '../../parents';
import { internalUserTypes } from '../../rules';
import { hasEmail } from '../../users';
import type { MemberChangeRequest, MemberDecision, MemberFacts, MemberRemovalReason } from '../domain/member-change';
import type { MemberFilter, MemberRow, Membership } from '../domain/member-row';
import { publishMemberAdded, publishMemberChanged, publishMemberRemoved } from './member.events';
import {
  findMembership,
  inheritedLevel,
  isOwnBot,
  live,
  lockExpired,
  lockSource,
  membershipsBelow,
  otherOwners,
  ownsNamespace,
  putMembership,
  sourceColumn,
  updateMembership,
} from './membership.sql';

const columns = sql`u.id, u.username, u.name, u.state, u.avatar_url, u.public_email, m.id as membership_id, m.access_level,
  m.created_at, m.expires_at,
  case when c.id is not null then json_build_object('id', c.id, 'username', c.username, 'name', c.name, 'state', c.state,
    'avatar_url', c.avatar_url, 'public_email', c.public_email) end as created_by`;

const reachedOf = (source: Parent): Reached =>
  source.kind === 'group' ? { ancestry: groupsOf(source) } : { ancestry: groupsOf(source), projectId: source.id };

/**
 * Each user once, with the highest level of all ways to the source, those by shares among them; of two that are equal
 * the nearer.
 */
const inherited = (source: Parent): Sql => sql`(
  select distinct on (way.user_id) way.* from (
    select m.id, m.user_id, m.access_level, m.expires_at, m.created_at, m.created_by_id,
      case when ${sourceColumn(source)} = ${source.id} then 0 else 1 end as distance
    from memberships m where (${sourceColumn(source)} = ${source.id} or m.namespace_id = any(${groupsOf(source)})) and ${live}
    union all
    select m.id, m.user_id, least(m.access_level, s.access_level), least(m.expires_at, s.expires_at), m.created_at, m.created_by_id, 2
    from ${sharedMemberships(reachedOf(source))}) way
  order by way.user_id, way.access_level desc, way.distance, way.id) m`;

const memberFrom = (source: Parent, all: boolean): Sql =>
  sql`${all ? inherited(source) : sql`memberships m`} join users u on u.id = m.user_id left join users c on c.id = m.created_by_id`;

const conditions = (source: Parent, all: boolean): Sql[] =>
  all ? [] : [sql`${sourceColumn(source)} = ${source.id}`, live];

/** Whether the source has to keep this user as an Owner. */
async function isRequiredOwner(tx: Tx, source: Parent, { user_id: userId }: Membership): Promise<boolean> {
  if (source.kind === 'project') return ownsNamespace(tx, source.id, userId);
  return (await otherOwners(tx, source.id, userId)) === 0;
}

async function factsOf(
  tx: Tx,
  { source, reads }: MemberChangeRequest,
  userId: number,
  tier: string,
): Promise<MemberFacts> {
  const membership = await findMembership(tx, source, userId);
  const isOwner = membership?.access_level === levels.owner;
  return {
    userId,
    membership,
    isRequiredOwner: isOwner && reads.includes('isRequiredOwner') && (await isRequiredOwner(tx, source, membership)),
    inheritedLevel: reads.includes('inheritedLevel') ? await inheritedLevel(tx, source, userId) : 0,
    isOwnBot: reads.includes('isOwnBot') && (await isOwnBot(tx, source, userId)),
    below: reads.includes('below') ? await membershipsBelow(tx, source.id, userId) : [],
    admission: reads.includes('admission') ? await readAdmission(tx, source, userId, tier) : undefined,
    hasRequest: reads.includes('hasRequest') && (await hasAccessRequest(tx, source, userId)),
  };
}

/** Deletes memberships, with an event for each that carries the sequence of its deletion. */
async function end(
  tx: DirectoryTx,
  ended: readonly Membership[],
  by: { readonly actorId: number; readonly reason: MemberRemovalReason },
): Promise<void> {
  await tx.erase(
    'membership',
    ended.map(({ id }) => id),
  );
  tx.withSequence((sequence) => publishMemberRemoved(tx, ended, { ...by, sequence }));
}

async function save(
  tx: DirectoryTx,
  { source, actorId }: MemberChangeRequest,
  userId: number,
  decision: MemberDecision,
): Promise<void> {
  switch (decision.kind) {
    case 'added': {
      const { role, since } = decision;
      const added = await putMembership(tx, source, { ...role, userId, createdBy: actorId, since });
      await endByMembership(tx, source, { userId, level: role.level }, actorId);
      return since === undefined ? publishMemberAdded(tx, [added], actorId) : undefined;
    }
    case 'changed': {
      const { membership, role } = decision;
      await updateMembership(tx, membership.id, role.level, role.expiresAt);
      return publishMemberChanged(tx, membership, role.level, actorId);
    }
    case 'removed':
      return end(tx, decision.memberships, { actorId, reason: decision.reason });
  }
}

/**
 * Memberships in the database; each change is one transaction with its events and directory changes. `tier`: licence
 * tier of the instance.
 */
export const memberStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>, tier: string) => ({
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
    if (filter.skipUserIds !== undefined) where.push(sql`u.id <> all(${filter.skipUserIds}::bigint[])`);
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
        and ${all ? sql`true` : sql`${sourceColumn(source)} = ${source.id} and ${live}`}`,
    ),

  /** Users by id or username, in any case, without those of the instance itself and the bots of access tokens. */
  usersBy: (given: {
    ids: readonly number[];
    usernames: readonly string[];
  }): Promise<{ id: number; username: string }[]> =>
    db.query(sql`
      select id, username from users where user_type <> all(${[...internalUserTypes, 'bot']}::text[])
      and (id = any(${[...given.ids]}::bigint[]) or lower(username) = any(${given.usernames.map((name) => name.toLowerCase())}::text[]))`),

  change: (
    request: MemberChangeRequest,
    decide: (facts: MemberFacts, index: number) => MemberDecision | undefined,
  ): Promise<boolean> =>
    transaction(async (tx) => {
      if (!(await lockSource(tx, request.source))) return false;
      for (const [index, userId] of request.userIds.entries()) {
        const decision = decide(await factsOf(tx, request, userId, tier), index);
        if (decision !== undefined) await save(tx, request, userId, decision);
      }
      return true;
    }),

  expire: (limit: number): Promise<number> =>
    transaction(async (tx) => {
      const expired = await lockExpired(tx, limit);
      if (expired.length > 0) await end(tx, expired, { actorId: 0, reason: 'expired' });
      return expired.length;
    }),
});
