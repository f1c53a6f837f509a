import { randomUUID } from 'node:crypto';
import type { BlobRemains } from '@switchyard/blobs';
import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { join, raw, type Sql, sql } from '@switchyard/database/sql';
import {
  accessLevel,
  codeRule,
  fullPathSql,
  inGroup,
  projectsFrom,
  type Viewer,
  visibleProjects,
} from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import type { Component, Property } from '../../boms';
import { leased, leaseStore } from '../../leases';
import type { DependencyListExport, ExportFile, ExportSource, ListSize } from '../domain/dependency-list-export';
import type { After, ComponentVariant, ExportLease, SourceRows } from '../domain/export-work';
import { exportColumns, isOver, toExport } from './export.rows';

/** Links that one statement resolves: it ends well before a statement is cancelled. */
const linkBatch = 10_000;

/** Bytes of components after which a page ends: one of them may have 4 MiB. */
const pageBytes = 16 << 20;

/** Tables of work in progress. */
const workTables = [
  'export_components',
  'export_refs',
  'export_links',
  'export_edges',
  'export_properties',
  'export_sources',
];

async function addRows(db: SqlExecutor, exportId: number, source: number, rows: SourceRows): Promise<void> {
  const { components, refs, links, properties } = rows;
  if (components.length > 0)
    await db.query(sql`
      insert into export_components (export_id, key, digest, component)
      select ${exportId}::bigint, * from unnest(${components.map(({ key }) => key)}::text[],
        ${components.map(({ digest }) => digest)}::bytea[], ${components.map(({ text }) => text)}::text[])
      on conflict do nothing`);
  // Of two components under one name the first counts, whichever try finds it.
  if (refs.length > 0)
    await db.query(sql`
      insert into export_refs (export_id, source, ref, key)
      select ${exportId}::bigint, ${source}::int, * from unnest(${refs.map(({ ref }) => ref)}::bytea[], ${refs.map(({ key }) => key)}::text[])
      on conflict do nothing`);
  if (links.length > 0)
    await db.query(sql`
      insert into export_links (export_id, source, ref, target)
      select ${exportId}::bigint, ${source}::int, * from unnest(${links.map(({ ref }) => ref)}::bytea[],
        ${links.map(({ target }) => target)}::bytea[])
      on conflict do nothing`);
  if (properties.length > 0)
    await db.query(sql`
      insert into export_properties (export_id, name, value)
      select ${exportId}::bigint, * from unnest(${properties.map(({ name }) => name)}::text[], ${properties.map(({ value }) => value)}::text[])
      on conflict do nothing`);
}

const sourceColumns = raw('position, kind, project_id as "projectId", pipeline_id as "pipelineId", path, blob, digest');

const afterOf = (after: readonly string[] | undefined, beyond: (first: string, second: string) => Sql): Sql =>
  after === undefined ? sql`true` : beyond(after[0] ?? '', after[1] ?? '');

/** Most properties that a list names. */
const maxProperties = 1_000;

/** Opens exports under way. */
export const exportWorkStore = (
  db: Database,
  remains: Pick<BlobRemains, 'keep'>,
  leases = leaseStore(db, 'dependency_list_exports'),
) => ({
  async claim(): Promise<ExportLease | undefined> {
    const taken = randomUUID();
    const row = await db.one(sql`
      update dependency_list_exports x set status = 'running', attempts = attempts + 1, lease = ${taken}::uuid, leased_until = ${leased}
      where id = (
        select x.id from dependency_list_exports x where x.status in ('created', 'running') and ${leases.isFree}
        order by x.id limit 1 for update skip locked)
      returning ${exportColumns}, planned, attempts`);
    if (row === undefined) return undefined;
    return { export: toExport(row), lease: taken, planned: row.planned as boolean, attempt: row.attempts as number };
  },

  extend: ({ export: { id }, lease }: ExportLease) => leases.extend(id, lease),
  release: ({ export: { id }, lease }: ExportLease, seconds: number) => leases.release(id, lease, seconds),

  async projectsBelow(
    groupId: number,
    authorId: number,
    after: number,
    limit: number,
  ): Promise<{ id: number; fullPath: string }[]> {
    const user = await db.one<{ admin: boolean; external: boolean }>(
      sql`select admin, external from directory.users where id = ${authorId} and deleted_at is null`,
    );
    if (user === undefined) return [];
    const viewer: Viewer = { userId: authorId, ...user };
    return db.query<{ id: number; fullPath: string }>(sql`
      select p.id, ${fullPathSql} as "fullPath" from ${projectsFrom}
      where ${inGroup(groupId)} and p.id > ${after} and ${visibleProjects(viewer, codeRule)}
        and ${accessLevel(viewer, sql`p.id`)} >= ${user.admin ? 0 : levels.developer}
      order by p.id limit ${limit}`);
  },

  plan: (
    { export: { id } }: ExportLease,
    sources: readonly ExportSource[],
    projects: SourceRows,
    edges: readonly [string, string][],
  ): Promise<void> =>
    db.transaction(async (tx) => {
      // A process that lost its lease meanwhile may plan as well: the first one counts.
      const [first] = await tx.query(
        sql`update dependency_list_exports set planned = true where id = ${id} and not planned returning 1`,
      );
      if (first === undefined) return;
      await addRows(tx, id, -1, projects);
      await tx.query(sql`
        insert into export_edges (export_id, key, target) select ${id}::bigint, * from unnest(
          ${edges.map(([key]) => key)}::text[], ${edges.map(([, target]) => target)}::text[]) on conflict do nothing`);
      for (let at = 0; at < sources.length; at += 1_000)
        await tx.query(sql`
          insert into export_sources (export_id, position, kind, project_id, pipeline_id, path, blob, digest)
          values ${join(
            sources
              .slice(at, at + 1_000)
              .map(
                (one) =>
                  sql`(${id}, ${one.position}, ${one.kind}, ${one.projectId}, ${one.pipelineId}, ${one.path}, ${one.blob}, ${one.digest})`,
              ),
          )}`);
    }),

  sources: (exportId: number, all: boolean): Promise<ExportSource[]> =>
    db.query<ExportSource>(sql`
      select ${sourceColumns} from export_sources where export_id = ${exportId} and (${all} or not done) order by position`),

  addRows: (exportId: number, source: number, rows: SourceRows): Promise<void> => addRows(db, exportId, source, rows),

  async resolveLinks(
    exportId: number,
    source: number,
    after: readonly [Buffer, Buffer] | undefined,
  ): Promise<readonly [Buffer, Buffer] | undefined> {
    const [ref, target] = after ?? [Buffer.alloc(0), Buffer.alloc(0)];
    // One look into the index for each name: the rows are new, and what the planner takes them for may be a join that
    // reads all of them for each link.
    const keyOf = (name: Sql): Sql => sql`
      select key from export_refs where export_id = ${exportId} and source = ${source} and ref = ${name} limit 1`;
    const [last] = await db.query<{ ref: Buffer | null; target: Buffer | null }>(sql`
      with batch as materialized (
        select ref, target from export_links where export_id = ${exportId} and source = ${source} and (ref, target) > (${ref}::bytea, ${target}::bytea)
        order by ref, target limit ${linkBatch}),
      made as (
        insert into export_edges (export_id, key, target)
        select distinct ${exportId}::bigint, a.key, b.key from batch
        cross join lateral (${keyOf(sql`batch.ref`)}) a cross join lateral (${keyOf(sql`batch.target`)}) b
        where a.key <> b.key on conflict do nothing)
      select ref, target from batch order by ref desc, target desc limit 1`);
    return last === undefined || last.ref === null || last.target === null ? undefined : [last.ref, last.target];
  },

  async finishSource(exportId: number, source: number, { components, links }: ListSize): Promise<void> {
    await db.query(sql`
      update export_sources set done = true, components = ${components}, links = ${links}
      where export_id = ${exportId} and position = ${source}`);
  },

  async sizeOf(exportId: number): Promise<ListSize> {
    const row = await db.one<{ components: number; links: number }>(sql`
      select coalesce(sum(components), 0)::bigint as components, coalesce(sum(links), 0)::bigint as links
      from export_sources where export_id = ${exportId} and done`);
    return row ?? { components: 0, links: 0 };
  },

  async components(exportId: number, after: After, limit: number): Promise<ComponentVariant[]> {
    const rows = await db.query<{ key: string; digest: string; component: string }>(sql`
      select key, encode(digest, 'hex') as digest, component from (
        select key, digest, component,
          sum(octet_length(component)) over (order by key, digest rows between unbounded preceding and 1 preceding) as bytes_before
        from (
          select key, digest, component from export_components
          where export_id = ${exportId} and ${afterOf(after, (key, digest) => sql`(key, digest) > (${key}, decode(${digest}, 'hex'))`)}
          order by key, digest limit ${limit}) page) measured
      where bytes_before is null or bytes_before < ${pageBytes} order by key, digest`);
    return rows.map(({ component, ...row }) => ({
      ...row,
      component: JSON.parse(component) as Component,
      characters: component.length,
    }));
  },

  edges: (exportId: number, after: After, limit: number): Promise<{ key: string; target: string }[]> =>
    db.query<{ key: string; target: string }>(sql`
      select key, target from export_edges
      where export_id = ${exportId} and ${afterOf(after, (key, target) => sql`(key, target) > (${key}, ${target})`)}
      order by key, target limit ${limit}`),

  properties: (exportId: number): Promise<Property[]> =>
    db.query<Property>(
      sql`select name, value from export_properties where export_id = ${exportId} order by name, value limit ${maxProperties}`,
    ),

  end: (
    { export: { id }, lease: taken }: ExportLease,
    outcome: { readonly file: ExportFile } | { readonly problem: string },
    publish: (tx: Tx, ended: DependencyListExport) => Promise<void>,
  ): Promise<boolean> =>
    db.transaction(async (tx) => {
      const file = 'file' in outcome ? outcome.file : undefined;
      const row = await tx.one(sql`
        update dependency_list_exports x set status = ${file === undefined ? 'failed' : 'finished'}, problem = ${'problem' in outcome ? outcome.problem : null},
          blob = ${file?.blob ?? null}, size = ${file?.size ?? null}, sha256 = decode(${file?.sha256 ?? null}, 'hex'),
          signature = ${file?.signature ?? null}, lease = null, leased_until = null, ended_at = now(), expires_at = now() + interval '1 hour'
        where id = ${id} and lease = ${taken}::uuid and status = 'running' returning ${exportColumns}`);
      if (row === undefined) return false;
      if (file !== undefined && !(await remains.keep(tx, file.blob)))
        throw new Error('the blob of an export was pruned');
      const ended = toExport(row);
      if (ended.sendEmail) await publish(tx, ended);
      return true;
    }),

  async sweep(limit: number): Promise<number> {
    for (const table of workTables) {
      const rows = await db.query(sql`
        delete from ${raw(table)} where ctid = any(array(
          select w.ctid from dependency_list_exports x join ${raw(table)} w on w.export_id = x.id
          where x.status in ('finished', 'failed') limit ${limit})) returning 1`);
      if (rows.length > 0) return rows.length;
    }
    const rows = await db.query(sql`
      with gone as (
        delete from dependency_list_exports where id in (
          select x.id from dependency_list_exports x where ${isOver} order by x.expires_at limit 100 for update skip locked)
        returning blob),
      due as (
        insert into blob_remains (blob, due_at) select blob, now() from gone where blob is not null
        on conflict (blob) do update set due_at = now())
      select 1 from gone`);
    return rows.length;
  },
});
