import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { projectColumns, projectOf, userColumns, userJoin, userOf, type Viewer } from '@switchyard/directory';
import type { GroupRow, TargetType } from '../../targets';
import type { TodoFilter } from '../domain/todo';
import type { TodoRow } from '../domain/todo-row';
import { conditionsOf, joinPlace } from './todo.filter';
import { readableTarget } from './todo.visibility';

const select = sql`t.id, t.action, t.target_type, t.target_id, t.note_id, coalesce(note.body, t.body) as body, t.state, t.created_at, t.updated_at,
  ${userColumns('author')}, ${projectColumns},
  case when t.group_id is not null then json_build_object('id', n.id, 'kind', n.kind, 'name', n.name, 'path', n.path,
    'full_path', n.full_path, 'ancestry', n.ancestry, 'avatar_url', n.avatar_url) end as "group"`;
const countFrom = sql`todos t ${joinPlace} left join notes note on note.id = t.note_id`;
const from = sql`${countFrom} ${userJoin('author', sql`t.author_id`)}`;

function rowOf(row: Record<string, unknown>): TodoRow {
  return {
    id: row.id as number,
    action: row.action as string,
    targetType: row.target_type as TargetType,
    targetId: row.target_id as number,
    noteId: (row.note_id as number | null) ?? undefined,
    body: (row.body as string | null) ?? undefined,
    state: row.state as string,
    createdAt: row.created_at as Date,
    updatedAt: row.updated_at as Date,
    author: userOf(row, 'author'),
    project: projectOf(row),
    group: (row.group as GroupRow | null) ?? undefined,
  };
}

/** Opens the list. */
export function todoList(db: Database) {
  return {
    async page(viewer: Viewer, filter: TodoFilter, request: PageRequest) {
      const { rows, page } = await listPage({
        db,
        name: 'list_todos',
        select,
        from,
        countFrom,
        where: [...conditionsOf(viewer.userId, filter), readableTarget(viewer)],
        orders: { id: [{ name: 'id', expression: sql`t.id`, type: 'bigint' }] },
        request,
        count: true,
      });
      return { rows: rows.map(rowOf), page };
    },
    async find(viewer: Viewer, id: number) {
      const row = await db.one(
        named(
          'find_todo',
          sql`select ${select} from ${from} where t.id = ${id} and t.user_id = ${viewer.userId} and ${readableTarget(viewer)}`,
        ),
      );
      return row === undefined ? undefined : rowOf(row);
    },
  };
}
