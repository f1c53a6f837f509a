import { z } from '@switchyard/config';
import type { SqlExecutor } from '@switchyard/database';
import { type ImportedEvent, type ImportedPeople, type ImportedTimelog, importedPeople } from '@switchyard/directory';
import { archiveSource, type RecordWriter, recordWriter } from './project-records';
import { recordFields } from './record-fields';

const { iid, text, user, time } = recordFields;

/** The events of an issue or merge request as an archive has them (ADR 60). */
const eventsRecord = z.object({
  iid,
  events: z
    .array(
      z.object({
        id: z.int().min(1),
        kind: z.enum(['state', 'label', 'milestone']),
        action: text(50),
        title: text(255).nullable(),
        user,
        created_at: time,
      }),
    )
    .max(100_000),
});

/** An event of what has a number. */
type EventOfArchive = Omit<ImportedEvent, 'ownerId'> & { readonly iid: number };

/** Events of an archive; those of one who is not written for are of nobody. */
const toImportedEvents =
  (people: ImportedPeople) =>
  ({ iid: number, events }: z.infer<typeof eventsRecord>): EventOfArchive[] =>
    events.map(({ id, title, user: name, created_at, ...event }) => ({
      ...event,
      iid: number,
      // Keys are sorted as texts where events have one date.
      key: String(id).padStart(19, '0'),
      title: title ?? '',
      userId: people.user(name) ?? 0,
      createdAt: created_at,
    }));

/** Takes the events of issues or merge requests. @param add adds each once; returns how many are there */
export const eventWriter = (
  db: SqlExecutor,
  add: (
    key: { readonly projectId: number; readonly importedFrom: string },
    events: readonly EventOfArchive[],
  ) => Promise<number>,
): RecordWriter =>
  recordWriter(eventsRecord, async (target, given) => {
    const people = await importedPeople(
      db,
      target,
      given.flatMap(({ events }) => events.map(({ user: name }) => name)),
    );
    const key = { projectId: target.projectId, importedFrom: archiveSource };
    return add(key, given.flatMap(toImportedEvents(people)));
  });

/** Entries of time spent of an issue or merge request as an archive has them; the first archives have none. */
export const timelogRecords = z
  .array(
    z.object({
      user,
      time_spent: z.int().min(-2_147_483_648).max(2_147_483_647),
      spent_at: time,
      summary: recordFields.body.nullable(),
      created_at: time,
    }),
  )
  .max(100_000)
  .default([]);

/** Entries of an archive; those of somebody who is not written for are left out. */
export const toImportedTimelogs = (given: z.infer<typeof timelogRecords>, people: ImportedPeople): ImportedTimelog[] =>
  given.flatMap(({ user: name, time_spent: seconds, spent_at: spentAt, summary, created_at: createdAt }) => {
    const userId = people.user(name);
    return userId === undefined ? [] : [{ userId, seconds, spentAt, summary: summary ?? undefined, createdAt }];
  });
