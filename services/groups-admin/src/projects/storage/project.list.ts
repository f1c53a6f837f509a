import {
  type ClauseTable,
  clausesOf,
  contains,
  type Database,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
} from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { hasCustomAttributes } from '../../custom-attributes';
import { matches, memberProjects, restorableProjects, type Viewer, visibleProjects } from '../../directory';
import { projectsSharedWith } from '../../shares';
import { hasTopic, hasTopicId } from '../../topics';
import type { ProjectExtras, ProjectFilter, ProjectRow } from '../domain/project-row';
import { noExtras, projectColumnsWith, projectFrom } from './project.columns';

const clauses: ClauseTable<Omit<ProjectFilter, 'search' | 'searchNamespaces' | 'markedOn'>, Viewer> = {
  group: ({ id, below, above, shared = 'without' }) => {
    const invited = sql`p.id = any(${projectsSharedWith(id)})`;
    if (shared === 'only') return invited;
    const ways = [below ? sql`n.ancestry @> array[${id}::bigint]` : sql`p.namespace_id = ${id}`];
    if (above)
      ways.push(sql`p.namespace_id = any(array(select unnest(g.ancestry) from namespaces g where g.id = ${id}))`);
    if (shared === 'with') ways.push(invited);
    return ways.length === 1 ? ways[0]! : sql`(${join(ways, ' or ')})`;
  },
  ownerId: (userId) => sql`n.owner_id = ${userId}`,
  archived: (archived) => sql`p.archived = ${archived}`,
  visibility: (visibility) => sql`p.visibility = ${visibility}`,
  membership: (requested, viewer) => (requested ? memberProjects(viewer) : sql`true`),
  starred: (requested, viewer) =>
    requested
      ? sql`p.id = any(array(select s.project_id from project_stars s where s.user_id = ${viewer.userId}::bigint))`
      : sql`true`,
  starredBy: (userId, viewer) => sql`p.id = any(array(
    select s.project_id from project_stars s join users u on u.id = s.user_id where s.user_id = ${userId}::bigint
      and (not u.private_profile or u.id = ${viewer.userId}::bigint or ${viewer.admin}::boolean)))`,
  minLevel: (level, viewer) => memberProjects(viewer, level),
  withIssues: (requested) => (requested ? sql`p.issues_access_level <> 'disabled'` : sql`true`),
  withMergeRequests: (requested) => (requested ? sql`p.merge_requests_access_level <> 'disabled'` : sql`true`),
  topics: (names) => join(names.map(hasTopic), ' and '),
  topicId: hasTopicId,
  idAfter: (id) => sql`p.id > ${id}`,
  idBefore: (id) => sql`p.id < ${id}`,
  lastActivityAfter: (timestamp) => sql`p.last_activity_at > ${timestamp}`,
  lastActivityBefore: (timestamp) => sql`p.last_activity_at < ${timestamp}`,
  updatedAfter: (timestamp) => sql`p.updated_at > ${timestamp}`,
  updatedBefore: (timestamp) => sql`p.updated_at < ${timestamp}`,
  customAttributes: (values) => hasCustomAttributes('project', sql`p.id`, values),
  active: (active) => (active ? sql`not p.archived` : sql`(p.archived or p.marked_for_deletion_at is not null)`),
  forksOf: (id) => sql`p.forked_from_project_id = ${id}`,
  // All repositories lie in one storage.
  repositoryStorage: (storage) => sql`${storage === 'default'}::boolean`,
};

/** What a list may hold: what the viewer sees, and of what is marked for deletion what they may restore. */
function reachable({ markedOn, active }: ProjectFilter, viewer: Viewer): Sql {
  if (markedOn !== undefined) return restorableProjects(viewer, markedOn);
  const visible = visibleProjects(viewer);
  return active === false ? sql`((${visible}) or (${restorableProjects(viewer)}))` : visible;
}

function searched(search: string | undefined, searchNamespaces: boolean | undefined): Sql[] {
  if (search === undefined) return [];
  const own = matches(search, [sql`p.name`, sql`p.path`, sql`p.description`]);
  return [searchNamespaces ? sql`(${own} or n.full_path || '/' || p.path ilike ${contains(search)})` : own];
}

const id: OrderColumn = { name: 'id', expression: sql`p.id`, type: 'bigint' };
const by = (name: string, type: OrderColumn['type'], expression: Sql): OrderColumn[] => [
  { name, type, expression },
  id,
];

const ordersFor = (search: string | undefined): Record<string, OrderColumn[]> => {
  const createdAt = by('created_at', 'timestamptz', sql`p.created_at`);
  return {
    id: [id],
    name: by('name', 'text', sql`p.name`),
    path: by('path', 'text', sql`p.path`),
    created_at: createdAt,
    updated_at: by('updated_at', 'timestamptz', sql`p.updated_at`),
    last_activity_at: by('last_activity_at', 'timestamptz', sql`p.last_activity_at`),
    star_count: by('star_count', 'integer', sql`p.star_count`),
    // Best matches first, whatever the requested direction; without a search there is nothing to match.
    similarity:
      search === undefined
        ? createdAt
        : [
            {
              name: 'similarity',
              type: 'numeric',
              direction: 'desc',
              expression: sql`round((similarity(p.path, ${search}) + similarity(p.name, ${search}))::numeric, 6)`,
            },
            { ...id, direction: 'desc' },
          ],
  };
};

/** A page of projects the viewer may see: one statement and one count. */
export function listProjects(
  db: Database,
  viewer: Viewer,
  filter: ProjectFilter,
  request: PageRequest,
  extras: ProjectExtras = noExtras,
): Promise<{ rows: ProjectRow[]; page: PageInfo }> {
  const { search, searchNamespaces, markedOn: _, ...narrowed } = filter;
  const where = [
    reachable(filter, viewer),
    ...searched(search, searchNamespaces),
    ...clausesOf(clauses, narrowed, viewer),
  ];
  return listPage<ProjectRow>({
    db,
    name: 'list_projects',
    searches: search !== undefined,
    select: projectColumnsWith(viewer, extras),
    from: projectFrom,
    countFrom: sql`projects p join namespaces n on n.id = p.namespace_id`,
    where,
    orders: ordersFor(search),
    request,
    count: true,
  });
}
