import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { wakeMails } from '../../mail';
import { noteReaders } from '../../todos';
import type { Decision, Reason } from '../domain/decide';
import type { Action, EventFacts } from '../domain/notification-event';
import type { GatheredPart, WaitingEvent } from '../domain/stored';
import { digestThread, threadOf } from '../domain/thread';
import { subjectReaders } from './audience.store';
import { type SubjectRow, subjectColumns, subjectOf } from './subject.row';

/** Mails that gather events; the area of mail sends them. */
export const gatheringMails = {
  async add(
    tx: Tx,
    event: WaitingEvent,
    decisions: readonly Decision[],
    { windowSeconds, digestAt }: { readonly windowSeconds: number; readonly digestAt: Date },
  ): Promise<Map<number, number>> {
    if (decisions.length === 0) return new Map();
    const rows = decisions.map(({ userId, outcome, reason }) => ({
      user_id: userId,
      thread: outcome === 'digest' ? digestThread : threadOf(event),
      digest: outcome === 'digest',
      reason,
    }));
    // In the order of users, so that two events at once lock the same mails in the same order.
    const mails = await tx.query<{ id: number; userId: number }>(sql`
      with wanted as (
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (user_id bigint, thread text, digest boolean, reason text)),
      gathered as (
        insert into mails as m (message_id, user_id, project_id, group_id, access_level, subject, body, thread, due_at)
        select 'event.' || ${event.id}::bigint || '.' || w.user_id, w.user_id, case when w.digest then 0 else ${event.subject.projectId} end,
          case when w.digest then 0 else ${event.subject.groupId ?? 0} end, 0, '', '',
          w.thread, case when w.digest then ${digestAt}::timestamptz else now() + make_interval(secs => ${windowSeconds}) end
        from wanted w order by w.user_id
        on conflict (user_id, thread) where state = 'waiting' and attempts = 0 and thread is not null
        do update set thread = m.thread
        returning m.id, m.user_id),
      parts as (
        insert into mail_parts (mail_id, event_id, reason)
        select g.id, ${event.id}, w.reason from gathered g join wanted w on w.user_id = g.user_id
        on conflict do nothing)
      select id, user_id as "userId" from gathered`);
    if (windowSeconds === 0) wakeMails(tx);
    return new Map(mails.map(({ id, userId }) => [userId, id]));
  },
};

/** Characters of a note that a mail shows. */
const maxNote = 32_768;

/** What mails have gathered, in the database. */
export const partStore = {
  async partsOf(db: SqlExecutor, mailId: number, limit: number): Promise<{ parts: GatheredPart[]; total: number }> {
    const rows = await db.query<
      SubjectRow & {
        id: number;
        reason: Reason;
        action: Action;
        actor_id: number;
        facts: EventFacts;
        occurred_at: Date;
        note: string | null;
        total: number;
      }
    >(sql`
    select e.id, p.reason, e.action, ${subjectColumns}, e.actor_id, e.facts, e.occurred_at, (select left(n.body, ${maxNote}) from notes n where n.id = (e.facts ->> 'noteId')::bigint) as note,
      count(*) over ()::int as total
    from mail_parts p join notification_events e on e.id = p.event_id
    where p.mail_id = ${mailId} order by e.id limit ${limit}`);
    const parts = rows.map((row) => ({
      reason: row.reason,
      action: row.action,
      subject: subjectOf(row),
      actorId: row.actor_id,
      facts: row.facts,
      occurredAt: row.occurred_at,
      note: row.note ?? undefined,
    }));
    return { parts, total: rows[0]?.total ?? 0 };
  },

  async readable(db: SqlExecutor, userId: number, parts: readonly GatheredPart[]): Promise<GatheredPart[]> {
    const found: GatheredPart[] = [];
    const subjects = new Map(parts.map(({ subject }) => [`${subject.type}:${subject.id}`, subject]));
    for (const subject of subjects.values()) {
      const own = parts.filter((part) => part.subject.type === subject.type && part.subject.id === subject.id);
      const noteIds = own.flatMap(({ facts }) => facts.noteId ?? []);
      const [reader] = await subjectReaders(db, subject, [userId]);
      if (reader === undefined) continue;
      const ofNotes = await noteReaders(db, subject, noteIds, [userId]);
      found.push(
        ...own.filter(({ facts: { noteId } }) => noteId === undefined || ofNotes.get(noteId)?.has(userId) === true),
      );
    }
    return parts.filter((part) => found.includes(part));
  },
};
