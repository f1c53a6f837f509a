import { type Database, sharedWrites, type Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { faultPoint, faultPoints } from '@switchyard/events';
import { appendAlertEvents, type ItemOutcome, severityNumber, severityOf, statusNumber, statusOf } from '../../alerts';
import {
  type BatchDecision,
  type DecidedAlert,
  decideBatch,
  type ReceivedPayload,
  type StoredAlert,
  type StoredEnd,
  type StoredFingerprints,
} from '../domain/alert-batch';
import { alertEventInputs, numberKey, startOf } from '../domain/alert-event-inputs';

faultPoints.push('alert.batch_written', 'alert.batch_committed');

/** Writes payloads. */
export interface AlertIngest {
  /**
   * Stores payloads, their receipts and the events of their alerts in one transaction. The number of statements does
   * not depend on the number of payloads. Payloads of one project wait for each other, also across processes.
   * @returns the outcome of each item of each payload
   */
  write(payloads: readonly ReceivedPayload[]): Promise<readonly (readonly ItemOutcome[])[]>;
  /** Writes a payload and rolls back. Throws what `write` would. */
  preview(payload: ReceivedPayload): Promise<void>;
}

/** Thrown to roll back. */
class RolledBack extends Error {}

/**
 * Opens the ingest.
 * @param directorySequence how far this service has followed the directory
 */
export function alertIngest(db: Database, directorySequence: () => number): AlertIngest {
  const write = (payloads: readonly ReceivedPayload[], isPreview = false) =>
    db.transaction(async (tx) => {
      const batch = decideBatch(payloads, await readFingerprints(tx, payloads));
      const now = new Date();
      await writeCounters(tx, batch.lastIids);
      // Before new alerts: one unresolved alert per fingerprint is allowed.
      await writeKnown(tx, batch, now);
      const ids = await writeRaised(tx, batch, now);
      await writeEnds(tx, batch.ends);
      await writeReceipts(tx, payloads, batch.outcomes);
      await appendAlertEvents(
        tx,
        batch.alerts.flatMap((alert) => alertEventInputs(alert, ids, now)),
        directorySequence(),
      );
      if (isPreview) throw new RolledBack();
      faultPoint('alert.batch_written');
      return batch.outcomes;
    });

  return {
    async write(payloads) {
      // A batch serves many calls: one that was cancelled must not refuse the others.
      const outcomes = await sharedWrites(() => write(payloads));
      faultPoint('alert.batch_committed');
      return outcomes;
    },
    preview: (payload) =>
      write([payload], true).then(
        () => undefined,
        (error: unknown) => {
          if (!(error instanceof RolledBack)) throw error;
        },
      ),
  };
}

interface Identity {
  readonly projectId: number;
  readonly fingerprint: string;
}

function identitiesOf(payloads: readonly ReceivedPayload[]): Identity[] {
  const identities = new Map<string, Identity>();
  for (const { projectId, items } of payloads) {
    for (const item of items) {
      const fingerprint = item.kind === 'reported' ? item.alert.fingerprint : undefined;
      if (fingerprint !== undefined) identities.set(`${projectId}:${fingerprint}`, { projectId, fingerprint });
    }
  }
  return [...identities.values()];
}

/** Locks the projects, then reads the open alerts and ends of the fingerprints in the payloads. */
async function readFingerprints(tx: Tx, payloads: readonly ReceivedPayload[]): Promise<StoredFingerprints> {
  const lastIids = await lockProjects(tx, [...new Set(payloads.map(({ projectId }) => projectId))]);
  const identities = identitiesOf(payloads);
  if (identities.length === 0) return { lastIids, open: [], ends: [] };
  const projectIds = identities.map(({ projectId }) => projectId);
  const fingerprints = identities.map(({ fingerprint }) => fingerprint);
  const open = await tx.query<OpenRow>(
    named(
      'alert_open',
      sql`select a.id, a.project_id, a.iid, a.title, a.severity, a.status, a.version, a.issue_iid, a.fingerprint, a.started_at,
          a.starts_told, a.last_started_at
        from unnest(${projectIds}::bigint[], ${fingerprints}::text[]) k (project_id, fingerprint)
        join alerts a on a.project_id = k.project_id and a.fingerprint = k.fingerprint and a.status <> 2
        order by a.id for update of a`,
    ),
  );
  const ends = await tx.query<EndRow>(
    named(
      'alert_ends',
      sql`select e.project_id, e.fingerprint, e.started_at, e.ended_at, e.updated_at as told_at
        from unnest(${projectIds}::bigint[], ${fingerprints}::text[]) k (project_id, fingerprint)
        join episode_ends e on e.project_id = k.project_id and e.fingerprint = k.fingerprint`,
    ),
  );
  return { lastIids, open: open.map(toStoredAlert), ends: ends.map(toStoredEnd) };
}

interface OpenRow {
  id: number;
  project_id: number;
  iid: number;
  title: string;
  severity: number;
  status: number;
  version: number;
  issue_iid: number | null;
  fingerprint: string;
  started_at: Date;
  starts_told: boolean;
  last_started_at: Date;
}

interface EndRow {
  project_id: number;
  fingerprint: string;
  started_at: Date | null;
  ended_at: Date;
  told_at: Date;
}

const toStoredAlert = (row: OpenRow): StoredAlert => {
  const isStartReported = row.starts_told || row.last_started_at.getTime() !== row.started_at.getTime();
  return {
    id: row.id,
    projectId: row.project_id,
    iid: row.iid,
    title: row.title,
    severity: severityOf(row.severity),
    status: statusOf(row.status),
    version: row.version,
    issueIid: row.issue_iid ?? undefined,
    fingerprint: row.fingerprint,
    lastStart: isStartReported ? row.last_started_at.getTime() : undefined,
  };
};

const toStoredEnd = (row: EndRow): StoredEnd => ({
  projectId: row.project_id,
  fingerprint: row.fingerprint,
  startedAt: row.started_at?.getTime(),
  endedAt: row.ended_at.getTime(),
  reportedAt: row.told_at.getTime(),
});

/** Locks the counters of projects in the order of their ids, so that two batches cannot deadlock. */
async function lockProjects(tx: Tx, projectIds: number[]): Promise<Map<number, number>> {
  const lock = () =>
    tx.query<{ project_id: number; last_iid: number }>(
      named(
        'alert_counters_lock',
        sql`select project_id, last_iid from alert_counters where project_id = any(${projectIds}::bigint[])
          order by project_id for update`,
      ),
    );
  let rows = await lock();
  if (rows.length < projectIds.length) {
    await tx.query(sql`
      insert into alert_counters (project_id) select id from unnest(${projectIds}::bigint[]) p (id) order by id
      on conflict do nothing`);
    rows = await lock();
  }
  return new Map(rows.map((row) => [row.project_id, row.last_iid]));
}

const writeCounters = (tx: Tx, lastIids: ReadonlyMap<number, number>): Promise<unknown> =>
  tx.query(
    named(
      'alert_counters_write',
      sql`update alert_counters c set last_iid = g.last_iid
        from unnest(${[...lastIids.keys()]}::bigint[], ${[...lastIids.values()]}::bigint[]) g (project_id, last_iid)
        where c.project_id = g.project_id and c.last_iid <> g.last_iid`,
    ),
  );

/** Saves alerts that were open before: counted messages and ends. */
async function writeKnown(tx: Tx, { alerts }: BatchDecision, now: Date): Promise<void> {
  const known = alerts.filter(({ stored }) => stored !== undefined);
  if (known.length === 0) return;
  await tx.query(
    named(
      'alert_known_write',
      sql`update alerts a set
          events = least(a.events::bigint + k.counted, 2147483647)::int,
          last_started_at = coalesce(k.last_started_at, a.last_started_at),
          status = case when k.ended_at is null then a.status else ${statusNumber('resolved')}::smallint end,
          ended_at = coalesce(k.ended_at, a.ended_at),
          version = a.version + (k.ended_at is not null)::int,
          updated_at = ${now}::timestamptz
        from unnest(
          ${known.map(({ stored }) => stored?.id)}::bigint[], ${known.map(({ counted }) => counted)}::int[],
          ${known.map(({ lastStart }) => dateOf(lastStart))}::timestamptz[],
          ${known.map(({ resolved }) => resolved?.endedAt ?? null)}::timestamptz[]
        ) k (id, counted, last_started_at, ended_at)
        where a.id = k.id`,
    ),
  );
}

const dateOf = (milliseconds: number | undefined): Date | null =>
  milliseconds === undefined ? null : new Date(milliseconds);

type RaisedAlert = DecidedAlert & { readonly raised: NonNullable<DecidedAlert['raised']> };

const isRaised = (alert: DecidedAlert): alert is RaisedAlert => alert.raised !== undefined;

/** The searched text, from the columns of alerts. */
const searchText = sql`title || E'\n' || coalesce(service, '') || E'\n' || coalesce(monitoring_tool, '')`;

/**
 * Inserts the alerts that the batch raises, those that ended within it as resolved. Returns their ids by `numberKey`.
 */
async function writeRaised(tx: Tx, { alerts }: BatchDecision, now: Date): Promise<Map<string, number>> {
  const raised = alerts.filter(isRaised);
  if (raised.length === 0) return new Map();
  const column = <T>(read: (alert: RaisedAlert) => T | undefined): (T | null)[] =>
    raised.map((one) => read(one) ?? null);
  const rows = await tx.query<{ id: number; project_id: number; iid: number }>(
    named(
      'alert_raise',
      sql`with raised as (
        insert into alerts (project_id, iid, title, description, severity, status, service, monitoring_tool, hosts, fingerprint,
          events, started_at, starts_told, last_started_at, ended_at, environment, runbook, incident_markdown, query, y_label,
          generator_url, format, details, payload, integration_id, version, created_at, updated_at)
        select r.project_id, r.iid, r.title, r.description, r.severity, r.status, r.service, r.monitoring_tool,
          case when r.hosts is null then '{}' else array(select json_array_elements_text(r.hosts::json)) end, r.fingerprint,
          r.events, r.started_at, r.starts_told, r.last_started_at, r.ended_at, r.environment, r.runbook, r.incident_markdown,
          r.query, r.y_label, r.generator_url, r.format, r.details, r.payload, r.integration_id,
          case when r.ended_at is null then 1 else 2 end, ${now}::timestamptz, ${now}::timestamptz
        from rows from (unnest(
          ${column((one) => one.projectId)}::bigint[], ${column((one) => one.iid)}::bigint[],
          ${column((one) => one.title)}::text[], ${column((one) => one.raised.by.description)}::text[],
          ${column((one) => severityNumber(one.raised.by.severity))}::smallint[],
          ${column((one) => statusNumber(one.resolved === undefined ? 'triggered' : 'resolved'))}::smallint[],
          ${column((one) => one.raised.by.service)}::text[], ${column((one) => one.raised.by.monitoringTool)}::text[],
          ${column(({ raised: { by } }) => (by.hosts.length === 0 ? undefined : JSON.stringify(by.hosts)))}::text[],
          ${column((one) => one.raised.by.fingerprint)}::text[], ${column((one) => one.counted)}::int[],
          ${column((one) => startOf(one.raised))}::timestamptz[],
          ${column((one) => one.raised.by.startsAt !== undefined)}::boolean[],
          ${column((one) => dateOf(one.lastStart) ?? startOf(one.raised))}::timestamptz[],
          ${column((one) => one.resolved?.endedAt)}::timestamptz[], ${column((one) => one.raised.by.environment)}::text[],
          ${column((one) => one.raised.by.runbook)}::text[], ${column((one) => one.raised.by.incidentMarkdown)}::text[],
          ${column((one) => one.raised.by.query)}::text[], ${column((one) => one.raised.by.yLabel)}::text[],
          ${column((one) => one.raised.by.generatorUrl)}::text[], ${column((one) => one.raised.payload.format)}::text[],
          ${column((one) => one.raised.payload.integrationId)}::bigint[]
        ), json_array_elements(${jsonArray(raised.map((one) => detailsJson(one.raised.by.attributes)))}::json),
          json_array_elements(${jsonArray(raised.map((one) => one.raised.by.payload))}::json)
        ) r (project_id, iid, title, description, severity, status, service, monitoring_tool, hosts, fingerprint, events, started_at,
          starts_told, last_started_at, ended_at, environment, runbook, incident_markdown, query, y_label, generator_url, format,
          integration_id, details, payload)
        order by r.project_id, r.iid
        returning id, project_id, iid, ${searchText} as text),
        texts as (insert into alert_texts (alert_id, text) select id, text from raised)
        select id, project_id, iid from raised`,
    ),
  );
  return new Map(rows.map((row) => [numberKey(row.project_id, row.iid), row.id]));
}

/** JSON values as one parameter: an array of texts would escape every quote again. */
const jsonArray = (values: readonly string[]): string => `[${values.join()}]`;

/** Attributes as the column `details` holds them. */
const detailsJson = (attributes: readonly { name: string; value: string }[]): string =>
  JSON.stringify(Object.fromEntries(attributes.map(({ name, value }) => [name, value])));

async function writeEnds(tx: Tx, ends: readonly StoredEnd[]): Promise<void> {
  if (ends.length === 0) return;
  await tx.query(
    named(
      'alert_ends_write',
      sql`insert into episode_ends (project_id, fingerprint, started_at, ended_at, updated_at)
        select * from unnest(
          ${ends.map(({ projectId }) => projectId)}::bigint[], ${ends.map(({ fingerprint }) => fingerprint)}::text[],
          ${ends.map(({ startedAt }) => dateOf(startedAt))}::timestamptz[],
          ${ends.map(({ endedAt }) => dateOf(endedAt))}::timestamptz[], ${ends.map(({ reportedAt }) => dateOf(reportedAt))}::timestamptz[]
        )
        on conflict (project_id, fingerprint) do update
        set started_at = excluded.started_at, ended_at = excluded.ended_at, updated_at = excluded.updated_at
        where excluded.ended_at > episode_ends.ended_at`,
    ),
  );
}

async function writeReceipts(
  tx: Tx,
  payloads: readonly ReceivedPayload[],
  outcomes: BatchDecision['outcomes'],
): Promise<void> {
  await tx.query(
    named(
      'alert_receipts_write',
      sql`insert into alert_receipts (id, project_id, integration_id, received_at, format, items)
        select id, project_id, integration_id, received_at, format, items from rows from (unnest(
          ${payloads.map(({ receiptId }) => receiptId)}::uuid[], ${payloads.map(({ projectId }) => projectId)}::bigint[],
          ${payloads.map(({ integrationId }) => integrationId)}::bigint[],
          ${payloads.map(({ receivedAt }) => receivedAt)}::timestamptz[], ${payloads.map(({ format }) => format)}::text[]
        ), json_array_elements(${JSON.stringify(outcomes)}::json)) r (id, project_id, integration_id, received_at, format, items)`,
    ),
  );
}
