import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { codeRule, type Viewer, visibleProjects } from '@switchyard/directory';

/** Those of some projects whose code a viewer may read (ability `read_code`), with their full paths: one statement. */
export const codeReaders =
  (db: Database) =>
  (viewer: Viewer, projectIds: readonly number[]): Promise<{ id: number; fullPath: string }[]> =>
    db.query(
      named(
        'code_readers',
        sql`select p.id, n.full_path || '/' || p.path as "fullPath"
        from directory.projects p join directory.namespaces n on n.id = p.namespace_id
        where p.id = any(${[...projectIds]}::bigint[])
          and ${visibleProjects(viewer, codeRule)}`,
      ),
    );
