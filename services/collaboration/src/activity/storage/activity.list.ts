import { type Database, listPage, type PageInfo, type PageRequest } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import {
  codeRule,
  joinProject,
  memberProjects,
  projectsFrom,
  userColumns,
  userJoin,
  userOf,
  type Viewer,
  visibleProjects,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { visibleIssues } from '../../issues';
import { readableMergeRequests } from '../../merge-requests';
import type { ActivityFilter } from '../domain/activity';
import type { ActivityRow } from '../domain/activity-row';

/** Whose or which events are listed. */
export type ActivityScope =
  | { readonly authorId: number }
  | { readonly projectId: number }
  /** Of every project the viewer is a member of. */
  | 'member_projects';

/** Whose events are asked for. */
export interface EventAuthor {
  readonly id: number;
  /** What they did is shown to themselves and to administrators alone (G-4.8-4). */
  readonly private_profile: boolean;
}

/** Reads events that the viewer may see. */
export interface ActivityList {
  /** The user with an id, or with a username without regard to case; undefined when there is none. */
  author(user: string): Promise<EventAuthor | undefined>;
  /** One page by time: one statement, and a capped count with offset paging. */
  page(
    viewer: Viewer,
    scope: ActivityScope,
    filter: ActivityFilter,
    request: PageRequest,
  ): Promise<{ rows: ActivityRow[]; page: PageInfo }>;
}

const { guest, reporter } = levels;

const countFrom = sql`activity_events e ${joinProject(sql`e.project_id`)}
  left join issues i on e.subject_type = 'issue' and i.id = e.subject_id
  left join snippets snippet on e.subject_type = 'snippet' and snippet.id = e.subject_id
  left join notes note on e.target_type = 'note' and note.id = e.target_id`;
const from = sql`${countFrom} ${userJoin('author', sql`e.author_id`)}`;

const select = sql`e.id, e.project_id, e.author_id, e.action, e.target_type, e.target_id, e.target_iid, e.target_title, e.push_data,
  e.imported, e.created_at, e.subject_type, e.subject_id, note.id as note_id, note.body as note_body, note.type as note_type,
  note.system as note_system, note.created_at as note_created_at, ${userColumns('author')}`;

/**
 * Projects the viewer is a member of: the feed of each is walked by itself, so what happens in others costs nothing.
 */
const memberFeeds = (viewer: Viewer): Sql =>
  sql`(select p.id from ${projectsFrom} where ${memberProjects(viewer)}) as mine`;

const scopeCondition = (scope: ActivityScope): Sql => {
  if (scope === 'member_projects') return sql`e.project_id = mine.id`;
  return 'authorId' in scope ? sql`e.author_id = ${scope.authorId}` : sql`e.project_id = ${scope.projectId}`;
};

/**
 * A user who may read what an event is filed under may read the event. Issues and comments are asked as they stand now:
 * one that became confidential, or is gone, takes its events along at once.
 */
function visibleTo(viewer: Viewer): Sql {
  const members = (least: number): Sql => (viewer.admin ? sql`true` : memberProjects(viewer, least));
  const signedIn = viewer.userId > 0 && !viewer.external;
  const openSnippet = sql`(snippet.visibility = 'public' or ${signedIn} and snippet.visibility = 'internal'
    or snippet.author_id = ${viewer.userId}::bigint)`;
  return sql`case e.subject_type
    when 'merge_request' then ${readableMergeRequests(viewer)}
    when 'repository' then ${visibleProjects(viewer, codeRule)}
    when 'issue' then i.id is not null and ${visibleIssues(viewer)}
    when 'snippet' then snippet.id is not null and ${visibleProjects(viewer, { feature: 'snippets' })} and (${openSnippet} or ${members(guest)})
    else ${visibleProjects(viewer)} end
    and (e.target_type is distinct from 'note' or note.id is not null and (not note.internal or ${members(reporter)}))`;
}

const conditionsOf = ({ action, targetType, before, after }: ActivityFilter): Sql[] => [
  ...(action === undefined ? [] : [sql`e.action = ${action}`]),
  ...(targetType === undefined ? [] : [sql`e.target_type = ${targetType}`]),
  ...(before === undefined ? [] : [sql`e.created_at < ${before}::date::timestamp at time zone 'utc'`]),
  ...(after === undefined ? [] : [sql`e.created_at >= (${after}::date + 1)::timestamp at time zone 'utc'`]),
];

function rowOf(row: Record<string, unknown>): ActivityRow {
  const optional = <T>(value: unknown): T | undefined => (value ?? undefined) as T | undefined;
  return {
    id: row.id as number,
    projectId: row.project_id as number,
    authorId: row.author_id as number,
    action: row.action as string,
    targetType: optional(row.target_type),
    targetId: optional(row.target_id),
    targetIid: optional(row.target_iid),
    targetTitle: optional(row.target_title),
    push: optional(row.push_data),
    imported: row.imported as boolean,
    createdAt: row.created_at as Date,
    author: userOf(row, 'author'),
    note:
      typeof row.note_id === 'number'
        ? {
            id: row.note_id,
            body: row.note_body as string,
            type: optional(row.note_type),
            system: row.note_system as boolean,
            createdAt: row.note_created_at as Date,
          }
        : undefined,
    subject: { type: row.subject_type as string, id: row.subject_id as number },
  };
}

/** Opens the list. */
export function activityList(db: Database): ActivityList {
  return {
    async author(user) {
      const named = /^[1-9]\d{0,15}$/.test(user)
        ? sql`u.id = ${Number(user)}`
        : sql`lower(u.username) = ${user.toLowerCase()}`;
      const [found] = await db.query<EventAuthor>(
        sql`select u.id, u.private_profile from directory.users u where ${named} and u.deleted_at is null`,
      );
      return found;
    },

    async page(viewer, scope, filter, request) {
      const { rows, page } = await listPage({
        db,
        name: 'list_activity_events',
        select,
        from,
        countFrom,
        ...(scope === 'member_projects' ? { each: memberFeeds(viewer) } : {}),
        where: [scopeCondition(scope), ...conditionsOf(filter), visibleTo(viewer)],
        orders: {
          created_at: [
            { name: 'created_at', expression: sql`e.created_at`, type: 'timestamptz' },
            { name: 'id', expression: sql`e.id`, type: 'bigint' },
          ],
        },
        request,
        count: true,
      });
      return { rows: rows.map(rowOf), page };
    },
  };
}
