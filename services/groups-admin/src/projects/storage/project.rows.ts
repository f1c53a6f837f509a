import type { Tx } from '@switchyard/database';
import { join, raw, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { type DirectoryTx, waysBelow, waysOf } from '../../directory';
import { assignTopics } from '../../topics';
import type { NameConflicts } from '../domain/project-change';
import type { LockedNamespace, NewProject } from '../domain/project-row';

/** A namespace, locked against other projects, groups and settings that come in; undefined when there is none. */
export async function lockNamespace(tx: Tx, namespaceId: number, userId: number): Promise<LockedNamespace | undefined> {
  await tx.query(sql`select id from namespaces where id = ${namespaceId} for no key update`);
  return tx.one<LockedNamespace>(sql`
    select n.id, n.kind, n.visibility, n.owner_id, n.full_path, n.settings ->> 'project_creation_level' as project_creation_level,
      n.settings ->> 'default_branch' as default_branch, (select top.tier from namespaces top where top.id = n.ancestry[1]) as tier,
      case when n.owner_id = ${userId} then 50 else coalesce((
        select max(way.level) from (${waysOf(userId, { ancestry: sql`n.ancestry` }, levels.minimal)}) as way), 0) end as level,
      exists (select from namespaces a where a.id = any(n.ancestry) and a.marked_for_deletion_at is not null) as deleting,
      exists (${waysBelow(userId, sql`n.id`)}) as member_below,
      coalesce((select u.projects_limit <= (select count(*) from projects mine where mine.namespace_id = n.id)
        from users u where u.id = n.owner_id), false) as full
    from namespaces n where n.id = ${namespaceId}`);
}

/** Which of name and path a namespace has already, without one project. */
export async function conflictsIn(
  tx: Tx,
  namespaceId: number,
  { name, path, except = 0 }: { name?: string | undefined; path?: string | undefined; except?: number },
): Promise<NameConflicts> {
  const row = await tx.one<NameConflicts>(sql`
    select
      exists (select from projects where namespace_id = ${namespaceId} and lower(name) = lower(${name ?? null}::text) and id <> ${except}) as name,
      exists (select from projects where namespace_id = ${namespaceId} and lower(path) = lower(${path ?? null}::text) and id <> ${except})
        or exists (select from namespaces where parent_id = ${namespaceId} and lower(path) = lower(${path ?? null}::text)) as path`);
  return row ?? noConflicts;
}

/** Nothing is taken. */
export const noConflicts: NameConflicts = { name: false, path: false };

/** Inserts a project with its topics; returns its id. */
export async function insertProject(tx: DirectoryTx, { topics = [], ...project }: NewProject): Promise<number> {
  const values = Object.entries(project).filter(([, value]) => value !== undefined);
  const columns = values.map(([column]) => raw(column));
  const [row] = await tx.write(
    'project',
    sql`insert into projects (${join(columns)})
    values (${join(values.map(([column, value]) => (column === 'feature_access_levels' ? sql`${JSON.stringify(value)}::jsonb` : sql`${value as string}`)))})
    returning id`,
  );
  if (row === undefined) throw new Error('a project was not inserted');
  if (topics.length > 0) await assignTopics(tx, row.id, topics);
  return row.id;
}
