import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type {
  HookFacts,
  HookGroupFacts,
  HookMembershipFacts,
  HookMilestoneFacts,
  HookProjectFacts,
  HookUserFacts,
  NamedIds,
} from '../domain/hook-facts';

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]));

const idsOf = (all: readonly NamedIds[], kind: keyof NamedIds): number[] => [
  ...new Set(all.flatMap((one) => one[kind] ?? []).filter((id) => id > 0)),
];

/** What is known of those that a batch of events names, by five statements. */
export const hookFactsStore =
  (db: Database) =>
  async (all: readonly NamedIds[]): Promise<HookFacts> => {
    const projects = await db.query<HookProjectFacts>(
      named(
        'hook_projects',
        sql`select p.id, p.name, p.path, p.namespace_id, n.full_path as namespace_full_path,
          n.full_name as namespace_full_name, p.visibility, p.avatar_url, p.default_branch, p.description,
          coalesce(n.owner_id, p.creator_id) as owner_id, p.created_at, p.updated_at
        from projects p join namespaces n on n.id = p.namespace_id where p.id = any(${idsOf(all, 'projects')}::bigint[])`,
      ),
    );
    const owners = projects.flatMap(({ owner_id: id }) => (id === null ? [] : [id]));
    const [users, groups, memberships, milestones] = await Promise.all([
      db.query<HookUserFacts>(
        named(
          'hook_users',
          sql`select id, username, name, state, avatar_url, public_email, created_at, updated_at from users
            where id = any(${[...new Set([...idsOf(all, 'users'), ...owners])]}::bigint[])`,
        ),
      ),
      db.query<HookGroupFacts>(
        named(
          'hook_groups',
          sql`select id, name, path, full_path, created_at, updated_at from namespaces
            where id = any(${idsOf(all, 'groups')}::bigint[]) and kind = 'group'`,
        ),
      ),
      db.query<HookMembershipFacts>(
        named(
          'hook_memberships',
          sql`select id, expires_at, created_at, updated_at from memberships
            where id = any(${idsOf(all, 'memberships')}::bigint[])`,
        ),
      ),
      db.query<HookMilestoneFacts>(
        named(
          'hook_milestones',
          sql`select id, iid, title, description, state, due_date::text as due_date, start_date::text as start_date,
            namespace_id as group_id, project_id, created_at, updated_at from milestones
            where id = any(${idsOf(all, 'milestones')}::bigint[])`,
        ),
      ),
    ]);
    return {
      users: byId(users),
      projects: byId(projects),
      groups: byId(groups),
      memberships: byId(memberships),
      milestones: byId(milestones),
    };
  };
