import { type Database, uncounted } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { internalUserTypes } from '../../rules';
import type { SudoRow, TargetName, TargetRow, TokenRow } from '../domain/access';

/** Addresses remembered of each token, the newest first. */
const keptAddresses = 5;

/** A user of the instance itself cannot sign in. */
const signsIn = sql`user_type <> all(${[...internalUserTypes]}::text[])`;

/** Reads for `AccessService`, one statement for each question. */
export function accessStore(db: Database) {
  return {
    findToken: (digest: Buffer): Promise<TokenRow | undefined> =>
      db.one<TokenRow>(
        named(
          'access_token',
          sql`
          select t.id as token_id, t.scopes, t.revoked,
            extract(epoch from t.expires_at::timestamp at time zone 'UTC')::bigint as expires_at,
            coalesce(t.expires_at::timestamp at time zone 'UTC' <= now(), false) as expired,
            coalesce(t.last_used_at < now() - interval '1 minute', true) as stale,
            u.id as user_id, u.username, u.admin, u.external, u.state,
            (select value from directory_sequence) as directory_sequence
          from personal_access_tokens t join users u on u.id = t.user_id
          where t.token_digest = ${digest}`,
        ),
      ),

    findUser: (idOrUsername: string): Promise<SudoRow | undefined> =>
      db.one<SudoRow>(
        /^\d{1,15}$/.test(idOrUsername)
          ? sql`select id as user_id, username, admin, external, state from users where id = ${Number(idOrUsername)} and ${signsIn}`
          : sql`select id as user_id, username, admin, external, state from users where lower(username) = lower(${idOrUsername}) and ${signsIn}`,
      ),

    findProject: (name: TargetName, userId: number): Promise<TargetRow | undefined> => {
      const found =
        'id' in name
          ? sql`p.id = ${name.id}`
          : sql`lower(n.full_path) = lower(${parentOf(name.path)}) and lower(p.path) = lower(${baseOf(name.path)})`;
      return db.one<TargetRow>(
        named(
          'access_project',
          sql`
          select p.id, n.full_path || '/' || p.path as full_path, p.visibility, p.archived,
            p.repository_access_level, p.merge_requests_access_level, p.issues_access_level,
            coalesce(p.feature_access_levels ->> 'monitor', 'enabled') as monitor_access_level,
            coalesce(p.feature_access_levels ->> 'snippets', 'enabled') as snippets_access_level,
            p.marked_for_deletion_at is not null or root.deleting as deleting, root.tier,
            greatest(case when n.owner_id = ${userId} then 50 else 0 end, coalesce(own.level, 0)) as level,
            false as member_below, own.valid_until,
            (select value from directory_sequence) as directory_sequence
          from projects p
          join namespaces n on n.id = p.namespace_id
          cross join lateral (
            select bool_or(a.marked_for_deletion_at is not null) as deleting,
              max(a.tier) filter (where a.id = n.ancestry[1]) as tier
            from namespaces a where a.id = any (n.ancestry)) as root
          cross join lateral (
            select max(m.access_level) as level, extract(epoch from min(m.expires_at))::bigint as valid_until
            from memberships m
            where m.user_id = ${userId} and (m.project_id = p.id or m.namespace_id = any (n.ancestry))
              and m.access_level >= 10 and (m.expires_at is null or m.expires_at > now())) as own
          where ${found}`,
        ),
      );
    },

    findGroup: (name: TargetName, userId: number): Promise<TargetRow | undefined> => {
      const found = 'id' in name ? sql`n.id = ${name.id}` : sql`lower(n.full_path) = lower(${name.path})`;
      return db.one<TargetRow>(
        named(
          'access_group',
          sql`
          select n.id, n.full_path, n.visibility, false as archived, root.deleting, root.tier,
            '' as repository_access_level, '' as merge_requests_access_level, '' as issues_access_level,
            '' as monitor_access_level, '' as snippets_access_level,
            coalesce(own.level, 0) as level,
            case when n.visibility = 'public' or own.level is not null then false else below.member end as member_below,
            case when own.level is not null then own.valid_until else below.valid_until end as valid_until,
            (select value from directory_sequence) as directory_sequence
          from namespaces n
          cross join lateral (
            select bool_or(a.marked_for_deletion_at is not null) as deleting,
              max(a.tier) filter (where a.id = n.ancestry[1]) as tier
            from namespaces a where a.id = any (n.ancestry)) as root
          cross join lateral (
            select max(m.access_level) as level, extract(epoch from min(m.expires_at))::bigint as valid_until
            from memberships m
            where m.user_id = ${userId} and m.namespace_id = any (n.ancestry)
              and (m.expires_at is null or m.expires_at > now())) as own
          cross join lateral (
            select count(*) > 0 as member, extract(epoch from min(m.expires_at))::bigint as valid_until
            from memberships m
            left join projects mp on mp.id = m.project_id
            join namespaces d on d.id = coalesce(m.namespace_id, mp.namespace_id)
            where own.level is null and m.user_id = ${userId} and n.id = any (d.ancestry)
              and (m.expires_at is null or m.expires_at > now())
              and mp.marked_for_deletion_at is null
              and not exists (
                select from namespaces x where x.id = any (d.ancestry) and x.marked_for_deletion_at is not null)) as below
          where n.kind = 'group' and ${found}`,
        ),
      );
    },

    async findMovedProject(path: string): Promise<number> {
      const row = await db.one<{ id: number }>(
        named(
          'access_moved_project',
          sql`
          select coalesce(
            (select project_id from redirect_routes where path = lower(${path})),
            (select p.id from redirect_routes r join projects p on p.namespace_id = r.namespace_id
              where r.path = lower(${parentOf(path)}) and lower(p.path) = lower(${baseOf(path)})),
            (select again.project_id from redirect_routes r join namespaces n on n.id = r.namespace_id
              join redirect_routes again on again.path = lower(n.full_path || '/' || ${baseOf(path)}::text)
              where r.path = lower(${parentOf(path)})),
            0) as id`,
        ),
      );
      return row?.id ?? 0;
    },

    async findMovedGroup(path: string): Promise<number> {
      const row = await db.one<{ id: number }>(
        named(
          'access_moved_group',
          sql`select namespace_id as id from redirect_routes where path = lower(${path}) and namespace_id is not null`,
        ),
      );
      return row?.id ?? 0;
    },

    async directorySequence(): Promise<number> {
      const row = await db.one<{ value: number }>(named('directory_head', sql`select value from directory_sequence`));
      return row?.value ?? 0;
    },

    touchToken: (tokenId: number, userId: number, address: string): Promise<void> =>
      uncounted(async () => {
        await db.query(sql`
          with used as (
            update personal_access_tokens set last_used_at = now(),
              last_used_ips = case when ${address} = '' then last_used_ips
                else (array[${address}::text] || array_remove(last_used_ips, ${address}))[1:${keptAddresses}::int] end
            where id = ${tokenId} and (last_used_at is null or last_used_at < now() - interval '1 minute')
            returning id)
          update users set last_activity_on = current_date
          where id = ${userId} and exists (select from used) and last_activity_on is distinct from current_date`);
      }),
  };
}

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
