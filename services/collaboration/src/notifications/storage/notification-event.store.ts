import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Action, EventFacts, NotificationEvent } from '../domain/notification-event';
import type { WaitingEvent } from '../domain/stored';
import { type SubjectRow, subjectColumns, subjectOf } from './subject.row';

/** Its notices wake those who decide, in all processes. */
const channel = 'switchyard_notification_events';

interface Row extends SubjectRow {
  id: number;
  attempts: number;
  action: Action;
  actor_id: number;
  facts: EventFacts;
  occurred_at: Date;
}

const toEvent = (row: Row): WaitingEvent => ({
  id: row.id,
  attempts: row.attempts,
  action: row.action,
  subject: subjectOf(row),
  actorId: row.actor_id,
  facts: row.facts,
  occurredAt: row.occurred_at,
});

/** Actions whose mail shows the description of their subject. */
const described: readonly Action[] = ['new_issue', 'new_merge_request', 'new_epic'];

/** The store of events. */
export const notificationEventStore = {
  onEvents: (db: Database, wake: () => void) => db.notices.listen(channel, wake),

  async keep(tx: Tx, events: readonly (NotificationEvent & { readonly eventId: string })[]): Promise<void> {
    if (events.length === 0) return;
    const rows = events.map(({ eventId, action, subject, actorId, facts, occurredAt }) => ({
      event_id: eventId,
      action,
      subject_type: subject.type,
      subject_id: subject.id,
      subject_iid: subject.iid,
      project_id: subject.projectId,
      group_id: subject.groupId ?? 0,
      actor_id: actorId,
      facts,
      occurred_at: occurredAt,
    }));
    await tx.query(sql`
      insert into notification_events (event_id, action, ${subjectColumns}, actor_id, facts, occurred_at)
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (event_id text, action text, subject_type text,
        subject_id bigint, subject_iid bigint, project_id bigint, group_id bigint, actor_id bigint, facts jsonb, occurred_at timestamptz)
      on conflict (event_id) do nothing`);
    tx.notify(channel);
  },

  async claim(db: SqlExecutor, limit: number, leaseSeconds: number): Promise<WaitingEvent[]> {
    const rows = await db.query<Row>(sql`
      update notification_events set attempts = attempts + 1, due_at = now() + make_interval(secs => ${leaseSeconds})
      where id in (
        select id from notification_events where state = 'waiting' and due_at <= now() order by due_at, id limit ${limit}
        for update skip locked)
      returning id, attempts, action, ${subjectColumns}, actor_id, facts, occurred_at`);
    return rows.map(toEvent).sort((one, other) => one.id - other.id);
  },

  async decided(tx: SqlExecutor, id: number, text: string): Promise<boolean> {
    const rows = await tx.query(sql`
      update notification_events set state = 'decided',
        facts = case when action = any(${[...described]}::text[]) then facts || jsonb_build_object('text', ${text}::text) else facts end
      where id = ${id} and state = 'waiting' returning 1`);
    return rows.length > 0;
  },

  async putOff(db: SqlExecutor, id: number, seconds: number): Promise<void> {
    await db.query(sql`
      update notification_events set due_at = now() + make_interval(secs => ${seconds}) where id = ${id} and state = 'waiting'`);
  },

  async giveUp(db: SqlExecutor, id: number): Promise<void> {
    await db.query(sql`update notification_events set state = 'dead' where id = ${id} and state = 'waiting'`);
  },

  async forget(db: SqlExecutor, limit: number): Promise<number> {
    const rows = await db.query(sql`
      delete from notification_events where id in (
        select e.id from notification_events e where e.created_at < now() - interval '30 days' and e.state <> 'waiting'
        order by e.created_at limit ${limit}) returning 1`);
    await db.query(sql`delete from issue_due_days where day < now() - interval '30 days'`);
    return rows.length;
  },

  keepDueIssues: (db: Database, day: string, limit: number): Promise<number> =>
    db.transaction(async (tx) => {
      await tx.query(
        sql`insert into issue_due_days (day, done) values (${day}::date, false) on conflict (day) do nothing`,
      );
      const [at] = await tx.query<{ after_id: number }>(
        sql`select after_id from issue_due_days where day = ${day}::date and not done for update skip locked`,
      );
      if (at === undefined) return 0;
      const [seen] = await tx.query<{ count: number; last: number | null }>(sql`
        with due as (
          select i.id, i.iid, i.project_id, i.title from issues i
          where i.due_date = ${day}::date and i.state = 'opened' and i.id > ${at.after_id} order by i.id limit ${limit}),
        kept as (
          insert into notification_events (event_id, action, subject_type, subject_id, subject_iid, project_id, actor_id, facts, occurred_at)
          select 'issue.due:' || d.id || ':' || ${day}, 'issue_due', 'Issue', d.id, d.iid, d.project_id, 0,
            jsonb_build_object('title', d.title, 'dueDate', ${day}::text), now()
          from due d on conflict (event_id) do nothing)
        select count(*)::int as count, max(id) as last from due`);
      const count = seen?.count ?? 0;
      await tx.query(sql`
        update issue_due_days set after_id = ${seen?.last ?? at.after_id}, done = ${count < limit} where day = ${day}::date`);
      tx.notify(channel);
      return count;
    }),
};
