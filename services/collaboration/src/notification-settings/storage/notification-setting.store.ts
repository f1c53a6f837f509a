import type { Database, SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { StoredSetting } from '../domain/effective-setting';
import {
  defaultSetting,
  type NotificationSetting,
  type SettingFacts,
  type SettingPlace,
  type ShownSetting,
} from '../domain/notification-setting';

type Stored = Omit<NotificationSetting, 'email'> & { readonly email: string | null };

const columns = sql`s.level, s.events, s.email, s.own_activity as "ownActivity", s.digest`;

const toSetting = ({ level, events, email, ownActivity, digest }: Stored): NotificationSetting => ({
  level,
  events,
  email: email ?? undefined,
  ownActivity,
  digest,
});

/** Opens the store. */
export const notificationSettingStore = (db: Database) => ({
  async find(userId: number, place: SettingPlace): Promise<ShownSetting> {
    const row = await db.one<{ stored: Stored | null; email: string; tier: string }>(sql`
      select coalesce(u.email, '') as email, coalesce((select i.tier from directory.instance i limit 1), '') as tier, (
        select to_jsonb(found) from (
          select ${columns} from notification_settings s
          where s.user_id = ${userId} and s.project_id = ${place.projectId} and s.group_id = ${place.groupId}) found) as stored
      from directory.users u where u.id = ${userId}`);
    const setting = row?.stored ? toSetting(row.stored) : defaultSetting(place);
    return { setting, email: row?.email ?? '', tier: row?.tier ?? '' };
  },

  change: (userId: number, place: SettingPlace, decide: (facts: SettingFacts) => NotificationSetting): Promise<void> =>
    db.transaction(async (tx) => {
      // The row is made first, so that two changes at once wait for each other.
      const initial = defaultSetting(place);
      await tx.query(sql`
        insert into notification_settings (user_id, project_id, group_id, level)
        values (${userId}, ${place.projectId}, ${place.groupId}, ${initial.level})
        on conflict (user_id, project_id, group_id) do nothing`);
      const row = await tx.one<Stored & { confirmed: string[] }>(sql`
        select ${columns}, coalesce((select u.confirmed_emails from directory.users u where u.id = s.user_id), '{}') as confirmed
        from notification_settings s
        where s.user_id = ${userId} and s.project_id = ${place.projectId} and s.group_id = ${place.groupId} for update`);
      const stored = row === undefined ? initial : toSetting(row);
      const next = decide({ stored, confirmed: row?.confirmed ?? [] });
      await tx.query(sql`
        update notification_settings set level = ${next.level}, events = ${JSON.stringify(next.events)}::jsonb,
          email = ${next.email ?? null}, own_activity = ${next.ownActivity}, digest = ${next.digest}, updated_at = now()
        where user_id = ${userId} and project_id = ${place.projectId} and group_id = ${place.groupId}`);
    }),

  async removeOrphans(limit: number): Promise<number> {
    const removed = await db.query(sql`
      delete from notification_settings where id in (
        select s.id from directory.users u join notification_settings s on s.user_id = u.id where u.deleted_at is not null
        union all
        select s.id from directory.projects p join notification_settings s on s.project_id = p.id where p.deleted_at is not null
        union all
        select s.id from directory.namespaces n join notification_settings s on s.group_id = n.id where n.deleted_at is not null
        limit ${limit})
      returning 1`);
    return removed.length;
  },
});

/** Sets the level of a user in a place, in the caller's transaction; the rest stays. */
export const setLevel = (tx: SqlExecutor, userId: number, place: SettingPlace, level: string): Promise<unknown> =>
  tx.query(sql`
    insert into notification_settings (user_id, project_id, group_id, level)
    values (${userId}, ${place.projectId}, ${place.groupId}, ${level})
    on conflict (user_id, project_id, group_id) do update set level = excluded.level, updated_at = now()`);

/** Ends all mail of a user about what happens, in the caller's transaction; the rest stays. */
export const stopDigest = (tx: SqlExecutor, userId: number): Promise<unknown> =>
  tx.query(sql`
    insert into notification_settings (user_id, project_id, group_id, level, digest)
    values (${userId}, 0, 0, ${defaultSetting({ projectId: 0, groupId: 0 }).level}, 'stopped')
    on conflict (user_id, project_id, group_id) do update set digest = excluded.digest, updated_at = now()`);

/** Settings everywhere, of some projects and of some groups, of some users: one statement. */
export async function settingsOf(
  db: SqlExecutor,
  { projectIds, groupIds }: { readonly projectIds: readonly number[]; readonly groupIds: readonly number[] },
  userIds: readonly number[],
): Promise<StoredSetting[]> {
  const rows = await db.query<Stored & { userId: number; projectId: number; groupId: number }>(sql`
    select s.user_id as "userId", s.project_id as "projectId", s.group_id as "groupId", ${columns}
    from notification_settings s
    where s.user_id = any(${[...userIds]}::bigint[]) and (
      s.project_id > 0 and s.project_id = any(${[...projectIds]}::bigint[])
      or s.project_id = 0 and s.group_id = any(${[0, ...groupIds]}::bigint[]))`);
  return rows.map(({ userId, projectId: project, groupId, ...row }) => ({
    userId,
    projectId: project,
    groupId,
    ...toSetting(row),
  }));
}
