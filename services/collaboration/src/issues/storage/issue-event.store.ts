import type { Database, PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type ResourceEventKind, type ResourceEventStore, resourceEventStore } from '@switchyard/directory';

const events = resourceEventStore(sql`issue_id`);

/** Records what a change did to state, labels and milestone, in its transaction. */
export const recordEvents: ResourceEventStore['record'] = events.record;

/** Opens the reader of events. */
export const issueEventStore = (db: Database) => ({
  page: (issueId: number, kind: ResourceEventKind, request: PageRequest) => events.page(db, issueId, kind, request),
  find: (issueId: number, kind: ResourceEventKind, id: number) => events.find(db, issueId, kind, id),
});
