import type { Database, PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TimelogStore, timelogStore } from '@switchyard/directory';

/** Entries of time spent on merge requests, in the transactions of their changes. */
export const timelogs: TimelogStore = timelogStore(sql`merge_request_id`);

/** Opens the reader of entries of time. */
export const mergeRequestTimelogStore = (db: Database) => ({
  page: (mergeRequestId: number, request: PageRequest) => timelogs.page(db, mergeRequestId, request),
  find: (mergeRequestId: number, id: number) => timelogs.find(db, mergeRequestId, id),
});
