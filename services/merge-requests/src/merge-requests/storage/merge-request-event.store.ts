import type { Database, PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type ResourceEventKind, type ResourceEventStore, resourceEventStore } from '@switchyard/directory';

const events = resourceEventStore(sql`merge_request_id`);

/** Records what a change did to state, labels and milestone, in its transaction. */
export const recordEvents: ResourceEventStore['record'] = events.record;

/** Adds events that came in from elsewhere. */
export const bringEventsIn: ResourceEventStore['bringIn'] = events.bringIn;

/** Opens the reader of events. */
export const mergeRequestEventStore = (db: Database) => ({
  page: (mergeRequestId: number, kind: ResourceEventKind, request: PageRequest) =>
    events.page(db, mergeRequestId, kind, request),
  find: (mergeRequestId: number, kind: ResourceEventKind, id: number) => events.find(db, mergeRequestId, kind, id),
});
