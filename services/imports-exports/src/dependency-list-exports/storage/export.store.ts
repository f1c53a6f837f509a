import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { fullPath, namespacesByIds, projectById } from '@switchyard/directory';
import { type DependencyListExport, type ExportTarget, maxWaiting } from '../domain/dependency-list-export';
import type { NewExport } from '../domain/export-work';
import { exportColumns, isOver, toExport } from './export.rows';

/** Opens the store. */
export const exportStore = (db: Database) => ({
  add: ({
    kind,
    targetId,
    authorId,
    format,
    specVersion,
    sendEmail,
    fullPath: path,
    pipeline,
  }: NewExport): Promise<DependencyListExport | undefined> =>
    db.transaction(async (tx) => {
      // One after another for an author, so that the number holds.
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('dependency_list_exports', ${authorId}))`);
      const [waiting] = await tx.query<{ count: number }>(sql`
        select count(*) from dependency_list_exports where author_id = ${authorId} and status in ('created', 'running')`);
      if ((waiting?.count ?? 0) >= maxWaiting) return undefined;
      const row = await tx.one(sql`
        insert into dependency_list_exports as x
          (kind, target_id, author_id, format, spec_version, send_email, full_path, pipeline_id, sha, made_at, expires_at)
        values (${kind}, ${targetId}, ${authorId}, ${format}, ${specVersion}, ${sendEmail}, ${path},
          ${pipeline?.pipelineId ?? null}, ${pipeline?.sha ?? null}, ${pipeline?.createdAt ?? null}, now() + interval '1 hour')
        returning ${exportColumns}`);
      return row && toExport(row);
    }),

  async find(id: number): Promise<DependencyListExport | undefined> {
    const row = await db.one(
      sql`select ${exportColumns} from dependency_list_exports x where x.id = ${id} and not ${isOver}`,
    );
    return row && toExport(row);
  },

  async fullPathOf(target: ExportTarget): Promise<string | undefined> {
    if (target.kind === 'group') return (await namespacesByIds(db, [target.groupId])).get(target.groupId)?.full_path;
    const project = await projectById(db, target.projectId);
    return project && fullPath(project);
  },
});
