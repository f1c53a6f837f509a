import { type Database, uncounted } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import type { SudoRow, TargetName, TargetRow, TokenRow } from '../domain/access';
import { directoryHead } from './directory-head';
import { waysBelow, waysOf } from './reach';
import { isNoInternalUser } from './user-kind.sql';
import { isUserNamed } from './user-name.sql';
import { purgeBegun } from './viewer';

/** Addresses remembered of each token, the newest first. */
const keptAddresses = 5;

/** State of a user `u`; a service account waits until its e-mail is confirmed (api.md 4.5). */
const stateOf = sql`case when u.user_type = 'service_account' and u.confirmed_at is null then 'unconfirmed' else u.state end`;

const topColumns = sql`root.tier, root.ip_ranges, root.git_protocol`;

/** What follows from the groups from the root down to `namespaces n`. */
const root = sql`cross join lateral (
            select bool_or(a.marked_for_deletion_at is not null) as deleting,
              coalesce(bool_or(a.marked_for_deletion_at = ${purgeBegun}), false) as purging,
              max(a.tier) filter (where a.id = n.ancestry[1]) as tier,
              max(a.settings ->> 'ip_restriction_ranges') filter (where a.id = n.ancestry[1]) as ip_ranges,
              max(a.settings ->> 'enabled_git_access_protocol') filter (where a.id = n.ancestry[1]) as git_protocol
            from namespaces a where a.id = any (n.ancestry)) as root`;

/** Reads for `AccessService`, one statement for each question. */
export function accessStore(db: Database) {
  return {
    findToken: (digest: Buffer): Promise<TokenRow | undefined> =>
      db.one<TokenRow>(
        named(
          'access_token',
          sql`
          select t.id as token_id, t.kind, t.scopes, t.revoked,
            extract(epoch from t.expires_at::timestamp at time zone 'UTC')::bigint as expires_at,
            coalesce(t.expires_at::timestamp at time zone 'UTC' <= now(), false) as expired,
            coalesce(t.last_used_at < now() - interval '1 minute', true) as stale,
            u.id as user_id, u.username, u.admin, u.external, ${stateOf} as state,
            (select value from directory_sequence) as directory_sequence
          from personal_access_tokens t join users u on u.id = t.user_id
          where t.token_digest = ${digest}`,
        ),
      ),

    findUser: (idOrUsername: string): Promise<SudoRow | undefined> =>
      db.one<SudoRow>(
        sql`
          select u.id as user_id, u.username, u.admin, u.external, ${stateOf} as state
          from users u where ${isUserNamed(idOrUsername)} and ${isNoInternalUser}`,
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
            coalesce(p.feature_access_levels ->> 'package_registry', 'enabled') as package_registry_access_level,
            p.marked_for_deletion_at is not null or root.deleting as deleting,
            coalesce(p.marked_for_deletion_at = ${purgeBegun}, false) or root.purging as purging, ${topColumns},
            greatest(case when n.owner_id = ${userId} then 50 else 0 end, coalesce(own.level, 0)) as level,
            false as member_below, own.valid_until,
            (select value from directory_sequence) as directory_sequence
          from projects p
          join namespaces n on n.id = p.namespace_id
          ${root}
          cross join lateral (
            select max(way.level) as level, extract(epoch from min(way.expires_at))::bigint as valid_until
            from (${waysOf(userId, { ancestry: sql`n.ancestry`, projectId: sql`p.id` }, levels.guest)}) as way) as own
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
          select n.id, n.full_path, n.visibility, false as archived, root.deleting, root.purging, ${topColumns},
            '' as repository_access_level, '' as merge_requests_access_level, '' as issues_access_level,
            '' as monitor_access_level, '' as snippets_access_level, '' as package_registry_access_level,
            coalesce(own.level, 0) as level,
            case when n.visibility = 'public' or own.level is not null then false else below.member end as member_below,
            case when own.level is not null then own.valid_until else below.valid_until end as valid_until,
            (select value from directory_sequence) as directory_sequence
          from namespaces n
          ${root}
          cross join lateral (
            select max(way.level) as level, extract(epoch from min(way.expires_at))::bigint as valid_until
            from (${waysOf(userId, { ancestry: sql`n.ancestry` }, levels.minimal)}) as way) as own
          cross join lateral (
            select count(*) > 0 as member, extract(epoch from min(way.expires_at))::bigint as valid_until
            from (${waysBelow(userId, sql`n.id`)}) as way where own.level is null) as below
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

    directorySequence: (): Promise<number> => directoryHead(db),

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
