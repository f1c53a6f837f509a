import {
  type ClauseTable,
  clausesOf,
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
import {
  type AttachedMilestone,
  milestoneJson,
  milestonesInScope,
  projectColumns,
  projectOf,
  userColumns,
  userJoin,
  userOf,
} from '@switchyard/directory';
import { invalid, notFound } from '@switchyard/errors';
import { appendToOutbox, releaseEventId, releaseEvents } from '@switchyard/events';
import {
  type ArchivedRelease,
  type Change,
  type ImportedRelease,
  type LinkPatch,
  type LinkType,
  maxLinks,
  type NewLink,
  type NewRelease,
  type Release,
  type ReleaseFilter,
  type ReleaseLink,
  type ReleasePatch,
  type ReleaseView,
  type WantedMilestones,
} from '../domain/release';

const toRelease = (row: Record<string, unknown>): Release => ({
  id: row.id as number,
  projectId: row.project_id as number,
  tag: row.tag as string,
  name: row.name as string,
  description: given(row.description),
  releasedAt: row.released_at as Date,
  createdAt: row.created_at as Date,
  updatedAt: row.updated_at as Date,
});

const toLink = (row: Record<string, unknown>): ReleaseLink => ({
  id: row.id as number,
  name: row.name as string,
  url: row.url as string,
  path: given(row.path),
  type: row.type as LinkType,
});

const linksJson = (releaseId: Sql): Sql => sql`(
  select coalesce(json_agg(json_build_object('id', li.id, 'name', li.name, 'url', li.url, 'path', li.path, 'type', li.type)
    order by li.id desc), '[]'::json)
  from release_links li where li.release_id = ${releaseId})`;

const select = sql`r.id, r.tag, r.name, r.description, r.released_at, r.created_at, r.updated_at, ${projectColumns},
  ${userColumns('author')}, ${linksJson(sql`r.id`)} as links, (
    select coalesce(json_agg(${milestoneJson(sql`m.id`)} order by m.due_date nulls last, m.id), '[]'::json)
    from release_milestones rm join directory.milestones m on m.id = rm.milestone_id and m.deleted_at is null
    where rm.release_id = r.id) as milestones`;
const from = sql`releases r join directory.projects p on p.id = r.project_id
  join directory.namespaces n on n.id = p.namespace_id ${userJoin('author', sql`r.author_id`)}`;

const toView = (row: Record<string, unknown>): ReleaseView => ({
  release: toRelease(row),
  project: projectOf(row)!,
  author: userOf(row, 'author'),
  milestones: row.milestones as AttachedMilestone[],
  links: (row.links as Record<string, unknown>[]).map(toLink),
});

const orderBy = (name: string, expression: Sql): OrderColumn[] => [
  { name, expression, type: 'timestamptz' },
  { name: 'id', expression: sql`r.id`, type: 'bigint' },
];
const orders: Record<string, OrderColumn[]> = {
  released_at: orderBy('released_at', sql`r.released_at`),
  created_at: orderBy('created_at', sql`r.created_at`),
};

const clauses: ClauseTable<ReleaseFilter> = {
  updatedAfter: (date) => sql`r.updated_at > ${date}`,
  updatedBefore: (date) => sql`r.updated_at < ${date}`,
};

const linkOrders: Record<string, OrderColumn[]> = { id: [{ name: 'id', expression: sql`li.id`, type: 'bigint' }] };

type Fact = NonNullable<Parameters<typeof releaseEventId>[0]>;

/** Publishes what happened to the release of this id, which the transaction has locked. */
async function publish(tx: Tx, id: number, fact: Fact, { actorId, now }: Change): Promise<void> {
  const row = await tx.one<Record<string, unknown> & { version: number; links: Record<string, unknown>[] }>(sql`
    select r.*, ${linksJson(sql`r.id`)} as links, (select sequence from directory.state) as sequence
    from releases r where r.id = ${id}`);
  const { projectId, tag, name, description, createdAt, releasedAt } = toRelease(row!);
  await appendToOutbox(
    tx,
    releaseEvents,
    {
      release: {
        id,
        projectId,
        tag,
        name,
        description: description ?? '',
        createdAt,
        releasedAt,
        links: row!.links.map(toLink).map(({ type, path: _, ...link }) => ({ ...link, linkType: type })),
      },
      actorId,
      occurredAt: now,
      directorySequence: (row!.sequence as number | null) ?? 0,
      fact: { $case: fact, value: {} },
    },
    { id: releaseEventId(fact, id, fact === 'updated' ? row!.version : 1) },
  );
}

const insertLinks = (tx: Pick<Tx, 'query'>, releaseId: number, links: readonly NewLink[]) =>
  tx.query<Record<string, unknown>>(sql`
    insert into release_links (release_id, name, url, path, type)
    select ${releaseId}, name, url, nullif(path, ''), type
    from unnest(${links.map(({ name }) => name)}::text[], ${links.map(({ url }) => url)}::text[],
      ${links.map(({ path }) => path ?? '')}::text[], ${links.map(({ type }) => type)}::text[])
      with ordinality as given (name, url, path, type, place)
    order by place returning *`);

const setMilestones = (tx: Pick<Tx, 'query'>, releaseId: number, ids: readonly number[]) =>
  tx.query(sql`
    insert into release_milestones (release_id, milestone_id)
    select ${releaseId}, id from unnest(${[...ids]}::bigint[]) id`);

/** Says which field another link of the release has. */
async function once<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    for (const [index, field] of [
      ['release_links_name', 'name'],
      ['release_links_url', 'url'],
      ['release_links_path', 'filepath'],
    ] as const) {
      if (isUniqueViolation(error, index)) throw invalid({ [field]: ['has already been taken'] });
    }
    throw error;
  }
}

const lock = (tx: Pick<Tx, 'one'>, projectId: number, tag: string): Promise<{ id: number } | undefined> =>
  tx.one(sql`select id from releases where project_id = ${projectId} and tag = ${tag} for no key update`);

/** The tables of releases. */
export function releaseStore(db: Database) {
  const one = async (where: Sql): Promise<ReleaseView | undefined> => {
    const row = await db.one(sql`select ${select} from ${from} where ${where}`);
    return row && toView(row);
  };
  const linkWhere = (projectId: number, tag: string, linkId: number): Sql => sql`li.id = ${linkId} and li.release_id = (
    select id from releases where project_id = ${projectId} and tag = ${tag})`;

  return {
    async list(
      projectId: number,
      filter: ReleaseFilter,
      request: PageRequest,
    ): Promise<{ rows: ReleaseView[]; page: PageInfo }> {
      const { rows, page } = await listPage({
        db,
        name: 'list_releases',
        select,
        from,
        where: [sql`r.project_id = ${projectId}`, ...clausesOf(clauses, filter, undefined)],
        orders,
        request,
        count: true,
        countFrom: sql`releases r`,
      });
      return { rows: rows.map(toView), page };
    },

    find: (projectId: number, tag: string): Promise<ReleaseView | undefined> =>
      one(sql`r.project_id = ${projectId} and r.tag = ${tag}`),

    latest: (projectId: number, now: Date): Promise<ReleaseView | undefined> =>
      one(sql`r.project_id = ${projectId} and r.released_at <= ${now} order by r.released_at desc, r.id desc limit 1`),

    milestones: (projectId: number, wanted: WantedMilestones): Promise<{ id: number; title: string }[]> =>
      milestonesInScope(db, projectId, wanted),

    add: (
      { projectId, tag, name, description, authorId, releasedAt, milestoneIds, links }: NewRelease,
      change: Change,
    ): Promise<boolean> =>
      db.transaction(async (tx) => {
        const row = await tx.one<{ id: number }>(sql`
          insert into releases (project_id, tag, name, description, author_id, released_at, created_at, updated_at)
          values (${projectId}, ${tag}, ${name}, ${description || null}, ${authorId}, ${releasedAt}, ${change.now}, ${change.now})
          on conflict (project_id, tag) do nothing returning id`);
        if (row === undefined) return false;
        await setMilestones(tx, row.id, milestoneIds);
        await insertLinks(tx, row.id, links);
        await publish(tx, row.id, 'created', change);
        return true;
      }),

    // Without an event: mails and webhooks are for what is released now (D6).
    async bringIn(projectId: number, releases: readonly ImportedRelease[]): Promise<number> {
      const column = <T>(read: (release: ImportedRelease) => T): T[] => releases.map(read);
      const tags = column(({ tag }) => tag);
      await db.query(sql`
        insert into releases (project_id, tag, name, description, author_id, released_at, created_at, updated_at)
        select ${projectId}::bigint, tag, name, nullif(description, ''), author, released_at, created_at, created_at
        from unnest(${tags}::text[], ${column(({ name }) => name)}::text[], ${column(({ description }) => description)}::text[],
          ${column(({ authorId }) => authorId)}::bigint[], ${column(({ releasedAt }) => releasedAt)}::timestamptz[],
          ${column(({ createdAt }) => createdAt)}::timestamptz[])
          as given (tag, name, description, author, released_at, created_at)
        order by created_at on conflict (project_id, tag) do nothing`);
      const row = await db.one<{ count: number }>(sql`
        select count(*)::int as count from releases where project_id = ${projectId} and tag = any(${tags}::text[])`);
      return row?.count ?? 0;
    },

    /** Adds releases as they were, without events; those of tags that have one stay away. */
    restore: (given: readonly (ArchivedRelease & Pick<NewRelease, 'milestoneIds'>)[]): Promise<void> =>
      db.transaction(async (tx) => {
        for (const one of given) {
          const row = await tx.one<{ id: number }>(sql`
            insert into releases (project_id, tag, name, description, author_id, released_at, created_at, updated_at)
            values (${one.projectId}, ${one.tag}, ${one.name}, ${one.description ?? null}, ${one.authorId}, ${one.releasedAt},
              ${one.createdAt}, ${one.updatedAt})
            on conflict (project_id, tag) do nothing returning id`);
          if (row === undefined) continue;
          await setMilestones(tx, row.id, one.milestoneIds);
          await insertLinks(tx, row.id, one.links);
        }
      }),

    change: (
      projectId: number,
      tag: string,
      { name, description, releasedAt, milestoneIds }: ReleasePatch,
      change: Change,
    ): Promise<boolean> =>
      db.transaction(async (tx) => {
        const row = await tx.one<{ id: number }>(sql`
          update releases set name = coalesce(${name ?? null}::text, name),
            description = ${description === undefined ? sql`description` : sql`${description || null}::text`},
            released_at = coalesce(${releasedAt ?? null}::timestamptz, released_at), version = version + 1,
            updated_at = ${change.now}
          where project_id = ${projectId} and tag = ${tag} returning id`);
        if (row === undefined) return false;
        if (milestoneIds !== undefined) {
          await tx.query(sql`delete from release_milestones where release_id = ${row.id}`);
          await setMilestones(tx, row.id, milestoneIds);
        }
        await publish(tx, row.id, 'updated', change);
        return true;
      }),

    remove: (
      projectId: number,
      tag: string,
      { unmodifiedSince, ...change }: Change & { readonly unmodifiedSince?: Date | undefined },
    ): Promise<boolean> =>
      db.transaction(async (tx) => {
        const found = await lock(tx, projectId, tag);
        if (found === undefined) return false;
        await requireUnmodified(tx, 'releases', found.id, unmodifiedSince);
        await publish(tx, found.id, 'deleted', change);
        await tx.query(sql`delete from releases where id = ${found.id}`);
        return true;
      }),

    async listLinks(
      projectId: number,
      tag: string,
      request: PageRequest,
    ): Promise<{ rows: ReleaseLink[]; page: PageInfo } | undefined> {
      const release = await db.one<{ id: number }>(
        sql`select id from releases where project_id = ${projectId} and tag = ${tag}`,
      );
      if (release === undefined) return undefined;
      const { rows, page } = await listPage({
        db,
        name: 'list_release_links',
        select: sql`li.*`,
        from: sql`release_links li`,
        where: [sql`li.release_id = ${release.id}`],
        orders: linkOrders,
        request,
        count: true,
      });
      return { rows: rows.map(toLink), page };
    },

    async findLink(projectId: number, tag: string, linkId: number): Promise<ReleaseLink | undefined> {
      const row = await db.one(sql`select li.* from release_links li where ${linkWhere(projectId, tag, linkId)}`);
      return row && toLink(row);
    },

    addLink: (projectId: number, tag: string, link: NewLink): Promise<ReleaseLink> =>
      once(() =>
        db.transaction(async (tx) => {
          const release = await lock(tx, projectId, tag);
          if (release === undefined) throw notFound();
          const there = await tx.one<{ count: number }>(
            sql`select count(*)::int as count from release_links where release_id = ${release.id}`,
          );
          if (there!.count >= maxLinks) throw invalid({ links: [`are too many (maximum is ${maxLinks})`] });
          const [row] = await insertLinks(tx, release.id, [link]);
          return toLink(row!);
        }),
      ),

    changeLink: (
      projectId: number,
      tag: string,
      linkId: number,
      { name, url, path, type }: LinkPatch,
      now: Date,
    ): Promise<ReleaseLink> =>
      once(async () => {
        const row = await db.one(sql`
          update release_links li set name = coalesce(${name ?? null}::text, name), url = coalesce(${url ?? null}::text, url),
            path = ${path === undefined ? sql`path` : sql`${path || null}::text`},
            type = coalesce(${type ?? null}::text, type), updated_at = ${now}
          where ${linkWhere(projectId, tag, linkId)} returning *`);
        if (row === undefined) throw notFound();
        return toLink(row);
      }),

    removeLink: (
      projectId: number,
      tag: string,
      linkId: number,
      unmodifiedSince: Date | undefined,
    ): Promise<ReleaseLink> =>
      db.transaction(async (tx) => {
        const row = await tx.one(
          sql`select li.* from release_links li where ${linkWhere(projectId, tag, linkId)} for update`,
        );
        if (row === undefined) throw notFound();
        await requireUnmodified(tx, 'release_links', linkId, unmodifiedSince);
        await tx.query(sql`delete from release_links where id = ${linkId}`);
        return toLink(row);
      }),
  };
}

/** The descriptions of the releases of tags, by their names: one statement; tags without a release are left out. */
export const releaseNotesOf =
  (db: Database) =>
  async (projectId: number, tags: readonly string[]): Promise<Map<string, string>> => {
    if (tags.length === 0) return new Map();
    const rows = await db.query<{ tag: string; description: string | null }>(
      sql`select tag, description from releases where project_id = ${projectId} and tag = any(${[...tags]}::text[])`,
    );
    return new Map(rows.map(({ tag, description }) => [tag, description ?? '']));
  };
