import type { SqlExecutor } from '@switchyard/database';
import { alertBotId, fullPath, membersAtLevel, projectById, usersByIds } from '@switchyard/directory';
import type { AlertProject } from '../domain/alert';

/** The directory within the transaction of what follows from an alert. */
export const alertDirectory = {
  alertBotId,

  members: membersAtLevel,

  async project(tx: SqlExecutor, id: number): Promise<AlertProject | undefined> {
    const row = await projectById(tx, id);
    return row === undefined || row.deleting
      ? undefined
      : { id, path: fullPath(row), takesIssues: row.issues_enabled && !row.archived };
  },

  async acts(tx: SqlExecutor, userId: number): Promise<boolean> {
    const user = (await usersByIds(tx, [userId])).get(userId);
    return user?.id === userId && user.state === 'active';
  },
};
