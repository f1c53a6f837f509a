import { type Database, sql } from '@switchyard/database';
import { type Viewer, visibleProjects } from '@switchyard/directory';

/** Those of some projects whose code a viewer may read (ability `read_code`), with their full paths: one statement. */
export type CodeReaders = (
  viewer: Viewer,
  projectIds: readonly number[],
) => Promise<{ readonly id: number; readonly fullPath: string }[]>;

/** Opens it. */
export const codeReaders =
  (db: Database): CodeReaders =>
  (viewer, projectIds) =>
    db.query(sql`
      select p.id, n.full_path || '/' || p.path as "fullPath"
      from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = any(${[...projectIds]}::bigint[])
        and ${visibleProjects(viewer, { privateLevel: 20, feature: 'repository' })}`);
