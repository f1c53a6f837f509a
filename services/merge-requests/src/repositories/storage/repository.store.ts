import { type Database, type SqlExecutor, sqlState } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import { appendToOutbox, repositoryCopied } from '@switchyard/events';
import { enqueueJobs } from '../../jobs';
import { instanceProtection } from '../domain/default-protection';
import type {
  Committer,
  Home,
  MoveOutcome,
  PlacedProject,
  RepositoryCopy,
  RepositoryProject,
} from '../domain/repository';
import { measuredSoon } from './measured-soon';
import { protectDefault } from './protect-default';

interface ProjectRow
  extends Omit<
    RepositoryProject,
    'wantedDefault' | 'storedDefault' | 'defaultProtection' | 'origin' | 'storage' | 'formerStorage'
  > {
  storage: string | null;
  formerStorage: string | null;
  originId: number | null;
  originBranch: string | null;
  wantedDefault: string | null;
  storedDefault: string | null;
  /** Of the group; null where it says nothing, and for the namespaces of users. */
  protection: RepositoryProject['defaultProtection'] | null;
}

interface HomeRow {
  storage: string;
  former: string | null;
}

const toHome = ({ storage, former }: HomeRow): Home => ({ storage, former: former ?? undefined });

async function homeOf(tx: SqlExecutor, projectId: number): Promise<Home | undefined> {
  const [row] = await tx.query<HomeRow>(
    named(
      'repository_home',
      sql`select storage, former_storage as former from repositories where project_id = ${projectId}`,
    ),
  );
  return row && toHome(row);
}

/** SQLSTATE of a lock that was not to be had within `lock_timeout`. */
const lockNotAvailable = '55P03';

async function settledHomeOf(tx: SqlExecutor, projectId: number): Promise<Home | undefined> {
  const [row] = await tx.query<HomeRow>(sql`
    select storage, former_storage as former from repositories where project_id = ${projectId} for key share`);
  return row && toHome(row);
}

/** Forks of forks that are looked through for one that has a storage. */
const maxOrigins = 100;

/** Rows one statement of a purge deletes. */
const purgedAtOnce = 500;

/** The table of repositories, and what the directory contains of their projects and of users who commit. */
export const repositoryStore = (db: Database) => ({
  /** A project that is alive; undefined for an unknown or deleted one. */
  async find(projectId: number): Promise<RepositoryProject | undefined> {
    const row = await db.one<ProjectRow>(
      named(
        'repository_project',
        sql`select p.id, p.name, n.full_path || '/' || p.path as "fullPath", p.archived,
            p.initialize_with_readme as "initializeWithReadme", coalesce(p.creator_id, 0) as "creatorId",
            p.default_branch as "wantedDefault", r.default_branch as "storedDefault",
            coalesce(r.state = 'created', false) as created, r.last_pushed_at is not null as pushed,
            n.default_branch_protection as protection, p.repository_origin_id as "originId",
            p.repository_origin_branch as "originBranch", r.storage, r.former_storage as "formerStorage"
          from directory.projects p
          join directory.namespaces n on n.id = p.namespace_id
          left join repositories r on r.project_id = p.id
          where p.id = ${projectId} and p.deleted_at is null and not p.deleting`,
      ),
    );
    if (row === undefined) return undefined;
    const { wantedDefault, storedDefault, protection, originId, originBranch, storage, formerStorage, ...project } =
      row;
    return {
      ...project,
      wantedDefault: wantedDefault ?? undefined,
      storedDefault: storedDefault ?? undefined,
      defaultProtection: protection ?? instanceProtection,
      storage: storage ?? undefined,
      formerStorage: formerStorage ?? undefined,
      origin: originId === null ? undefined : { projectId: originId, branch: originBranch ?? undefined },
    };
  },

  /** True for a project that is marked for deletion and not gone: it may be restored. */
  async isMarked(projectId: number): Promise<boolean> {
    const rows = await db.query(
      sql`select 1 from directory.projects where id = ${projectId} and deleting and deleted_at is null`,
    );
    return rows.length > 0;
  },

  /**
   * Makes the row of a repository about to be made on disk, before which `setAside` runs; keeps the one that is there.
   * @returns the storage that it is made in
   */
  add: (
    projectId: number,
    { defaultBranch, storage }: { readonly defaultBranch: string; readonly storage: string },
    setAside: () => Promise<void>,
  ): Promise<string> =>
    db.transaction(async (tx) => {
      const added = await tx.one(sql`
        insert into repositories (project_id, default_branch, storage) values (${projectId}, ${defaultBranch}, ${storage})
        on conflict (project_id) do nothing returning project_id`);
      // Another first touch waits for this row, so it cannot have made what is moved.
      if (added !== undefined) {
        await setAside();
        return storage;
      }
      return (await homeOf(tx, projectId))?.storage ?? storage;
    }),

  /**
   * For each of these projects the nearest of it and those that it is to be copied from that has a storage; without one,
   * the first of them. One statement.
   */
  async nearestPlaced(projectIds: readonly number[]): Promise<Map<number, PlacedProject>> {
    const rows = await db.query<{ wanted: number; id: number; storage: string | null }>(
      named(
        'nearest_placed',
        sql`with recursive line as (
            select given.id as wanted, given.id, r.storage, 0 as depth
            from unnest(${[...projectIds]}::bigint[]) given (id) left join repositories r on r.project_id = given.id
            union all
            select line.wanted, p.repository_origin_id, r.storage, line.depth + 1
            from line join directory.projects p on p.id = line.id
            left join repositories r on r.project_id = p.repository_origin_id
            where line.storage is null and p.repository_origin_id is not null and line.depth < ${maxOrigins}::int)
          select distinct on (wanted) wanted, id, storage from line order by wanted, depth desc`,
      ),
    );
    return new Map(rows.map(({ wanted, id, storage }) => [wanted, { id, storage: storage ?? undefined }]));
  },

  /** Where a repository lies; undefined before the first touch. */
  home: (projectId: number): Promise<Home | undefined> => homeOf(db, projectId),

  /** The same once a move that is about to end has ended: the move holds the row's lock. */
  settledHome: (projectId: number, within: SqlExecutor = db): Promise<Home | undefined> =>
    settledHomeOf(within, projectId),

  /** Those of these projects whose rows name other storages than this, or that are deleted and have no row. */
  async elsewhere(storage: string, projectIds: readonly number[]): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select given.id from unnest(${[...projectIds]}::bigint[]) given (id)
      left join repositories r on r.project_id = given.id
      left join directory.projects p on p.id = given.id
      where r.storage <> ${storage} and r.former_storage is distinct from ${storage}
        or r.project_id is null and p.deleted_at is not null
      order by given.id`);
    return rows.map(({ id }) => id);
  },

  /** Runs `work` while a project's row does not name a storage, and cannot; not at all where it does. */
  whileElsewhere: (
    projectId: number,
    storage: string,
    work: (home: Home | undefined) => Promise<void>,
  ): Promise<void> =>
    db.transaction(async (tx) => {
      const home = await settledHomeOf(tx, projectId);
      if (home?.storage !== storage && home?.former !== storage) await work(home);
    }),

  /**
   * Runs `write` while the repositories of a project lie where `home` says, and has them measured soon; a move to another
   * storage waits for this share of the lock of the row. @throws AppError not_found once the project was purged
   */
  whileAtHome: <T>(projectId: number, write: (home: Home) => Promise<T>): Promise<T> =>
    db.transaction(
      async (tx) => {
        const home = await settledHomeOf(tx, projectId);
        if (home === undefined) throw notFound('Project');
        const written = await write(home);
        await tx.query(sql`
          update repositories set measure_at = ${measuredSoon} where project_id = ${projectId}`);
        return written;
      },
      // Run again after a deadlock, `write` would find refs that it has moved itself.
      { retries: 0 },
    ),

  /** A storage that some repository lies in and that is not among these. */
  async otherStorage(names: readonly string[]): Promise<string | undefined> {
    const row = await db.one<{ storage: string }>(sql`
      select storage from repositories where storage <> all(${[...names]}::text[]) limit 1`);
    return row?.storage;
  },

  /** See `VolumeEdges.volumes`. */
  noteVolume: (storage: string, name: () => Promise<string>): Promise<string> =>
    db.transaction(async (tx) => {
      // Those who start at the same time come one after the other.
      await tx.query(sql`lock table storage_volumes in share row exclusive mode`);
      const known = await tx.one<{ volume: string }>(
        sql`select volume from storage_volumes where storage = ${storage}`,
      );
      if (known !== undefined) return known.volume;
      const volume = await name();
      await tx.query(sql`insert into storage_volumes (storage, volume) values (${storage}, ${volume})`);
      return volume;
    }),

  /** Some projects whose repositories are whole and lie in a storage, at most a hundred. */
  async someIn(storage: string): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select r.project_id as id from repositories r join directory.projects p on p.id = r.project_id
      where r.storage = ${storage} and r.state = 'created' and p.deleted_at is null limit 100`);
    return rows.map(({ id }) => id);
  },

  /** Id of a project by its id or its path with namespaces. */
  async projectAt(written: string): Promise<number | undefined> {
    const row = await db.one<{ id: number }>(sql`
      select p.id from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.deleted_at is null
        and (p.id::text = ${written} or lower(n.full_path || '/' || p.path) = lower(${written}))`);
    return row?.id;
  },

  /**
   * Names another storage for a repository, once `place` has put it there. No ref moves meanwhile: whoever moves one
   * holds a share of the row's lock. The former copy is removed by a job.
   */
  move: async (
    projectId: number,
    { from, to, keptSeconds }: { readonly from: string; readonly to: string; readonly keptSeconds: number },
    place: () => Promise<void>,
  ): Promise<MoveOutcome> => {
    let isLocked = false;
    const moving = db.transaction<MoveOutcome>(
      async (tx) => {
        // New shares of the lock are given past who waits for all of it, so waiting for long is no better than often.
        await tx.query(sql`set local lock_timeout = '2s'`);
        const row = await tx.one(sql`
          select 1 from repositories
          where project_id = ${projectId} and storage = ${from} and former_storage is null for update`);
        if (row === undefined) return 'changed';
        isLocked = true;
        await place();
        await tx.query(sql`
          update repositories set storage = ${to}, former_storage = ${from}, updated_at = now()
          where project_id = ${projectId}`);
        await enqueueJobs(tx, [{ kind: 'remove_former_copy', projectId }], keptSeconds);
        return 'moved';
      },
      { retries: 0 },
    );
    return moving.catch((error) => {
      if (!isLocked && sqlState(error) === lockNotAvailable) return 'busy';
      throw error;
    });
  },

  /** Notes that the former copy is gone. */
  async forgetFormer(projectId: number, former: string): Promise<void> {
    await db.query(sql`
      update repositories set former_storage = null where project_id = ${projectId} and former_storage = ${former}`);
  },

  /** Notes that the repository is whole. */
  async markCreated(projectId: number): Promise<void> {
    await db.query(
      sql`update repositories set state = 'created', updated_at = now() where project_id = ${projectId} and state <> 'created'`,
    );
  },

  /**
   * Notes that the repository of a fork is whole, with the protection of its default branch and the event; once,
   * however often it is called. A copy counts as pushed, so that a first push makes no other branch the default.
   */
  markCopied: (projectId: number, copy: RepositoryCopy): Promise<void> =>
    db.transaction(async (tx) => {
      const isCopied = copy.kind === 'copied' && copy.protects !== undefined;
      const renamed = copy.kind === 'copied' ? copy.defaultBranch : undefined;
      const marked = await tx.one(sql`
        update repositories set state = 'created', updated_at = now(),
          default_branch = coalesce(${renamed?.name ?? null}::text, default_branch),
          last_pushed_at = case when ${isCopied} then now() end, measure_at = now()
        where project_id = ${projectId} and state <> 'created' returning project_id`);
      if (marked === undefined) return;
      if (copy.kind === 'copied' && copy.protects !== undefined) await protectDefault(tx, projectId, copy.protects);
      const error = copy.kind === 'failed' ? copy.error : '';
      const readmePath = copy.kind === 'copied' ? (copy.readmePath ?? '') : '';
      await appendToOutbox(
        tx,
        repositoryCopied,
        {
          ...{ projectId, error, readmePath, occurredAt: new Date() },
          ...{ defaultBranch: renamed?.name ?? '', missingBranch: renamed?.missing ?? '' },
        },
        { id: `repository.copied:${projectId}` },
      );
    }),

  /** Changes the default branch, unless the repository has been moved from the storage where HEAD names it. */
  async setDefaultBranch(projectId: number, branch: string, storage: string): Promise<void> {
    await db.query(sql`
      update repositories set default_branch = ${branch}, updated_at = now()
      where project_id = ${projectId} and storage = ${storage}`);
  },

  /** Name and commit address of a user; the service itself for 0 and for the unknown. */
  async committer(userId: number): Promise<Committer> {
    const row = await db.one<{ id: number; name: string; email: string | null }>(
      named(
        'committer',
        sql`select id, name, coalesce(commit_email, email, username || '@users.noreply.localhost') as email
          from directory.users where id = ${userId}`,
      ),
    );
    return { id: userId, name: row?.name ?? 'Switchyard', email: row?.email ?? 'switchyard@localhost' };
  },

  /** Forks that wait for their first contents until this project is there, and itself if it does; at most `limit`. */
  async waitingForks(tx: SqlExecutor, projectId: number, limit: number): Promise<number[]> {
    const rows = await tx.query<{ id: number }>(sql`
      select p.id from directory.projects p left join repositories r on r.project_id = p.id
      where (p.repository_origin_id = ${projectId} or p.id = ${projectId} and p.repository_origin_id is not null)
        and p.deleted_at is null and coalesce(r.state, '') <> 'created'
      order by p.id limit ${limit}`);
    return rows.map(({ id }) => id);
  },

  /** Projects whose tombstone lies in the directory and whose repository is still in one of these storages, at most a hundred. */
  async deletedProjects(storages: readonly string[]): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select r.project_id as id from repositories r join directory.projects p on p.id = r.project_id
      where p.deleted_at is not null and r.storage = any(${[...storages]}::text[]) order by r.project_id limit 100`);
    return rows.map(({ id }) => id);
  },

  /**
   * Drops deployments, environments, merge requests, pipelines and receipts in batches, then rules, ref changes and the row of a repository that
   * is no longer on disk.
   */
  async purge(projectId: number): Promise<void> {
    for (const table of [
      sql`deployments`,
      sql`environments`,
      sql`merge_requests`,
      sql`pipelines`,
      sql`landing_receipts`,
    ]) {
      const batch = sql`delete from ${table} where id in (
        select id from ${table} where project_id = ${projectId} order by id limit ${purgedAtOnce}) returning id`;
      while ((await db.query(batch)).length > 0);
    }
    await db.transaction(async (tx) => {
      await tx.query(sql`delete from merge_trains where project_id = ${projectId}`);
      await tx.query(sql`delete from iid_counters where project_id = ${projectId}`);
      await tx.query(sql`delete from protected_branches where project_id = ${projectId}`);
      await tx.query(sql`delete from protected_tags where project_id = ${projectId}`);
      await tx.query(sql`delete from ref_change_intents where project_id = ${projectId}`);
      await tx.query(sql`delete from repositories where project_id = ${projectId}`);
    });
  },
});
