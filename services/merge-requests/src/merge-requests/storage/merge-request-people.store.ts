import { type Database, databaseError, type Tx } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { type UserRow, usersJson } from '@switchyard/directory';
import type { PrismaClient } from '../../generated/prisma/client';
import type { Involved } from '../domain/involved';

/** People of one kind that one answer holds (see the proto). */
const maxPeople = 10_000;

/** Characters of a description that one answer holds. */
const maxDescription = 32_768;

const peopleTables = { assignees: raw('merge_request_assignees'), reviewers: raw('merge_request_reviewers') };

/** Makes these users, in this order, the assignees or reviewers. */
export async function replacePeople(
  tx: Tx,
  kind: keyof typeof peopleTables,
  id: number,
  userIds: readonly number[],
): Promise<void> {
  const table = peopleTables[kind];
  await tx.query(
    sql`delete from ${table} where merge_request_id = ${id} and user_id <> all(${[...userIds]}::bigint[])`,
  );
  // Milliseconds apart, so that the order given is the order kept.
  await tx.query(sql`
    insert into ${table} (merge_request_id, user_id, created_at)
    select ${id}, user_id, now() + position * interval '1 millisecond'
    from unnest(${[...userIds]}::bigint[]) with ordinality as given (user_id, position)
    on conflict (merge_request_id, user_id) do nothing`);
}

/** Makes these the labels. */
export async function replaceLabels(tx: Tx, id: number, labelIds: readonly number[]): Promise<void> {
  await tx.query(sql`
    delete from merge_request_labels where merge_request_id = ${id} and label_id <> all(${[...labelIds]}::bigint[])`);
  await tx.query(sql`
    insert into merge_request_labels (merge_request_id, label_id)
    select ${id}, label_id from unnest(${[...labelIds]}::bigint[]) as given (label_id) on conflict do nothing`);
}

/** Adds users to those who take part. */
export async function addParticipants(tx: Tx, id: number, userIds: readonly number[]): Promise<void> {
  const known = [...new Set(userIds)].filter((userId) => userId > 0);
  if (known.length === 0) return;
  await tx.query(sql`
    insert into merge_request_participants (merge_request_id, user_id)
    select ${id}, user_id from unnest(${known}::bigint[]) as given (user_id) on conflict do nothing`);
}

/** Participants and subscribers of merge requests. */
export const mergeRequestPeopleStore = (db: Database, prisma: PrismaClient) => ({
  async participants(id: number): Promise<UserRow[]> {
    const row = await db.one<{ users: UserRow[] }>(sql`
      select ${usersJson(sql`array(select user_id from merge_request_participants where merge_request_id = ${id}
        order by created_at, user_id)`)} as users`);
    return row?.users ?? [];
  },

  /** Who has to do with merge requests: one statement for any number of ids. */
  peopleOf: (ids: readonly number[]): Promise<Involved[]> => {
    const those = (table: Sql, condition = sql`true`): Sql => sql`array(
      select t.user_id from ${table} t where t.merge_request_id = mr.id and ${condition} order by t.user_id limit ${maxPeople})`;
    return db.query(sql`
      select mr.id, mr.iid, mr.project_id as "projectId", mr.title, left(coalesce(mr.description, ''), ${maxDescription}) as description,
        mr.author_id as "authorId", ${those(peopleTables.assignees)} as "assigneeIds",
        ${those(peopleTables.reviewers)} as "reviewerIds", ${those(raw('merge_request_participants'))} as "participantIds",
        ${those(raw('merge_request_subscriptions'), sql`t.subscribed`)} as "subscribedIds",
        ${those(raw('merge_request_subscriptions'), sql`not t.subscribed`)} as "unsubscribedIds"
      from merge_requests mr where mr.id = any(${[...ids]}::bigint[])`);
  },

  reviewers: (id: number): Promise<{ user: UserRow | null; state: string; created_at: Date }[]> =>
    db.query(sql`
      select (${usersJson(sql`array[r.user_id]`)})->0 as user, r.state, r.created_at
      from merge_request_reviewers r join directory.users who on who.id = r.user_id and who.deleted_at is null
      where r.merge_request_id = ${id} order by r.created_at, r.user_id`),

  /** Whether a user is subscribed: by their own choice, else because they take part. */
  async isSubscribed(id: number, userId: number): Promise<boolean> {
    const row = await db.one<{ subscribed: boolean }>(sql`
      select coalesce(
        (select subscribed from merge_request_subscriptions where merge_request_id = ${id} and user_id = ${userId}),
        exists (select 1 from merge_request_participants where merge_request_id = ${id} and user_id = ${userId})) as subscribed`);
    return row?.subscribed ?? false;
  },

  /** Those of `ids` that a user is subscribed to. */
  async subscribedAmong(ids: readonly number[], userId: number): Promise<Set<number>> {
    const rows = await db.query<{ id: number }>(sql`
      select mr.id from merge_requests mr
      left join merge_request_subscriptions s on s.merge_request_id = mr.id and s.user_id = ${userId}
      left join merge_request_participants p on p.merge_request_id = mr.id and p.user_id = ${userId}
      where mr.id = any(${[...ids]}::bigint[]) and coalesce(s.subscribed, p.user_id is not null)`);
    return new Set(rows.map(({ id }) => id));
  },

  async setSubscription(id: number, userId: number, subscribed: boolean): Promise<void> {
    const key = { mergeRequestId: BigInt(id), userId: BigInt(userId) };
    await prisma.mergeRequestSubscription
      .upsert({
        where: { mergeRequestId_userId: key },
        create: { ...key, subscribed },
        update: { subscribed },
      })
      .catch((error: unknown) => {
        throw databaseError(error);
      });
  },
});

/** Assignments, reviews and approvals of deleted users, and their places in approval rules. */
export const orphanStore = (db: Database) => ({
  /**
   * Removes up to `limit` assignments of deleted users, as many reviews, approvals and places in approval rules; returns
   * how many went.
   */
  async removeOrphans(limit: number): Promise<number> {
    const ofDeleted = (table: Sql, owner = raw('merge_request_id')): Sql => sql`
      delete from ${table} where (${owner}, user_id) in (
        select a.${owner}, a.user_id from directory.users u join ${table} a on a.user_id = u.id
        where u.deleted_at is not null limit ${limit})
      returning 1`;
    const row = await db.one<{ removed: number }>(sql`
      with assignees as (${ofDeleted(peopleTables.assignees)}), reviewers as (${ofDeleted(peopleTables.reviewers)}),
        named as (${ofDeleted(raw('approval_rule_users'), raw('rule_id'))})
      select (select count(*) from assignees)::int + (select count(*) from reviewers)::int
        + (select count(*) from named)::int as removed`);
    return (row?.removed ?? 0) + (await removeApprovals(db, limit));
  },
});

/** Removes up to `limit` approvals of deleted users; returns how many. */
const removeApprovals = (db: Database, limit: number): Promise<number> =>
  db.transaction(async (tx) => {
    const gone = await tx.query<{ id: number; user_id: number }>(sql`
      select a.merge_request_id as id, a.user_id from directory.users u join merge_request_approvals a on a.user_id = u.id
      where u.deleted_at is not null limit ${limit}`);
    if (gone.length === 0) return 0;
    const ids = gone.map(({ id }) => id);
    // Removing an approval changes its merge request (ADR 42), so these are locked first, in the one order (ADR 24).
    await tx.query(sql`
      select 1 from merge_requests where id = any(${ids}::bigint[]) order by id for no key update`);
    const removed = await tx.query(sql`
      delete from merge_request_approvals where (merge_request_id, user_id) in (
        select * from unnest(${ids}::bigint[], ${gone.map((row) => row.user_id)}::bigint[]))
      returning 1`);
    return removed.length;
  });
