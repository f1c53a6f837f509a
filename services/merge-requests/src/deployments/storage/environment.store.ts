import { createHash } from 'node:crypto';
import {
  type ClauseTable,
  clausesOf,
  contains,
  type Database,
  given,
  isUniqueViolation,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { forbidden, notFound } from '@switchyard/errors';
import {
  type Environment,
  type EnvironmentFilter,
  type EnvironmentPatch,
  type EnvironmentTier,
  type NewEnvironment,
  slugOf,
  tierOf,
} from '../domain/environment';
import { type ChangedEnvironment, publishEnvironments } from './environment.events';

/** A row of `environments`. */
export const toEnvironment = (row: Record<string, unknown>): Environment => ({
  id: row.id as number,
  projectId: row.project_id as number,
  name: row.name as string,
  slug: row.slug as string,
  description: given(row.description),
  externalUrl: given(row.external_url),
  tier: row.tier as EnvironmentTier,
  state: row.state as Environment['state'],
  autoStopAt: given(row.auto_stop_at),
  lastDeploymentId: given(row.last_deployment_id),
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

const orders: Record<string, OrderColumn[]> = {
  name: [
    { name: 'name', expression: sql`en.name`, type: 'text' },
    { name: 'id', expression: sql`en.id`, type: 'bigint' },
  ],
};

const clauses: ClauseTable<EnvironmentFilter> = {
  name: (name) => sql`en.name = ${name}`,
  search: (text) => sql`en.name ilike ${contains(text)}`,
  state: (state) => sql`en.state = ${state}`,
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Inserts an environment and publishes it; undefined when its name is taken. A slug that is taken fails. */
export async function insertEnvironment(
  tx: Tx,
  { projectId, name, description, externalUrl, tier, autoStopAt }: NewEnvironment,
): Promise<Record<string, unknown> | undefined> {
  const row = await tx.one<Record<string, unknown>>(sql`
    insert into environments (project_id, name, slug, description, external_url, tier, auto_stop_at, announced)
    values (${projectId}, ${name}, ${slugOf(name, sha256)}, ${description || null}, ${externalUrl || null}, ${tier ?? tierOf(name)},
      ${autoStopAt ?? null}, true)
    on conflict (project_id, name) do nothing returning *`);
  if (row !== undefined) await publishEnvironments(tx, made, [madeOf(row)]);
  return row;
}

const made = { $case: 'created', value: {} } as const;
const deleted = { $case: 'deleted', value: {} } as const;

/** Columns of what is published of environments. */
interface PublishedRow {
  readonly id: number;
  readonly project_id: number;
  readonly name: string;
}

const changedOf = ({ id, project_id: projectId, name }: PublishedRow, at: Date): ChangedEnvironment => ({
  ...{ id, projectId, name, at },
});

const madeOf = (row: Record<string, unknown>): ChangedEnvironment =>
  changedOf(row as unknown as PublishedRow, row.created_at as Date);

const stopped = (now: Date): Sql => sql`state = 'stopped', auto_stop_at = null, updated_at = ${now}`;

/** The table of environments. */
export const environmentStore = (db: Database) => ({
  async list(
    projectId: number,
    filter: EnvironmentFilter,
    request: PageRequest,
  ): Promise<{ rows: Environment[]; page: PageInfo }> {
    const { rows, page } = await listPage({
      db,
      name: 'list_environments',
      searches: filter.search !== undefined,
      select: sql`en.*`,
      from: sql`environments en`,
      where: [sql`en.project_id = ${projectId}`, ...clausesOf(clauses, filter, undefined)],
      orders,
      request,
      count: true,
    });
    return { rows: rows.map(toEnvironment), page };
  },

  async find(projectId: number, id: number): Promise<Environment | undefined> {
    const row = await db.one(sql`select * from environments where id = ${id} and project_id = ${projectId}`);
    return row && toEnvironment(row);
  },

  async add(environment: NewEnvironment): Promise<Environment | undefined> {
    try {
      const row = await db.transaction((tx) => insertEnvironment(tx, environment));
      return row && toEnvironment(row);
    } catch (error) {
      if (isUniqueViolation(error, 'environments_slug')) return undefined;
      throw error;
    }
  },

  async change(
    projectId: number,
    id: number,
    { description, externalUrl, tier, autoStopAt }: EnvironmentPatch,
    now: Date,
  ): Promise<Environment | undefined> {
    const text = (column: Sql, value: string | null | undefined): Sql =>
      value === undefined ? column : sql`${value || null}::text`;
    const row = await db.one(sql`
      update environments set description = ${text(sql`description`, description)},
        external_url = ${text(sql`external_url`, externalUrl)}, tier = coalesce(${tier ?? null}::text, tier),
        auto_stop_at = ${autoStopAt === undefined ? sql`auto_stop_at` : sql`${autoStopAt}::timestamptz`}, updated_at = ${now}
      where id = ${id} and project_id = ${projectId} returning *`);
    return row && toEnvironment(row);
  },

  async stop(projectId: number, id: number, now: Date): Promise<Environment | undefined> {
    await db.query(sql`
      update environments set ${stopped(now)} where id = ${id} and project_id = ${projectId} and state = 'available'`);
    return this.find(projectId, id);
  },

  async stopUnusedSince(projectId: number, before: Date, now: Date): Promise<void> {
    await db.query(sql`
      update environments set ${stopped(now)}
      where id in (select id from environments where project_id = ${projectId} and state = 'available'
        and updated_at < ${before} and (deployed_at is null or deployed_at < ${before}) order by id for no key update)`);
  },

  remove: (projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void> =>
    db.transaction(async (tx) => {
      const row = await tx.one<PublishedRow & { state: string }>(
        sql`select id, project_id, name, state from environments where id = ${id} and project_id = ${projectId} for update`,
      );
      if (row === undefined) throw notFound();
      if (row.state !== 'stopped') throw forbidden();
      await requireUnmodified(tx, 'environments', id, unmodifiedSince);
      await tx.query(sql`delete from environments where id = ${id}`);
      await publishEnvironments(tx, deleted, [changedOf(row, new Date())]);
    }),

  async stoppedReviewApps(projectId: number, before: Date, limit: number): Promise<Environment[]> {
    const rows = await db.query(sql`
      select * from environments where project_id = ${projectId} and state = 'stopped' and name like 'review/%'
        and created_at < ${before} and auto_delete_at is null
      order by created_at, id limit ${limit}`);
    return rows.map(toEnvironment);
  },

  async scheduleDeletion(ids: readonly number[], at: Date): Promise<Environment[]> {
    const rows = await db.query(sql`
      update environments set auto_delete_at = ${at}
      where id in (select id from environments where id = any(${[...ids]}::bigint[]) and state = 'stopped' order by id for no key update)
      returning *`);
    return rows.map(toEnvironment).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || a.id - b.id);
  },

  async settleDue(limit: number, now: Date): Promise<boolean> {
    const ended = await db.query(sql`
      update environments set ${stopped(now)}
      where id in (select id from environments where auto_stop_at <= ${now} and state = 'available'
        order by auto_stop_at, id limit ${limit} for no key update skip locked) returning id`);
    const removed = await db.transaction(async (tx) => {
      const rows = await tx.query<PublishedRow>(sql`
        delete from environments where id in (select id from environments where auto_delete_at <= ${now} and state = 'stopped'
          order by auto_delete_at, id limit ${limit} for update skip locked) returning id, project_id, name`);
      await publishEnvironments(
        tx,
        deleted,
        rows.map((row) => changedOf(row, now)),
      );
      return rows.length;
    });
    return ended.length === limit || removed === limit;
  },

  /** Publishes those of before there were events of environments; true when there may be more. */
  announce: (limit: number): Promise<boolean> =>
    db.transaction(async (tx) => {
      const rows = await tx.query<Record<string, unknown>>(sql`
        update environments set announced = true
        where id in (select id from environments where not announced order by id limit ${limit} for no key update skip locked)
        returning id, project_id, name, created_at`);
      await publishEnvironments(tx, made, rows.map(madeOf));
      return rows.length === limit;
    }),
});
