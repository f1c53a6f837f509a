import { type Database, listPage, type PageRequest, type SqlExecutor, type Tx } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import { noteableStore } from '../../noteables';
import type { SnippetFile } from '../domain/snippet';
import type { LockedSnippet, SnippetDecision } from '../domain/snippet-change';
import type { SnippetFields, SnippetRow, SnippetViewer } from '../domain/snippet-row';
import { publishSnippet } from './snippet.events';
import { markForMeasurement } from './snippet-measurement.store';

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

/** A snippet of a project, as far as a viewer may see it. */
async function findSnippet(
  db: SqlExecutor,
  viewer: SnippetViewer,
  { projectId, id }: { readonly projectId: number; readonly id: number },
): Promise<SnippetRow | undefined> {
  const [row] = await db.query<Record<string, unknown>>(
    named(
      'find_snippet',
      sql`select ${columns} from ${from} where s.id = ${id} and s.project_id = ${projectId} and ${visibleTo(viewer)}`,
    ),
  );
  return row === undefined ? undefined : rowOf(row);
}

const readFiles = (db: SqlExecutor, id: number): Promise<SnippetFile[]> =>
  db.query<SnippetFile>(sql`select path, content from snippet_files where snippet_id = ${id} order by place`);

async function insert(tx: Tx, projectId: number, authorId: number, fields: SnippetFields): Promise<number> {
  const { title, description, visibility, files } = fields;
  const row = await tx.one<{ id: number }>(sql`
    insert into snippets (project_id, author_id, title, description, visibility)
    values (${projectId}, ${authorId}, ${title}, ${description ?? null}, ${visibility}) returning id`);
  if (row === undefined) throw new Error('a snippet was not inserted');
  await writeFiles(tx, row.id, files);
  return row.id;
}

async function update(tx: Tx, id: number, { title, description, visibility, files }: SnippetFields): Promise<void> {
  await tx.query(sql`
    update snippets set title = ${title}, description = ${description ?? null}, visibility = ${visibility}, updated_at = now()
    where id = ${id}`);
  await writeFiles(tx, id, files);
}

async function remove(tx: Tx, { id, projectId }: SnippetRow): Promise<void> {
  await noteableStore.remove(tx, { kind: 'Snippet', projectId, targetId: id, sha: '' });
  await tx.query(sql`delete from award_emoji where awardable_type = 'Snippet' and awardable_id = ${id}`);
  await tx.query(sql`delete from snippets where id = ${id}`);
}

async function save(tx: Tx, snippet: SnippetRow, decision: SnippetDecision, actorId: number): Promise<void> {
  if (decision.kind === 'delete') {
    await remove(tx, snippet);
    await markForMeasurement(tx, snippet.projectId);
    return publishSnippet(tx, snippet, actorId, 'deleted');
  }
  const { id, projectId } = snippet;
  const { fields, renamed } = decision;
  await update(tx, id, fields);
  await markForMeasurement(tx, projectId);
  if (renamed) await publishSnippet(tx, { id, projectId, title: fields.title }, actorId, 'renamed');
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

    find: (viewer: SnippetViewer, key: { readonly projectId: number; readonly id: number }) =>
      findSnippet(db, viewer, key),

    files: (id: number) => readFiles(db, id),

    create: (projectId: number, authorId: number, fields: SnippetFields) =>
      db.transaction(async (tx) => {
        const id = await insert(tx, projectId, authorId, fields);
        await markForMeasurement(tx, projectId);
        await publishSnippet(tx, { id, projectId, title: fields.title }, authorId, 'created');
        return id;
      }),

    change: (
      viewer: SnippetViewer,
      key: { readonly projectId: number; readonly id: number },
      withFiles: boolean,
      decide: (locked: LockedSnippet) => SnippetDecision,
    ) =>
      db.transaction(async (tx) => {
        await tx.query(sql`select 1 from snippets where id = ${key.id} for update`);
        const snippet = await findSnippet(tx, viewer, key);
        if (snippet === undefined) return false;
        const files = withFiles ? await readFiles(tx, key.id) : [];
        await save(tx, snippet, decide({ snippet, files }), viewer.userId);
        return true;
      }),

    authoredBy: (authorId: number, after: number, limit: number): Promise<{ id: number; projectId: number }[]> =>
      db.query(sql`
        select s.id, s.project_id as "projectId" from snippets s
        where s.author_id = ${authorId} and s.id > ${after} order by s.id limit ${limit}`),

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
