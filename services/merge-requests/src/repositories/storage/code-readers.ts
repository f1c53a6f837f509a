import { type Database, sql } from '@switchyard/database';
import { codeRule, visibleProjects } from '@switchyard/directory';
import type { CodeReaders } from '../application/read-commits';

/** Opens `CodeReaders`. */
export const codeReaders =
  (db: Database): CodeReaders =>
  (viewer, projectIds) =>
    db.query(sql`
      select p.id, n.full_path || '/' || p.path as "fullPath"
      from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = any(${[...projectIds]}::bigint[])
        and ${visibleProjects(viewer, codeRule)}`);
