import { requireUnmodified } from '@switchyard/database';
import type { Transact } from '../../directory';
import type { ProjectStore } from './ports';

/** Marks a project for deletion: hidden at once, purged by the job once the delay has passed (D5). */
export const deleteProject =
  ({ transaction, projects }: { transaction: Transact; projects: ProjectStore }) =>
  async (id: number, unmodifiedSince?: Date): Promise<void> => {
    await transaction(async (tx) => {
      await requireUnmodified(tx, 'projects', id, unmodifiedSince);
      await projects.mark(tx, id);
    });
  };
