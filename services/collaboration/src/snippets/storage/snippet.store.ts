import {
  type Database,
  listPage,
  type PageRequest,
  requireUnmodified,
  type SqlExecutor,
  type Tx,
} from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import type { SnippetFile } from '../domain/snippet';
import type { SnippetFields, SnippetRow, SnippetViewer } from '../domain/snippet-row';

const columns = sql`s.id, s.project_id, s.author_id as writer_id, s.title, s.description, s.visibility, s.created_at, s.updated_at,
  array(select f.path from snippet_files f where f.snippet_id = s.id order by f.place) as paths, ${userColumns('author')}`;
const from = sql`snippets s ${userJoin('author', sql`s.author_id`)}`;

/** Snippets `s` that a viewer may see who sees their project. */
function visibleTo({ userId, admin, external, level }: SnippetViewer): Sql {
  if (admin || level > 0) return sql`true`;
  const open = userId > 0 && !external ? sql`s.visibility in ('public', 'internal')` : sql`s.visibility = 'public'`;
  return userId > 0 ? sql`(${open} or s.author_id = ${userId})` : open;
}

const rowOf = (row: Record<string, unknown>): SnippetRow => ({
  id: row.id as number,
  projectId: row.project_id as number,
  authorId: row.writer_id as number,
  author: userOf(row, 'author'),
  title: row.title as string,
  description: (row.description as string | null) ?? undefined,
  visibility: row.visibility as string,
  paths: row.paths as string[],
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

async function writeFiles(tx: SqlExecutor, id: number, files: readonly SnippetFile[]): Promise<void> {
  await tx.query(sql`delete from snippet_files where snippet_id = ${id}`);
  await tx.query(sql`
    insert into snippet_files (snippet_id, place, path, content)
    select ${id}, place, path, content
    from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ content }) => content)}::text[])
      with ordinality as given (path, content, place)`);
}

/** Opens the store. */
export function snippetStore(db: Database) {
  return {
    async page(viewer: SnippetViewer, projectId: number, request: PageRequest) {
      const { rows, page } = await listPage({
        db,
        name: 'list_snippets',
        select: columns,
        from,
        countFrom: sql`snippets s`,
        where: [sql`s.project_id = ${projectId}`, visibleTo(viewer)],
        orders: { id: [{ name: 'id', expression: sql`s.id`, type: 'bigint' }] },
        request,
        count: true,
      });
      return { rows: rows.map(rowOf), page };
    },

    async find(viewer: SnippetViewer, projectId: number, id: number, executor: SqlExecutor = db) {
      const [row] = await executor.query<Record<string, unknown>>(
        named(
          'find_snippet',
          sql`select ${columns} from ${from} where s.id = ${id} and s.project_id = ${projectId} and ${visibleTo(viewer)}`,
        ),
      );
      return row === undefined ? undefined : rowOf(row);
    },

    files: (id: number, executor: SqlExecutor = db) =>
      executor.query<SnippetFile>(sql`select path, content from snippet_files where snippet_id = ${id} order by place`),

    async insert(
      tx: SqlExecutor,
      projectId: number,
      authorId: number,
      { title, description, visibility, files }: SnippetFields,
    ) {
      const [row] = await tx.query<{ id: number }>(sql`
        insert into snippets (project_id, author_id, title, description, visibility)
        values (${projectId}, ${authorId}, ${title}, ${description ?? null}, ${visibility}) returning id`);
      if (row === undefined) throw new Error('a snippet has not been written');
      await writeFiles(tx, row.id, files);
      return row.id;
    },

    async lock(tx: Tx, id: number, since?: Date) {
      await tx.query(sql`select 1 from snippets where id = ${id} for update`);
      await requireUnmodified(tx, 'snippets', id, since);
    },

    async update(tx: SqlExecutor, id: number, { title, description, visibility, files }: SnippetFields) {
      await tx.query(sql`
        update snippets set title = ${title}, description = ${description ?? null}, visibility = ${visibility}, updated_at = now()
        where id = ${id}`);
      await writeFiles(tx, id, files);
    },

    async remove(tx: SqlExecutor, id: number) {
      await tx.query(sql`delete from award_emoji where awardable_type = 'Snippet' and awardable_id = ${id}`);
      await tx.query(sql`delete from snippets where id = ${id}`);
    },

    async removeOrphans(limit: number) {
      const removed = await db.query(sql`
        with doomed as (
          select s.id from directory.projects p join snippets s on s.project_id = p.id
          where p.deleted_at is not null limit ${limit}),
        reactions as (
          delete from award_emoji where awardable_type = 'Snippet' and awardable_id in (select id from doomed))
        delete from snippets where id in (select id from doomed) returning 1`);
      return removed.length;
    },
  };
}
