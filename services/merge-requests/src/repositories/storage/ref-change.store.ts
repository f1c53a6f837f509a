import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { appendAllToOutbox, repositoryPushed } from '@switchyard/events';
import { ofStorages } from '../../jobs';
import {
  branchOf,
  creates,
  deletes,
  type PushedOptions,
  type RefChange,
  type RefChangeSource,
  type RefUpdate,
  type Settlement,
  tagOf,
} from '../domain/ref-change';
import { defaultStorage, type Home } from '../domain/repository';
import { decideSettlement, type NewDefault, type PublishedMove } from '../domain/settlement';
import { measuredSoon } from './measured-soon';
import { protectDefault } from './protect-default';

/** Share of the timeout for notifying during which an intent is left to the process that made it: 2 s of 5. */
const graceShare = 0.4;
/** Days settled intents are kept, as long as the outbox (D6). */
const keptDays = 7;

const columns = sql`id, project_id as "projectId", ref, old_sha as before, new_sha as after, actor_id as "actorId", source, cause,
  push_options as options, created_at as "createdAt"`;

type Row = Omit<RefChange, 'cause' | 'options'> & { cause: string | null; options: PushedOptions | null };
const toChange = ({ cause, options, ...row }: Row): RefChange => ({
  ...row,
  cause: cause ?? undefined,
  options: options ?? undefined,
});

/**
 * The open intents of a push, and where the repository lies. It stays there until the transaction ends: a move waits for
 * this share of the lock of its row. The intents are locked before that: while a change waits for a move to end, no
 * reconciler takes it for abandoned.
 */
async function openOf(tx: Tx, pushId: string): Promise<{ open: RefChange[]; home: Home }> {
  const rows = await tx.query<Row & { storage: string | null; former: string | null }>(sql`
    with opened as materialized (
      select ${columns} from ref_change_intents where push_id = ${pushId}::uuid and state = 'open' order by id for update),
    home as materialized (
      select storage, former_storage from repositories where project_id = (select max("projectId") from opened) for key share)
    select opened.*, (select storage from home) as storage, (select former_storage from home) as former
    from opened order by id`);
  const { storage, former } = rows[0] ?? {};
  return {
    open: rows.map(({ storage: _storage, former: _former, ...row }) => toChange(row)),
    home: { storage: storage ?? defaultStorage, former: former ?? undefined },
  };
}

// Of two first pushes at once the one that commits later finds the other's mark.
async function adoptDefaultBranch(tx: Tx, projectId: number, newDefault: NewDefault): Promise<void> {
  const adopted = await tx.query(sql`
    update repositories set default_branch = ${newDefault.branch}, updated_at = now()
    where project_id = ${projectId} and last_pushed_at is null returning project_id`);
  if (adopted.length > 0) await protectDefault(tx, projectId, newDefault);
}

const eventOf = ({ change, facts, refCount }: PublishedMove, pushId: string, directorySequence: number) => {
  const branch = branchOf(change.ref);
  return {
    id: `repository.pushed:${change.id}`,
    payload: {
      projectId: change.projectId,
      authorId: change.actorId,
      ref: change.ref,
      refName: branch ?? tagOf(change.ref) ?? change.ref,
      refType: branch === undefined ? 'tag' : 'branch',
      action: creates(change) ? 'created' : deletes(change) ? 'removed' : 'pushed',
      before: change.before,
      after: change.after,
      commitCount: facts.commitCount,
      commitTitle: facts.commitTitle,
      source: change.source,
      occurredAt: change.createdAt,
      defaultBranch: facts.defaultBranch,
      readmePath: facts.readmePath ?? '',
      pushId,
      refCount,
      closes: [...(facts.closes ?? [])],
      directorySequence,
      since: facts.since ?? '',
    },
  };
};

/** Keeps the open intents of a push from reconcilers for a while. */
async function putOff(db: SqlExecutor, pushId: string, seconds: number): Promise<void> {
  await db.query(sql`
    update ref_change_intents set handle_at = now() + make_interval(secs => ${seconds}::double precision)
    where push_id = ${pushId}::uuid and state = 'open'`);
}

// The project's row is locked before events are appended: those of one project leave in the order of their commits.
async function record(
  tx: Tx,
  pushId: string,
  settlements: readonly Settlement[],
  newDefault: NewDefault | undefined,
  publishTimeoutSeconds: number,
): Promise<void> {
  const projectId = settlements[0]?.change.projectId;
  if (projectId === undefined) return;
  const { settledIds, movedIds, movesBranch, published } = decideSettlement(settlements);
  if (newDefault !== undefined) await adoptDefaultBranch(tx, projectId, newDefault);
  await tx.query(sql`
    with project as (
      update repositories set last_pushed_at = case when ${movesBranch} then now() else last_pushed_at end,
        measure_at = case when ${movedIds.length > 0} then ${measuredSoon} else measure_at end
      where project_id = ${projectId})
    update ref_change_intents set settled_at = now(),
      state = case when id = any(${movedIds}::bigint[]) then 'done' else 'failed' end,
      handled_at = case when source = 'internal' then now() end,
      handle_at = now() + make_interval(secs => ${publishTimeoutSeconds}::double precision)
    where id = any(${settledIds}::bigint[])`);
  const closes = published.some(({ facts }) => (facts.closes ?? []).length > 0);
  const state = closes ? await tx.one<{ sequence: number }>(sql`select sequence from directory.state`) : undefined;
  await appendAllToOutbox(
    tx,
    repositoryPushed,
    published.map((move) => eventOf(move, pushId, state?.sequence ?? 0)),
  );
}

/**
 * The table of intents: what was requested, its result, who was notified (D7).
 * @param publishTimeoutSeconds what a process has for notifying the subscribers before another one takes over. Notifying twice is harmless, and after
 *   a crash this is how long a merge request lags behind its branch
 * @param storages those whose changes this process takes over from others; undefined: all
 */
export const refChangeStore = (db: Database, publishTimeoutSeconds: number, storages?: readonly string[]) => ({
  /** Open intents, and the age of the oldest in seconds; for metrics. */
  async backlog(): Promise<{ open: number; age: number }> {
    const row = await db.one<{ open: number; age: number }>(
      named(
        'ref_change_backlog',
        sql`select count(*)::int as open, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
          from ref_change_intents where state = 'open'`,
      ),
    );
    return row ?? { open: 0, age: 0 };
  },
  /** Commits one open intent per update, in order, with the caller's transaction where one is given. */
  async open(
    request: {
      pushId: string;
      projectId: number;
      actorId: number;
      source: RefChangeSource;
      cause: string | undefined;
      options?: { readonly given: PushedOptions; readonly refs: readonly string[] } | undefined;
      updates: readonly RefUpdate[];
    },
    within?: Tx,
  ): Promise<RefChange[]> {
    const given = request.options === undefined ? null : JSON.stringify(request.options.given);
    const rows = await (within ?? db).query<Row>(
      named(
        'open_ref_changes',
        sql`insert into ref_change_intents (push_id, project_id, ref, old_sha, new_sha, actor_id, source, cause, push_options)
          select ${request.pushId}::uuid, ${request.projectId}::bigint, ref, before, after, ${request.actorId}::bigint,
            ${request.source}::text, ${request.cause ?? null}::text,
            case when ref = any(${[...(request.options?.refs ?? [])]}::text[]) then ${given}::jsonb end
          from unnest(${request.updates.map(({ ref }) => ref)}::text[], ${request.updates.map(({ before }) => before)}::text[],
            ${request.updates.map(({ after }) => after)}::text[]) with ordinality as given (ref, before, after, position)
          order by position
          returning ${columns}`,
      ),
    );
    return rows.map(toChange).sort((a, b) => a.id - b.id);
  },

  /**
   * Locks the open intents of a push, has `settle` move the refs or read them, and commits what it
   * returns together with the events and whatever `also` adds. While the lock is held no one else settles them; if the
   * process crashes, the lock ends with its connection.
   */
  settle: (
    pushId: string,
    settle: (
      open: RefChange[],
      home: Home,
    ) => Promise<{
      settlements: readonly Settlement[];
      newDefault?: NewDefault | undefined;
      /** Another process is asked to settle them at once: reconcilers let it. */
      handedOver?: boolean | undefined;
    }>,
    also?: (tx: Tx, settlements: readonly Settlement[]) => Promise<void>,
  ): Promise<readonly Settlement[]> =>
    db.transaction(
      async (tx) => {
        const { open, home } = await openOf(tx, pushId);
        const { settlements, newDefault, handedOver } = await settle(open, home);
        if (handedOver) await putOff(tx, pushId, publishTimeoutSeconds);
        await record(tx, pushId, settlements, newDefault, publishTimeoutSeconds);
        await also?.(tx, settlements);
        return settlements;
      },
      // Run again after a deadlock, `settle` would find refs that it has moved itself.
      { retries: 0 },
    ),

  /**
   * The same for a push whose process seems to have crashed; `later` reads what was asked for afterwards on the ref of
   * an intent and did not fail.
   * @returns undefined when there is no such push
   */
  async settleAbandoned(
    settle: (
      open: RefChange[],
      later: (change: RefChange) => Promise<(RefChange & { done: boolean })[]>,
      home: Home,
    ) => Promise<{ settlements: readonly Settlement[]; newDefault?: NewDefault | undefined }>,
  ): Promise<readonly Settlement[] | undefined> {
    let pushId: string | undefined;
    const work = async (tx: Tx): Promise<readonly Settlement[] | undefined> => {
      const [oldest] = await tx.query<{ pushId: string }>(sql`
          select push_id as "pushId" from ref_change_intents
          where state = 'open' and (handle_at is null or handle_at <= now()) and created_at < now() - make_interval(secs => ${publishTimeoutSeconds * graceShare}::double precision)
            and id = (select min(id) from ref_change_intents as same where same.push_id = ref_change_intents.push_id and same.state = 'open')
            ${ofStorages(sql`ref_change_intents.project_id`, storages)}
          order by id limit 1 for update skip locked`);
      if (oldest === undefined) return undefined;
      pushId = oldest.pushId;
      const later = async (change: RefChange) => {
        const rows = await tx.query<Row & { done: boolean }>(sql`
            select ${columns}, state = 'done' as done from ref_change_intents
            where project_id = ${change.projectId} and ref = ${change.ref} and id > ${change.id} and state <> 'failed' order by id`);
        return rows.map((row) => ({ ...toChange(row), done: row.done }));
      };
      const { open, home } = await openOf(tx, oldest.pushId);
      const { settlements, newDefault } = await settle(open, later, home);
      await record(tx, oldest.pushId, settlements, newDefault, publishTimeoutSeconds);
      return settlements;
    };
    try {
      return await db.transaction(work, { retries: 0 });
    } catch (error) {
      // A repository that cannot be read must not keep the reconciler from the others.
      if (pushId !== undefined) await putOff(db, pushId, publishTimeoutSeconds);
      throw error;
    }
  },

  /**
   * Claims a few moved changes whose subscribers were not all notified, oldest first; with how often that was tried.
   */
  async claimUnpublished(): Promise<(RefChange & { attempts: number })[]> {
    const rows = await db.query<Row & { attempts: number }>(sql`
      with due as materialized (
        select id as due_id from ref_change_intents where state = 'done' and handled_at is null and handle_at <= now()
          ${ofStorages(sql`ref_change_intents.project_id`, storages)}
        order by id limit 20 for update skip locked)
      update ref_change_intents set handle_at = now() + make_interval(secs => ${publishTimeoutSeconds}::double precision),
        handle_attempts = handle_attempts + 1
      from due where id = due_id
      returning ${columns}, handle_attempts as attempts`);
    return rows.map((row) => ({ ...toChange(row), attempts: row.attempts })).sort((a, b) => a.id - b.id);
  },

  /** Records that every subscriber was notified. */
  async markPublished(ids: readonly number[]): Promise<void> {
    await db.query(sql`update ref_change_intents set handled_at = now() where id = any(${ids}::bigint[])`);
  },

  /** Has the subscribers of a change notified again after `seconds`. */
  async retryPublishing(id: number, seconds: number): Promise<void> {
    await db.query(sql`
      update ref_change_intents set handle_at = now() + make_interval(secs => ${seconds}::double precision) where id = ${id}`);
  },

  /** Drops changes settled and published long ago, at most a thousand. */
  async prune(): Promise<void> {
    await db.query(sql`
      delete from ref_change_intents where id in (
        select id from ref_change_intents
        where state <> 'open' and settled_at < now() - make_interval(days => ${keptDays}::int)
          and (state = 'failed' or handled_at is not null)
        order by settled_at, id limit 1000)`);
  },
});
