import { type Database, requireUnmodified } from '@switchyard/database';
import { projectChanges, recordDirectoryChange } from '../../directory';
import type { ProjectStore } from '../storage/project.store';

/** Marks a project for deletion: hidden at once, purged by the job once the delay has passed (D5). */
export const deleteProject =
  ({ db, projects }: { db: Database; projects: ProjectStore }) =>
  async (id: number, unmodifiedSince?: Date): Promise<void> => {
    await db.transaction(async (tx) => {
      await requireUnmodified(tx, 'projects', id, unmodifiedSince);
      if (await projects.mark(tx, id)) await recordDirectoryChange(tx, await projectChanges(tx, [id]));
    });
  };
