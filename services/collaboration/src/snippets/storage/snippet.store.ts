import { type Database, listPage, type PageRequest, type SqlExecutor, type Tx } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import { userColumns, userJoin, userOf } from '@switchyard/directory';
import { noteableStore } from '../../noteables';
import type { SnippetFile } from '../domain/snippet';
import type { LockedSnippet, SnippetDecision } from '../domain/snippet-change';
import type {
  PersonalSnippetFilter,
  SnippetFields,
  SnippetKey,
  SnippetOrigin,
  SnippetPlace,
  SnippetRow,
  SnippetViewer,
} from '../domain/snippet-row';
import { publishSnippet, type SnippetFact } from './snippet.events';
import { snippetMeasurements } from './snippet-measurement.store';

const columns = sql`s.id, s.project_id, s.author_id as writer_id, s.title, s.description, s.visibility, s.created_at, s.updated_at, s.imported_from,
  array(select f.path from snippet_files f where f.snippet_id = s.id order by f.place) as paths, ${userColumns('author')}`;
const from = sql`snippets s ${userJoin('author', sql`s.author_id`)}`;

/** Snippets `s` that a viewer may see who sees their project, if they lie in one. */
function visibleTo({ userId, admin, external, level }: SnippetViewer): Sql {
  if (admin || level > 0) return sql`true`;
  const open = userId > 0 && !external ? sql`s.visibility in ('public', 'internal')` : sql`s.visibility = 'public'`;
  return userId > 0 ? sql`(${open} or s.author_id = ${userId})` : open;
}

const rowOf = (row: Record<string, unknown>): SnippetRow => ({
  id: row.id as number,
  projectId: (row.project_id as number | null) ?? undefined,
  authorId: row.writer_id as number,
  author: userOf(row, 'author'),
  title: row.title as string,
  description: (row.description as string | null) ?? undefined,
  visibility: row.visibility as string,
  paths: row.paths as string[],
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
  importedFrom: (row.imported_from as string | null) ?? undefined,
});

async function writeFiles(tx: SqlExecutor, id: number, files: readonly SnippetFile[]): Promise<void> {
  await tx.query(sql`delete from snippet_files where snippet_id = ${id}`);
  await tx.query(sql`
    insert into snippet_files (snippet_id, place, path, content)
    select ${id}, place, path, content
    from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ content }) => content)}::text[])
      with ordinality as given (path, content, place)`);
}

/** A snippet, as far as a viewer may see it. */
async function findSnippet(
  db: SqlExecutor,
  viewer: SnippetViewer,
  { projectId, id }: SnippetKey,
): Promise<SnippetRow | undefined> {
  const [row] = await db.query<Record<string, unknown>>(
    named(
      'find_snippet',
      sql`select ${columns} from ${from} where s.id = ${id} and s.project_id is not distinct from ${projectId ?? null}::bigint and ${visibleTo(viewer)}`,
    ),
  );
  return row === undefined ? undefined : rowOf(row);
}

const readFiles = (db: SqlExecutor, id: number): Promise<SnippetFile[]> =>
  db.query<SnippetFile>(sql`select path, content from snippet_files where snippet_id = ${id} order by place`);

/** Inserts a snippet with its files; undefined when its author has imported it already. */
async function insert(
  tx: Tx,
  projectId: number | undefined,
  authorId: number,
  { title, description, visibility, files }: SnippetFields,
  origin?: SnippetOrigin,
): Promise<number | undefined> {
  const { importedFrom = null, foreignId = null, createdAt = null, updatedAt = null } = origin ?? {};
  const row = await tx.one<{ id: number }>(sql`
    insert into snippets (project_id, author_id, title, description, visibility, imported_from, foreign_id, created_at, updated_at)
    values (${projectId ?? null}, ${authorId}, ${title}, ${description ?? null}, ${visibility}, ${importedFrom}, ${foreignId},
      coalesce(${createdAt}::timestamptz, now()), coalesce(${updatedAt}::timestamptz, now()))
    on conflict do nothing returning id`);
  if (row !== undefined) await writeFiles(tx, row.id, files);
  return row?.id;
}

async function update(tx: Tx, id: number, { title, description, visibility, files }: SnippetFields): Promise<void> {
  await tx.query(sql`
    update snippets set title = ${title}, description = ${description ?? null}, visibility = ${visibility}, updated_at = now()
    where id = ${id}`);
  await writeFiles(tx, id, files);
}

async function remove(tx: Tx, { id, projectId }: SnippetKey): Promise<void> {
  if (projectId !== undefined) {
    await noteableStore.remove(tx, { kind: 'Snippet', projectId, targetId: id, sha: '' });
    await tx.query(sql`delete from award_emoji where awardable_type = 'Snippet' and awardable_id = ${id}`);
  }
  await tx.query(sql`delete from snippets where id = ${id}`);
}

/** What a project hears of a change of its snippets: of personal ones nobody does. */
async function follow(
  tx: Tx,
  { id, projectId }: SnippetKey,
  title: string,
  actorId: number,
  fact: SnippetFact | undefined,
): Promise<void> {
  if (projectId === undefined) return;
  await snippetMeasurements.measureSoon(tx, projectId);
  if (fact !== undefined) await publishSnippet(tx, { id, projectId, title }, actorId, fact);
}

async function save(tx: Tx, snippet: SnippetRow, decision: SnippetDecision, actorId: number): Promise<void> {
  if (decision.kind === 'delete') {
    await remove(tx, snippet);
    return follow(tx, snippet, snippet.title, actorId, 'deleted');
  }
  const { fields, renamed } = decision;
  await update(tx, snippet.id, fields);
  await follow(tx, snippet, fields.title, actorId, renamed ? 'renamed' : undefined);
}

const listOf = (db: SqlExecutor, name: string, where: Sql[], request: PageRequest) =>
  listPage({
    db,
    name,
    select: columns,
    from,
    countFrom: sql`snippets s`,
    where,
    orders: { id: [{ name: 'id', expression: sql`s.id`, type: 'bigint' }] },
    request,
    count: true,
  }).then(({ rows, page }) => ({ rows: rows.map(rowOf), page }));

const scopes: Record<PersonalSnippetFilter['scope'], (viewer: SnippetViewer) => Sql> = {
  own: ({ userId }) => sql`s.author_id = ${userId}`,
  public: () => sql`s.visibility = 'public'`,
  all: visibleTo,
};

/** Opens the store. */
export function snippetStore(db: Database) {
  return {
    page: (viewer: SnippetViewer, projectId: number, request: PageRequest) =>
      listOf(db, 'list_snippets', [sql`s.project_id = ${projectId}`, visibleTo(viewer)], request),

    personalPage: (
      viewer: SnippetViewer,
      { scope, createdAfter, createdBefore }: PersonalSnippetFilter,
      request: PageRequest,
    ) =>
      listOf(
        db,
        'list_personal_snippets',
        [
          sql`s.project_id is null`,
          scopes[scope](viewer),
          ...(createdAfter === undefined ? [] : [sql`s.created_at >= ${createdAfter}`]),
          ...(createdBefore === undefined ? [] : [sql`s.created_at <= ${createdBefore}`]),
        ],
        request,
      ),

    find: (viewer: SnippetViewer, key: SnippetKey) => findSnippet(db, viewer, key),

    files: (id: number) => readFiles(db, id),

    create: (projectId: number | undefined, authorId: number, fields: SnippetFields) =>
      db.transaction(async (tx) => {
        const id = await insert(tx, projectId, authorId, fields);
        if (id === undefined) throw new Error('a snippet was not inserted');
        await follow(tx, { id, projectId }, fields.title, authorId, 'created');
        return id;
      }),

    import: ({ projectId, authorId }: SnippetPlace, fields: SnippetFields, origin: SnippetOrigin) =>
      db.transaction(async (tx) => {
        const id = await insert(tx, projectId, authorId, fields, origin);
        if (id !== undefined) await follow(tx, { id, projectId }, fields.title, authorId, undefined);
        return id !== undefined;
      }),

    change: (
      viewer: SnippetViewer,
      key: SnippetKey,
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

    async authoredBy(authorId: number, after: number, limit: number): Promise<SnippetKey[]> {
      const rows = await db.query<{ id: number; projectId: number | null }>(sql`
        select s.id, s.project_id as "projectId" from snippets s
        where s.author_id = ${authorId} and s.id > ${after} order by s.id limit ${limit}`);
      return rows.map(({ id, projectId }) => ({ id, projectId: projectId ?? undefined }));
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
