import { randomUUID } from 'node:crypto';
import type { Database } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import type { Keyring } from '@switchyard/secrets';
import { type ForgeKind, type ForgeRepository, tokenIdentity } from '../../forges';
import { leased, leaseStore } from '../../leases';
import type { ImportLease, ReleaseReason, StageProgress } from '../domain/import-work';
import {
  type BegunStage,
  type ImportFailure,
  type ImportStatus,
  maxFailedItems,
  maxKnown,
  type NewImport,
  type ProjectImport,
  type Refresh,
  type StageName,
  type StandingStage,
} from '../domain/project-import';
import { stageColumns, toStanding } from './stages.store';

const columns =
  raw(`x.id, x.key, x.project_id, x.author_id, x.author_admin, x.author_external, x.request_id, x.forge, x.host,
  x.repository, x.namespace, x.name, x.page_size, x.optimistic, x.files, x.token, x.status, x.problem, x.attempts, x.pauses, x.refreshes`);

const toImport = (row: Record<string, unknown>): ProjectImport => ({
  id: row.id as number,
  key: row.key as string,
  projectId: (row.project_id as number | null) ?? undefined,
  author: {
    userId: row.author_id as number,
    admin: row.author_admin as boolean,
    external: row.author_external as boolean,
  },
  requestId: row.request_id as string,
  forge: row.forge as ForgeKind,
  host: row.host as string,
  repository: row.repository as ForgeRepository,
  namespace: row.namespace as string,
  name: row.name as string,
  pageSize: row.page_size as number,
  optimistic: row.optimistic as boolean,
  files: row.files as boolean,
  status: row.status as ImportStatus,
  problem: (row.problem as string | null) ?? undefined,
  refreshes: row.refreshes as number,
});

/** A stage as its row has it. */
type NullableSince = Omit<BegunStage, 'since'> & {
  readonly since: Date | null;
};

/**
 * What changed so long before a stage began is brought again: the clock of a forge may be behind, and an item may change
 * after its page was read.
 */
const clockSkew = sql`interval '1 hour'`;

/** What a token is encrypted for. */
const identityOf = (key: string): string => tokenIdentity('project_imports', key);

const isOpen = sql`status in ('scheduled', 'started')`;

/** A failure of an import, of a forge or an archive. */
export const toFailure = (row: Record<string, unknown>): ImportFailure => ({
  id: row.id as number,
  stage: row.stage as string,
  item: row.item as string,
  reason: row.reason as string,
  createdAt: row.created_at as Date,
});

/** Opens the store. */
export const importStore = (db: Database, ring: Keyring) => {
  const leases = leaseStore(db, 'project_imports');
  const toLease = (row: Record<string, unknown>, lease: string): ImportLease => {
    const one = toImport(row);
    const token = row.token === null ? undefined : ring.decrypt(identityOf(one.key), row.token as Buffer);
    return { import: one, lease, token, attempt: row.attempts as number, pauses: row.pauses as number };
  };

  return {
    add: (
      { author, repository, ...one }: NewImport,
      token: string,
      stages: readonly StageName[],
    ): Promise<ImportLease> =>
      db.transaction(async (tx) => {
        const lease = randomUUID();
        const row = await tx.one(sql`
          insert into project_imports as x (key, author_id, author_admin, author_external, request_id, forge, host, repository,
            namespace, name, page_size, optimistic, files, token, lease, leased_until)
          values (${one.key}::uuid, ${author.userId}, ${author.admin}, ${author.external}, ${one.requestId}, ${one.forge},
            ${one.host}, ${JSON.stringify(repository)}::jsonb, ${one.namespace}, ${one.name}, ${one.pageSize},
            ${one.optimistic}, ${one.files}, ${ring.encrypt(identityOf(one.key), token)}, ${lease}::uuid, ${leased})
          returning ${columns}`);
        if (row === undefined) throw new Error('an import was not inserted');
        await tx.query(sql`
          insert into import_stages (import_id, position, name)
          select ${row.id as number}::bigint, position, name
          from unnest(${[...stages]}::text[]) with ordinality as given (name, position)`);
        return toLease(row, lease);
      }),

    async remove({ import: { id }, lease }: ImportLease): Promise<void> {
      await db.query(
        sql`delete from project_imports where id = ${id} and lease = ${lease}::uuid and project_id is null`,
      );
    },

    async ofProject(projectId: number): Promise<ProjectImport | undefined> {
      const row = await db.one(sql`select ${columns} from project_imports x where x.project_id = ${projectId}`);
      return row && toImport(row);
    },

    async projectOf(id: number): Promise<number | undefined> {
      const row = await db.one<{ project_id: number | null }>(
        sql`select project_id from project_imports where id = ${id}`,
      );
      return row?.project_id ?? undefined;
    },

    async stages(id: number): Promise<StandingStage[]> {
      const rows = await db.query(sql`
        select ${stageColumns} from import_stages s where s.import_id = ${id} order by s.position`);
      return rows.map(toStanding);
    },

    async failures(id: number): Promise<ImportFailure[]> {
      const rows = await db.query(sql`
        select id, stage, item, reason, created_at from import_failures where import_id = ${id} order by id`);
      return rows.map(toFailure);
    },

    // Two processes may take one import each of an author at the same moment: this is fairness, not a limit.
    async claim(): Promise<ImportLease | undefined> {
      const lease = randomUUID();
      const row = await db.one(sql`
        update project_imports x set lease = ${lease}::uuid, leased_until = ${leased}, attempts = attempts + 1
        where id = (
          select w.id from project_imports w
          where (w.status <> w.announced or w.status in ('scheduled', 'started')) and (w.leased_until is null or w.leased_until < now())
            and (w.status not in ('scheduled', 'started') or not exists (
              select 1 from project_imports o
              where o.author_id = w.author_id and o.id <> w.id and o.lease is not null and o.leased_until >= now()
                and (o.status <> o.announced or o.status in ('scheduled', 'started'))))
          order by w.id limit 1 for update skip locked)
        returning ${columns}`);
      return row && toLease(row, lease);
    },

    extend: ({ import: { id }, lease }: ImportLease): Promise<boolean> => leases.extend(id, lease),

    release: ({ import: { id }, lease }: ImportLease, seconds: number, reason: ReleaseReason): Promise<void> =>
      leases.giveBack(id, lease, seconds, reason),

    async setProject({ import: { id }, lease }: ImportLease, projectId: number): Promise<boolean> {
      const rows = await db.query(sql`
        update project_imports set project_id = ${projectId} where id = ${id} and lease = ${lease}::uuid returning 1`);
      return rows.length > 0;
    },

    async beginStage(
      { import: { id } }: ImportLease,
      hours: number,
    ): Promise<(BegunStage & { late: boolean }) | undefined> {
      const row = await db.one<NullableSince & { late: boolean }>(sql`
        update import_stages set started_at = coalesce(started_at, now())
        where import_id = ${id} and position = (select min(position) from import_stages where import_id = ${id} and not done)
        returning name, page, cursor, fetched, imported, since, known,
          started_at < now() - make_interval(hours => ${hours}::int) as late`);
      if (row === undefined) return undefined;
      const { since, ...stage } = row;
      return { ...stage, since: since ?? undefined };
    },

    refresh: (found: ProjectImport, { author, requestId, repository }: Refresh, token: string): Promise<boolean> =>
      db.transaction(async (tx) => {
        const again = await tx.one(sql`
          update project_imports x set status = 'scheduled', problem = null, ended_at = null, refreshes = refreshes + 1,
            author_id = ${author.userId}, author_admin = ${author.admin}, author_external = ${author.external},
            request_id = ${requestId}, repository = ${JSON.stringify(repository)}::jsonb,
            token = ${ring.encrypt(identityOf(found.key), token)}, attempts = 0, pauses = 0, lease = null, leased_until = null,
            announced = ''
          where x.id = ${found.id} and not (${isOpen}) returning 1`);
        if (again === undefined) return false;
        await tx.query(sql`
          update import_stages set page = 1, cursor = '', fetched = 0, imported = 0, pages = null, done = false, started_at = null,
            since = case when done and started_at is not null then started_at - ${clockSkew} else since end
          where import_id = ${found.id}`);
        // Whom the one before wrote for is not who does it now, and a forge may name anybody.
        if (found.author.userId !== author.userId || found.author.admin !== author.admin)
          await tx.query(sql`
            update import_people p set user_id = null
            where p.import_id = ${found.id} and p.user_id is not null and not exists (
              select from import_placeholders h where h.import_id = p.import_id
                and (h.user_id = p.user_id or h.target_id = p.user_id and h.state in ('reassigning', 'reassigned')))`);
        await tx.query(sql`delete from import_failures where import_id = ${found.id}`);
        await tx.query(sql`delete from import_files where import_id = ${found.id} and link is null`);
        return true;
      }),

    async announceAgain(id: number): Promise<void> {
      await db.query(sql`update project_imports set announced = '' where id = ${id} and not (${isOpen})`);
    },

    async saveStage(
      { import: { id }, lease }: ImportLease,
      name: StageName,
      { page, cursor, fetched, imported, isDone, pages, failed = [], known = [], isLeftOut = false }: StageProgress,
      hours: number,
    ): Promise<{ late: boolean } | undefined> {
      return db.one<{ late: boolean }>(sql`
        with held as (
          update project_imports set attempts = 1, pauses = 0, leased_until = ${leased}
          where id = ${id} and lease = ${lease}::uuid and ${isOpen} returning id),
        failed as (
          insert into import_failures (import_id, stage, item, reason)
          select held.id, ${name}::text, given.item, given.reason
          from held, unnest(${failed.map(({ item }) => item.slice(0, 255).toWellFormed())}::text[],
            ${failed.map(({ reason }) => reason)}::text[]) with ordinality as given (item, reason, place)
          order by given.place
          limit greatest(0, ${maxFailedItems} - (select count(*) from import_failures where import_id = ${id})))
        update import_stages s set page = ${page}, cursor = ${cursor}, fetched = ${fetched}, imported = ${imported},
          done = ${isDone}, pages = coalesce(${pages ?? null}::int, s.pages),
          started_at = case when ${isLeftOut}::boolean then null else s.started_at end,
          known = (s.known || ${[...known]}::text[])[1:${maxKnown}]
        from held where s.import_id = held.id and s.name = ${name}
        returning started_at < now() - make_interval(hours => ${hours}::int) as late`);
    },

    async setStatus({ import: { id }, lease }: ImportLease, status: ImportStatus, problem?: string): Promise<boolean> {
      const ends = status !== 'started';
      const rows = await db.query(sql`
        update project_imports set status = ${status}, problem = ${problem ?? null}::text,
          token = case when ${ends} then null else token end, ended_at = case when ${ends} then now() end
        where id = ${id} and lease = ${lease}::uuid and ${isOpen} returning 1`);
      return rows.length > 0;
    },

    async cancel(projectId: number): Promise<ProjectImport | undefined> {
      const row = await db.one(sql`
        update project_imports x set status = 'canceled', token = null, ended_at = now(), lease = null, leased_until = null
        where x.project_id = ${projectId} and ${isOpen} returning ${columns}`);
      return row && toImport(row);
    },

    async setAnnounced(id: number, status: ImportStatus): Promise<void> {
      await db.query(sql`update project_imports set announced = ${status} where id = ${id} and status = ${status}`);
    },
  };
};
