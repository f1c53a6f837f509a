import { type Database, isForeignKeyViolation, listPage, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { isUserNamed, userKind } from '../../directory';
import type { FollowRow, ProfileFacts, UserActivity } from '../domain/user-profile';
import type { UserStatus } from '../domain/user-status';

const reference = sql`u.id, u.username, u.name, u.state, u.avatar_url, u.public_email`;

const status = sql`emoji, message, availability, clear_at`;

/** Statuses, follows and activities over SQL. */
export const userProfileStore = (db: Database) => ({
  find: (idOrUsername: string): Promise<ProfileFacts | undefined> =>
    db.one<ProfileFacts>(sql`
      select ${reference}, ${userKind} as user_type, u.private_profile from users u where ${isUserNamed(idOrUsername)}`),

  status: (userId: number, now: Date): Promise<UserStatus | undefined> =>
    db.one<UserStatus>(sql`
      select ${status} from user_statuses
      where user_id = ${userId}::bigint and (clear_at is null or clear_at > ${now}::timestamptz)`),

  changeStatus: (
    userId: number,
    now: Date,
    decide: (before: UserStatus | undefined) => UserStatus | undefined,
  ): Promise<void> =>
    db.transaction(async (tx) => {
      // The row of the user and not of the status, which may not be there yet.
      const user = await tx.one(sql`select 1 from users where id = ${userId}::bigint for no key update`);
      if (user === undefined) return;
      const before = await tx.one<UserStatus>(sql`
        select ${status} from user_statuses
        where user_id = ${userId}::bigint and (clear_at is null or clear_at > ${now}::timestamptz)`);
      const after = decide(before);
      if (after === undefined) {
        await tx.query(sql`delete from user_statuses where user_id = ${userId}::bigint`);
        return;
      }
      const { emoji, message, availability, clear_at } = after;
      await tx.query(sql`
        insert into user_statuses (user_id, emoji, message, availability, clear_at)
        values (${userId}::bigint, ${emoji}, ${message}, ${availability}, ${clear_at}::timestamptz)
        on conflict (user_id) do update set emoji = excluded.emoji, message = excluded.message,
          availability = excluded.availability, clear_at = excluded.clear_at`);
    }),

  async follow(followerId: number, followedId: number, limit: number): Promise<'made' | 'known' | 'full' | 'missing'> {
    try {
      return await db.transaction(async (tx) => {
        // Under the lock of the follower, so that the limit holds for requests at the same time.
        await tx.query(sql`select 1 from users where id = ${followerId}::bigint for no key update`);
        const facts = await tx.one<{ known: boolean; following: number }>(sql`
          select coalesce(bool_or(followed_id = ${followedId}::bigint), false) as known, count(*)::int as following
          from user_follows where follower_id = ${followerId}::bigint`);
        if (facts?.known) return 'known';
        if ((facts?.following ?? 0) >= limit) return 'full';
        await tx.query(sql`
          insert into user_follows (follower_id, followed_id) values (${followerId}::bigint, ${followedId}::bigint)`);
        return 'made';
      });
    } catch (error) {
      if (isForeignKeyViolation(error)) return 'missing';
      throw error;
    }
  },

  async unfollow(followerId: number, followedId: number): Promise<boolean> {
    const gone = await db.query(sql`
      delete from user_follows where follower_id = ${followerId}::bigint and followed_id = ${followedId}::bigint returning 1`);
    return gone.length > 0;
  },

  follows: (userId: number, following: boolean, request: PageRequest) =>
    listPage<FollowRow>({
      db,
      name: following ? 'list_following' : 'list_followers',
      select: reference,
      from: following
        ? sql`user_follows f join users u on u.id = f.followed_id`
        : sql`user_follows f join users u on u.id = f.follower_id`,
      where: [following ? sql`f.follower_id = ${userId}` : sql`f.followed_id = ${userId}`],
      orders: { id: [{ name: 'id', expression: sql`f.id`, type: 'bigint' }] },
      request,
      count: true,
    }),

  activities: (from: string, request: PageRequest) =>
    listPage<UserActivity>({
      db,
      name: 'list_user_activities',
      select: sql`u.username, u.last_activity_on::text as last_activity_on`,
      from: sql`users u`,
      // PostgreSQL has no year 0.
      where: [sql`u.last_activity_on >= ${from.replace(/^0000/, '0001')}::date`],
      orders: {
        last_activity_on: [
          { name: 'last_activity_on', expression: sql`u.last_activity_on`, type: 'date' },
          { name: 'id', expression: sql`u.id`, type: 'bigint' },
        ],
      },
      request,
      count: true,
    }),

  async memberships(userId: number): Promise<{ groups: number; projects: number }> {
    const row = await db.one<{ groups: number; projects: number }>(sql`
      select count(m.namespace_id)::int as groups, count(m.project_id)::int as projects
      from memberships m
      left join projects p on p.id = m.project_id
      join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)
      where m.user_id = ${userId}::bigint and (m.expires_at is null or m.expires_at > now())
        and p.marked_for_deletion_at is null
        and not exists (select from namespaces a where a.id = any (n.ancestry) and a.marked_for_deletion_at is not null)`);
    return row ?? { groups: 0, projects: 0 };
  },
});
