import type { SqlExecutor } from '@switchyard/database';
import type { ActivityChange } from '../domain/activity';

/** Activity events as rows: how they come, change and go. */
export interface ActivityStore {
  /** Does what follows from one happening; once, however often it is told. */
  apply(tx: SqlExecutor, change: ActivityChange): Promise<void>;
  /** Removes up to `limit` events of before a moment, oldest first; returns how many. */
  removeBefore(moment: Date, limit: number): Promise<number>;
  /** Removes up to `limit` events of projects that are gone; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}
