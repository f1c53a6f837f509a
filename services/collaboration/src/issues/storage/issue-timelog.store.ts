import type { Database, PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TimelogStore, timelogStore } from '@switchyard/directory';

/** Entries of time spent on issues, in the transactions of their changes. */
export const timelogs: TimelogStore = timelogStore(sql`issue_id`);

/** Opens the reader of entries of time. */
export const issueTimelogStore = (db: Database) => ({
  page: (issueId: number, request: PageRequest) => timelogs.page(db, issueId, request),
  find: (issueId: number, id: number) => timelogs.find(db, issueId, id),
});
