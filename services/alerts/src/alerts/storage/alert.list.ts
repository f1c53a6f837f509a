import {
  contains,
  type Database,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
} from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import { accessLevel, type Viewer, visibleProjects } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { severityNumber, statusNumber } from '../domain/alert';
import type { AlertFilter, AlertView, AssigneeMatch } from '../domain/alert-view';
import { alertFrom, alertSelect, payloadColumn, toAlertView } from './alert.row';
import { hasEnvironment } from './environment.sql';

/** Reads alerts. Whether the viewer may read those of a project that is named has been decided. */
export interface AlertList {
  /** One page of a project's alerts, without payloads: one statement, and one that counts to 10,001. */
  page(
    query: { readonly projectId: number; readonly filter: AlertFilter; readonly viewer: Viewer },
    request: PageRequest,
  ): Promise<{ rows: AlertView[]; page: PageInfo }>;
  /** One alert with its payload. */
  find(projectId: number, iid: number, viewer: Viewer): Promise<AlertView | undefined>;
  /** Alerts by id, and whether the viewer may read each: one statement. */
  byIds(ids: readonly number[], viewer: Viewer): Promise<{ view: AlertView; readable: boolean }[]>;
  /** The alert of a number, where the viewer may read it. */
  findReadable(projectId: number, iid: number, viewer: Viewer): Promise<AlertView | undefined>;
}

const id: OrderColumn = { name: 'id', expression: sql`a.id`, type: 'bigint' };

const orders: Record<string, OrderColumn[]> = {
  created_at: [{ name: 'created_at', expression: sql`a.created_at`, type: 'timestamptz' }, id],
  updated_at: [{ name: 'updated_at', expression: sql`a.updated_at`, type: 'timestamptz' }, id],
  started_at: [{ name: 'started_at', expression: sql`a.started_at`, type: 'timestamptz' }, id],
  ended_at: [{ name: 'ended_at', expression: sql`a.ended_at`, type: 'timestamptz', nullable: true }, id],
  severity: [{ name: 'severity', expression: sql`a.severity`, type: 'integer' }, id],
  status: [{ name: 'status', expression: sql`a.status`, type: 'integer' }, id],
  events: [{ name: 'events', expression: sql`a.events`, type: 'integer' }, id],
};

const hasAssignee = (condition: Sql): Sql =>
  sql`exists (select 1 from alert_assignees aa where aa.alert_id = a.id and ${condition})`;

function assignedTo(match: AssigneeMatch): Sql {
  if (match === 'none') return sql`not ${hasAssignee(sql`true`)}`;
  if (match === 'any') return hasAssignee(sql`true`);
  const userId =
    'userId' in match
      ? sql`${match.userId}::bigint`
      : sql`(select u.id from directory.users u where lower(u.username) = ${match.username.toLowerCase()} and u.deleted_at is null)`;
  return hasAssignee(sql`aa.user_id = ${userId}`);
}

const textContains = (text: string): Sql =>
  sql`exists (select 1 from alert_texts t where t.alert_id = a.id and t.text ilike ${contains(text)})`;

const oneOf = (column: Sql, numbers: readonly number[]): Sql =>
  numbers.length === 1 ? sql`${column} = ${numbers[0]}::smallint` : sql`${column} = any(${[...numbers]}::smallint[])`;

function conditionsOf({ statuses, severities, search, fingerprint, environment, assignee }: AlertFilter): Sql[] {
  return [
    ...(statuses === undefined ? [] : [oneOf(sql`a.status`, statuses.map(statusNumber))]),
    ...(severities === undefined ? [] : [oneOf(sql`a.severity`, severities.map(severityNumber))]),
    ...(search === undefined ? [] : [textContains(search)]),
    ...(fingerprint === undefined ? [] : [sql`a.fingerprint = ${fingerprint}`]),
    ...(environment === undefined ? [] : [hasEnvironment(environment)]),
    ...(assignee === undefined ? [] : [assignedTo(assignee)]),
  ];
}

const mayRead = (viewer: Viewer): Sql =>
  sql`(${visibleProjects(viewer)} and ${accessLevel(viewer, sql`a.project_id`)} >= ${levels.developer})`;

/** Opens the lists. */
export const alertList = (db: Database): AlertList => ({
  async page({ projectId, filter, viewer }, request) {
    const { rows, page } = await listPage({
      db,
      name: 'list_alerts',
      searches: filter.search !== undefined,
      select: alertSelect(viewer),
      from: alertFrom,
      countFrom: sql`alerts a`,
      where: [sql`a.project_id = ${projectId}`, ...conditionsOf(filter)],
      orders,
      request,
      count: true,
    });
    return { rows: rows.map(toAlertView), page };
  },

  async find(projectId, iid, viewer) {
    const row = await db.one(
      named(
        'find_alert',
        sql`select ${alertSelect(viewer)}, ${payloadColumn} from ${alertFrom} where a.project_id = ${projectId} and a.iid = ${iid}`,
      ),
    );
    return row && toAlertView(row);
  },

  async byIds(ids, viewer) {
    const rows = await db.query<Record<string, unknown>>(
      named(
        'alerts_by_ids',
        sql`select ${alertSelect(viewer)}, ${mayRead(viewer)} as readable from ${alertFrom} where a.id = any(${[...ids]}::bigint[])`,
      ),
    );
    return rows.map((row) => ({ view: toAlertView(row), readable: row.readable === true }));
  },

  async findReadable(projectId, iid, viewer) {
    const row = await db.one(
      named(
        'find_readable_alert',
        sql`select ${alertSelect(viewer)} from ${alertFrom}
          where a.project_id = ${projectId} and a.iid = ${iid} and ${mayRead(viewer)}`,
      ),
    );
    return row && toAlertView(row);
  },
});
