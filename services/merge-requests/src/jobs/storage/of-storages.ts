import { type Sql, sql } from '@switchyard/database/sql';

/**
 * A condition, with `and` before it: the repository of a project lies in one of these storages. One that has none yet
 * counts as lying where it is to be copied from, and anywhere without such a one; so does work of no project.
 * @param projectId its id, in SQL
 * @param storages undefined: all there are, and no condition
 */
export const ofStorages = (projectId: Sql, storages: readonly string[] | undefined): Sql =>
  storages === undefined
    ? sql``
    : sql`and coalesce(
        (select placed.storage from repositories placed where placed.project_id = ${projectId}),
        (select origin.storage from directory.projects copied
          join repositories origin on origin.project_id = copied.repository_origin_id where copied.id = ${projectId}),
        ${storages[0] ?? ''}) = any(${[...storages]}::text[])`;
