import { randomUUID } from 'node:crypto';
import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import { archiveSource } from '@switchyard/service';
import { leased, leaseStore } from '../../leases';
import {
  type Candidate,
  type ForeignPerson,
  type Placeholder,
  type PlaceholderChange,
  type PlaceholderLease,
  type PlaceholderOwner,
  type PromisedRole,
  standsFirst,
} from '../domain/placeholder';
import { recordAsked } from './placeholder.events';

// A page may be on its way when an import is cancelled or fails, for the three minutes of a page of pull requests.
const columns =
  raw(`p.id, i.project_id as "projectId", p.user_id as "userId", p.foreign_id as "foreignId", p.login, p.name,
  p.state, p.target_id as "targetId", p.requested_by_id as "requestedById", p.created_at as "createdAt",
  p.updated_at as "updatedAt", i.forge as "importType", i.host, i.status in ('scheduled', 'started')
  or i.status in ('canceled', 'failed') and i.ended_at > now() - interval '5 minutes' as "importRuns"`);

/** The import `i` of a placeholder `p`. */
const importOf = sql`lateral (
  select project_id, author_id, forge, host, status, ended_at from project_imports where id = p.import_id
  union all
  select project_id, author_id, ${archiveSource}, '', status, ended_at from archive_imports where id = p.archive_import_id) i`;

const from = sql`import_placeholders p cross join ${importOf}`;

/** Whether a placeholder `p` belongs to the import of a project, of which there is one. */
const ofProject = (
  projectId: number,
) => sql`(p.import_id = (select id from project_imports where project_id = ${projectId})
  or p.archive_import_id = (select id from archive_imports where project_id = ${projectId}))`;

const ofOwner = ({ id, isArchive }: PlaceholderOwner) =>
  sql`${raw(isArchive ? 'archive_import_id' : 'import_id')} = ${id}`;

/** Who began an import `i`, as long as they are active. */
const importer = sql`directory.users u where u.id = i.author_id and u.state = 'active' and u.deleted_at is null`;

/** Opens the store of placeholders. */
export const placeholderStore = (db: Database, leases = leaseStore(db, 'import_placeholders')) => ({
  list: (projectId: number, state: string | undefined, request: PageRequest) =>
    listPage<Placeholder>({
      db,
      name: 'list_import_placeholders',
      select: columns,
      from,
      where: [ofProject(projectId), ...(state === undefined ? [] : [sql`p.state = ${state}`])],
      orders: { id: [{ name: 'id', expression: sql`p.id`, type: 'bigint' }] },
      request,
      count: true,
    }),

  async standIns(owner: PlaceholderOwner, foreignIds: readonly string[]): Promise<Map<string, number>> {
    const rows = await db.query<{ foreign: string; id: number }>(sql`
      select foreign_id as foreign, case when state in ('reassigning', 'reassigned') then target_id else user_id end as id
      from import_placeholders where ${ofOwner(owner)} and foreign_id = any(${[...foreignIds]}::text[])`);
    return new Map(rows.map(({ foreign, id }) => [foreign, id]));
  },

  hasMany: async (owner: PlaceholderOwner, many: number): Promise<boolean> =>
    (await db.one(sql`
      select 1 from import_placeholders where ${ofOwner(owner)} order by id offset ${many - 1}::bigint limit 1`)) !==
    undefined,

  async add(
    owner: PlaceholderOwner,
    { foreignId, login, name }: ForeignPerson,
    userId: number,
    first: PlaceholderChange,
  ): Promise<void> {
    await db.transaction(async (tx) => {
      const isAsked =
        first.targetId !== null &&
        (await tx.one(sql`
          select 1 from import_placeholders where ${ofOwner(owner)} and target_id = ${first.targetId} limit 1`)) !==
          undefined;
      // A forge can show one address for any number of people: it has a user asked once, by one mail.
      const change = isAsked ? standsFirst(undefined) : first;
      const { state, targetId, requestedById } = change;
      const row = await tx.one<{ id: number; projectId: number }>(sql`
        insert into import_placeholders as p (import_id, archive_import_id, user_id, foreign_id, login, name, state, target_id,
          requested_by_id)
        values (${owner.isArchive ? null : owner.id}::bigint, ${owner.isArchive ? owner.id : null}::bigint, ${userId},
          ${foreignId}, ${login}, ${name}, ${state}, ${targetId}::bigint, ${requestedById}::bigint) on conflict do nothing
        returning id, coalesce((select project_id from project_imports where id = p.import_id),
          (select project_id from archive_imports where id = p.archive_import_id)) as "projectId"`);
      if (row !== undefined) await recordAsked(tx, { ...row, login }, change);
    });
  },

  change: (projectId: number, id: number, decide: (one: Placeholder) => PlaceholderChange): Promise<Placeholder> =>
    db.transaction(async (tx) => {
      // First the import, so that none of the project begins.
      for (const imports of [sql`project_imports`, sql`archive_imports`])
        await tx.query(sql`select 1 from ${imports} where project_id = ${projectId} for update`);
      const one = await tx.one<Placeholder>(sql`
        select ${columns} from ${from} where ${ofProject(projectId)} and p.id = ${id} for update of p`);
      if (one === undefined) throw notFound('Placeholder');
      const change = decide(one);
      const { state, targetId, requestedById } = change;
      await tx.query(sql`
        update import_placeholders set state = ${state}, target_id = ${targetId}::bigint,
          requested_by_id = ${requestedById}::bigint, updated_at = now() where id = ${id}`);
      // What comes over later is written in the name of who took the place.
      if (state === 'reassigning')
        await tx.query(sql`
          update import_people set user_id = ${targetId}::bigint
          from project_imports i where import_id = i.id and i.project_id = ${projectId} and user_id = ${one.userId}`);
      await recordAsked(tx, one, change);
      return { ...one, ...change, updatedAt: new Date() };
    }),

  candidate: (userId: number): Promise<Candidate | undefined> =>
    db.one<Candidate>(sql`
      select id, state = 'active' as active, kind from directory.users
      where id = ${userId}::bigint and deleted_at is null`),

  async claim(): Promise<PlaceholderLease | undefined> {
    const lease = randomUUID();
    return db.one<PlaceholderLease>(sql`
      with taken as (
        update import_placeholders set lease = ${lease}::uuid, leased_until = ${leased}, attempts = attempts + 1
        where id = (
          select w.id from import_placeholders w
          where w.state = 'reassigning' and (w.leased_until is null or w.leased_until < now())
          order by w.id limit 1 for update skip locked)
        returning *)
      select ${columns}, p.lease, p.attempts as attempt, p.level,
        coalesce((select u.id from ${importer}), 0) as "importerId",
        coalesce((select u.admin from ${importer}), false) as "importerIsAdmin"
      from taken p cross join ${importOf}`);
  },

  async promiseRoles(importId: number, roles: readonly PromisedRole[]): Promise<void> {
    await db.query(sql`
      update import_placeholders p set level = given.level
      from unnest(${roles.map(({ userId }) => userId)}::bigint[], ${roles.map(({ level }) => level)}::int[])
        as given (user_id, level)
      where p.import_id = ${importId} and p.user_id = given.user_id and p.state in ('pending', 'awaiting_approval')`);
  },

  extend: ({ id, lease }: PlaceholderLease) => leases.extend(id, lease),
  release: ({ id, lease }: PlaceholderLease, seconds: number) => leases.release(id, lease, seconds),

  async settle({ id, lease }: PlaceholderLease): Promise<void> {
    await db.query(sql`
      update import_placeholders set state = 'reassigned', lease = null, leased_until = null, updated_at = now()
      where id = ${id} and lease = ${lease}::uuid and state = 'reassigning'`);
  },
});
