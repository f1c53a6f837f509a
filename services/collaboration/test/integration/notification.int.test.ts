import { countStatements, type Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { logger } from '@switchyard/telemetry';
import { DirectoryModel } from '@switchyard/testkit/installation';
import { decideEvent } from '../../src/notifications/application/decide-events';
import type { NotificationEvent } from '../../src/notifications/domain/notification-event';
import { audienceStore } from '../../src/notifications/storage/audience.store';
import { gatheringMails } from '../../src/notifications/storage/gathering-mail.store';
import { notificationEventStore } from '../../src/notifications/storage/notification-event.store';
import { type Replica, startReplica } from '../support/replica';

let replica: Replica;
let db: Database;

const model = new DirectoryModel();
const group = model.namespace();
const project = model.project(group.id);
const people = Array.from({ length: 500 }, () => {
  const { id } = model.user();
  model.member(id, { namespaceId: group.id }, 20);
  return id;
});

beforeAll(async () => {
  replica = await startReplica(model);
  db = replica.db;
  await db.query(
    sql`insert into issues (iid, project_id, author_id, title) values (1, ${project.id}, ${people[0]}, 'T')`,
  );
});
afterAll(() => replica.close());

const closed = (issueId: number): NotificationEvent & { eventId: string } => ({
  eventId: `issue.closed:${issueId}:${Math.random()}`,
  action: 'close_issue',
  subject: { type: 'Issue', id: issueId, iid: 1, projectId: project.id },
  actorId: people[0]!,
  facts: { title: 'T' },
  occurredAt: new Date(),
});

/** Decides one event for so many participants; returns how many statements that took, and how long. */
async function deciding(count: number): Promise<{ statements: number; ms: number }> {
  const issue = await db.one<{ id: number }>(sql`select id from issues`);
  await db.query(sql`truncate issue_participants, mails, mail_parts, ledger_entries`);
  await db.query(sql`
    insert into issue_participants (issue_id, user_id)
    select ${issue!.id}, id from unnest(${people.slice(0, count)}::bigint[]) as given (id)`);
  await db.transaction((tx) => notificationEventStore.keep(tx, [closed(issue!.id)]));
  const [event] = await notificationEventStore.claim(db, 1, 60);
  const edges = {
    db,
    events: notificationEventStore,
    outcomes: { forget: async () => 0 },
    audience: audienceStore,
    mails: gatheringMails,
    mergeRequestPeople: async () => undefined,
    windowSeconds: 60,
    clock: () => new Date(),
    log: logger,
  };
  const begun = performance.now();
  const { statements } = await countStatements(() => decideEvent(edges, event!));
  return { statements, ms: performance.now() - begun };
}

it('500 recipients are decided within a second, by as many statements as 5', async () => {
  const few = await deciding(5);
  const many = await deciding(500);
  expect(many.statements).toBe(few.statements);
  expect(await db.one(sql`select count(*)::int as count from mails`)).toEqual({ count: 499 });
  expect(await db.one(sql`select count(*)::int as count from ledger_entries`)).toEqual({ count: 500 });
  // The best of three: other processes have the processors as well.
  const times = [many.ms, (await deciding(500)).ms, (await deciding(500)).ms];
  expect(Math.min(...times)).toBeLessThan(1_000);
});

it('issues that are due on a day are kept once each, some at a time', async () => {
  const day = '2027-02-03';
  await db.query(sql`truncate notification_events`);
  await db.query(sql`
    insert into issues (iid, project_id, author_id, title, due_date, state)
    select 10 + n, ${project.id}, ${people[0]}, 'Due ' || n, ${day}::date, case n when 4 then 'closed' else 'opened' end
    from generate_series(1, 4) as n`);
  const kept = [];
  for (let times = 0; times < 3; times++) kept.push(await notificationEventStore.keepDueIssues(db, day, 2));
  expect(kept).toEqual([2, 1, 0]);
  expect(await db.query(sql`select facts ->> 'title' as title from notification_events order by id`)).toEqual([
    { title: 'Due 1' },
    { title: 'Due 2' },
    { title: 'Due 3' },
  ]);
});
