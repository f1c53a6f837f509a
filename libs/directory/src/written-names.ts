import type { SqlExecutor } from '@switchyard/database';
import { groupLabelsByTitles, type LabelRow, labelsByTitles, type MilestoneRow, milestonesByTitle } from './labels';
import { type DirectoryUserRow, usersByUsernames } from './users';

/** The users and groups that the names in texts mean. */
export const writtenNames = (db: SqlExecutor) => ({
  /** Users by name; see `usersByUsernames`. */
  users: (names: readonly string[]): Promise<Map<string, DirectoryUserRow>> => usersByUsernames(db, names),
  /** Labels a project or group may use; see `labelsByTitles`. */
  labels: (
    { projectId, groupId }: { readonly projectId: number; readonly groupId?: number | undefined },
    titles: readonly string[],
  ): Promise<LabelRow[]> =>
    groupId === undefined ? labelsByTitles(db, projectId, titles) : groupLabelsByTitles(db, groupId, titles),
  /** Milestones a project may use; see `milestonesByTitle`. */
  milestones: (projectId: number, title: string): Promise<MilestoneRow[]> => milestonesByTitle(db, projectId, title),
});
