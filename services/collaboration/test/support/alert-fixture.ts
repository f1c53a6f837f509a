import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { alertEventId, alertEvents, issueEvents } from '@switchyard/events';
import {
  AlertDetails,
  type AlertEvent,
  AlertStatusChanged_Cause as Cause,
} from '@switchyard/protos/alerts/events/v1/alert_event';
import type { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import type { StoredAlert } from './alert-targets';
import { type Installation, startInstallation } from './installation';

type Fact = NonNullable<AlertEvent['fact']>;

/** A project with alerts, and the people who look after it. */
export interface AlertFixture {
  readonly here: Installation;
  readonly project: DirectoryProject;
  readonly bot: DirectoryUser;
  /** Maintainer. */
  readonly ada: DirectoryUser;
  /** Developer. */
  readonly bob: DirectoryUser;
  /** Reporter. */
  readonly eve: DirectoryUser;
  /** An alert without events. */
  alert(given?: Partial<StoredAlert>): StoredAlert;
  /** Tells what happened to an alert, as its relay would; answers the id of the event. */
  publish(alert: StoredAlert, fact: Fact, given?: Partial<AlertEvent>): Promise<string>;
  /** Settles when the events have been followed. */
  followed(...ids: string[]): Promise<void>;
  /** Publishes earlier events again, as a dead letter that is replayed after its inbox row was pruned. */
  again(alert: StoredAlert, fact: Fact, given?: Partial<AlertEvent>): Promise<void>;
  /** The incidents of an alert, those it had before included. */
  incidents(alert: StoredAlert): Promise<{ id: number; iid: number; state: string; author_id: number }[]>;
  /** System notes on an object: author and text. */
  systemNotes(kind: string, id: number): Promise<[number, string][]>;
}

export const raised = (given: { openIncident?: boolean; sendEmail?: boolean; details?: object } = {}): Fact => ({
  $case: 'raised',
  value: {
    openIncident: given.openIncident ?? true,
    sendEmail: given.sendEmail ?? false,
    details: AlertDetails.fromPartial(given.details ?? {}),
  },
});

export const wanted = (): Fact => ({ $case: 'incidentWanted', value: { details: AlertDetails.fromPartial({}) } });

export const ended = (closeIncident = true, cause = Cause.CAUSE_PAYLOAD): Fact => ({
  $case: 'statusChanged',
  value: { previous: 'triggered', cause, closeIncident },
});

/** Payloads of the issue events that wait in the outbox or have left it, in order. */
export async function issueEventsIn(db: Database): Promise<IssueEvent[]> {
  const rows = await db.query<{ body: object }>(
    sql`select body from events.outbox where topic = ${issueEvents.topic} order by id`,
  );
  return rows.map(({ body }) => issueEvents.message.fromJSON(body));
}

/** Starts collaboration with a project that has alerts. */
export async function startAlertFixture({ withBot = true } = {}): Promise<AlertFixture & { makeBot(): DirectoryUser }> {
  const here = await startInstallation();
  const { directory, db } = here;
  const group = directory.namespace();
  const project = directory.project(group.id);
  const user = (username: string, level: number): DirectoryUser => {
    const made = directory.user({ username });
    directory.member(made.id, { namespaceId: group.id }, level);
    return made;
  };
  const makeBot = () => directory.user({ username: 'alert-bot2', bot: true, kind: 'alert_bot' });
  const fixture = {
    here,
    project,
    makeBot,
    bot: withBot ? makeBot() : directory.user({ username: 'alert-bot' }),
    ada: user('ada', 40),
    bob: user('bob', 30),
    eve: user('eve', 20),
    alert(given: Partial<StoredAlert> = {}): StoredAlert {
      const id = directory.id();
      const stored = { id, iid: id, projectId: project.id, title: 'Disk full', severity: 'high', status: 'triggered' };
      const alert = { ...stored, version: 0, ...given };
      here.alerts.set(id, alert);
      return alert;
    },
    async publish(alert: StoredAlert, fact: Fact, given: Partial<AlertEvent> = {}): Promise<string> {
      alert.version += 1;
      return publish(alert, fact, given);
    },
    async followed(...ids: string[]): Promise<void> {
      await eventually(async () =>
        expect(
          await db.query(sql`
            select 1 from events.inbox where consumer_group = 'collaboration.alerts' and event_id = any(${ids}::text[])`),
        ).toHaveLength(new Set(ids).size),
      );
    },
    async again(alert: StoredAlert, fact: Fact, given: Partial<AlertEvent> = {}): Promise<void> {
      await db.query(sql`delete from events.inbox where consumer_group = 'collaboration.alerts'`);
      await fixture.followed(await publish(alert, fact, given));
    },
    async incidents(alert: StoredAlert) {
      return db.query<{ id: number; iid: number; state: string; author_id: number }>(sql`
        select id, iid, state, author_id from issues where alert_id = ${alert.id} order by id`);
    },
    async systemNotes(kind: string, id: number): Promise<[number, string][]> {
      const rows = await db.query<{ author_id: number; body: string }>(sql`
        select n.author_id, n.body from notes n join noteables o on o.id = n.noteable_id
        where o.kind = ${kind} and o.target_id = ${id} and n.system order by n.id`);
      return rows.map(({ author_id, body }) => [author_id, body]);
    },
  };
  const publish = (alert: StoredAlert, fact: Fact, given: Partial<AlertEvent>): Promise<string> =>
    here.publishEvent(
      alertEvents,
      {
        alert: { ...alert, incidentIid: 0 },
        actorId: 0,
        occurredAt: new Date(),
        directorySequence: directory.changes.length,
        fact,
        ...given,
      },
      alertEventId(fact.$case, alert.id, fact.$case === 'raised' ? 1 : alert.version),
    );
  return fixture;
}
