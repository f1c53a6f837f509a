import type { SqlExecutor } from '@switchyard/database';
import { type LabelRow, labelsByTitles, type MilestoneRow, milestonesByTitle } from './labels';
import { type DirectoryUserRow, usersByUsernames } from './users';

/** The users and groups that the names in texts mean. */
export const writtenNames = (db: SqlExecutor) => ({
  /** Users by name; see `usersByUsernames`. */
  users: (names: readonly string[]): Promise<Map<string, DirectoryUserRow>> => usersByUsernames(db, names),
  /** Labels a project may use; see `labelsByTitles`. */
  labels: (projectId: number, titles: readonly string[]): Promise<LabelRow[]> => labelsByTitles(db, projectId, titles),
  /** Milestones a project may use; see `milestonesByTitle`. */
  milestones: (projectId: number, title: string): Promise<MilestoneRow[]> => milestonesByTitle(db, projectId, title),
});
