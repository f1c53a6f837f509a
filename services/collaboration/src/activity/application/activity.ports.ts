import type { SqlExecutor } from '@switchyard/database';
import type { ActivityChange } from '../domain/activity';

/** Activity events as rows: how they come, change and go. */
export interface ActivityStore {
  /** Applies the change that follows from one event, once, however often the event is delivered. */
  apply(tx: SqlExecutor, change: ActivityChange): Promise<void>;
  /** Removes up to `limit` activities from before a timestamp, oldest first; returns how many. */
  removeBefore(before: Date, limit: number): Promise<number>;
  /** Removes up to `limit` events of projects that are gone; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}
