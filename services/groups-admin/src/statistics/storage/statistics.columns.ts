import { type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { memberProjects, type Viewer } from '../../directory';

/**
 * `ProjectSizes` of the project `p`, null where the viewer has less than the role Reporter in it; an expression for
 * select lists.
 */
export const projectSizes = (viewer: Viewer): Sql => sql`
  case when ${viewer.admin ? sql`true` : memberProjects(viewer, levels.reporter)} then (
    select json_build_object('commit_count', s.commit_count, 'repository_size', s.repository_size,
      'wiki_size', s.wiki_size, 'snippets_size', s.snippets_size, 'packages_size', s.packages_size,
      'reports_size', s.reports_size,
      'uploads_size', coalesce(s.uploads_size, 0) + coalesce((select a.size from avatars a where a.project_id = p.id), 0))
    from (select p.id) as one left join project_statistics s on s.project_id = one.id) end`;

/** Sums over projects `q`; the group's own avatar is `own`. */
const sums = (own: Sql): Sql => sql`json_build_object('repository_size', sum(s.repository_size),
  'wiki_size', sum(s.wiki_size), 'snippets_size', sum(s.snippets_size), 'packages_size', sum(s.packages_size),
  'reports_size', sum(s.reports_size),
  'uploads_size', coalesce(sum(s.uploads_size), 0) + coalesce(sum(a.size), 0) + coalesce((${own}), 0))`;

const measured = sql`left join project_statistics s on s.project_id = q.id left join avatars a on a.project_id = q.id`;

/**
 * `GroupSizes` of the group `n`; an expression for select lists, where it is read for the rows of the page alone. Sums
 * over the projects as they are now: a transfer or a deletion leaves nothing behind that could be wrong. Avatars, whose
 * sizes are in this database, count as uploads.
 */
export const groupSizes: Sql = sql`json_build_object(
  'own', (select ${sums(sql`select g.size from avatars g where g.namespace_id = n.id`)}
    from projects q ${measured} where q.namespace_id = n.id),
  'root', case when n.parent_id is null then (
    select ${sums(sql`select sum(g.size) from avatars g join namespaces t on t.id = g.namespace_id where t.ancestry[1] = n.id`)}
    from namespaces below join projects q on q.namespace_id = below.id ${measured} where below.ancestry[1] = n.id) end)`;
