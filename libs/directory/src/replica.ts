import { setTimeout as pause } from 'node:timers/promises';
import { type Database, sqlState, type Tx } from '@switchyard/database';
import { raw, sql } from '@switchyard/database/sql';
import { AppError, isAppError, unavailable } from '@switchyard/errors';
import type { DirectoryServiceService, ReadChangesResponse } from '@switchyard/protos/groups_admin/v1/directory';
import type { CallOptions, RpcClient } from '@switchyard/rpc';
import { directoryFormat } from './directory-format';
import { tables, writeRows } from './rows';
import { knownFormat, type ReplicaState, readState } from './state';

/** The owner of the directory, as the replica reads it. */
export type DirectoryClient = Pick<RpcClient<typeof DirectoryServiceService>, 'readChanges' | 'snapshot'>;

/** Changes one pull applies in one transaction at most. */
const batchSize = 1_000;

/** Milliseconds a whole snapshot may take. */
const snapshotTimeout = 600_000;

/** Advisory lock under which one process of a service rebuilds. */
const rebuildLock = 72707374;

/**
 * Every list queries the directory for what may be seen. Fifty rows, autovacuum's own threshold, are more than a small
 * installation ever changes, and with the statistics of an empty directory a page of to-dos takes 19 ms in place of 2.
 */
const analyzedSoon = 'autovacuum_analyze_threshold = 5, autovacuum_analyze_scale_factor = 0.05';

/** Tries to get the tables for the swap, 100 ms each and 50 ms apart. */
const swapTries = 200;

const staging = 'directory_next';

/** The replica has no way forward by changes: it has to be read again. */
const gone = (): AppError => new AppError('gone');

/** Least format of some changes, of the owner that delivered them, and of what is stored of them here. */
const formatOf = ({ changes, format }: ReadChangesResponse): number =>
  changes.reduce((least, { row }) => Math.min(least, row?.format ?? 0), Math.min(format, directoryFormat));

/**
 * Reads the changes after `from` and applies them in one transaction, unless another process sharing the database was
 * faster.
 * @returns the sequence of the replica, as committed, and the format that the owner writes now
 * @throws AppError gone when it must be rebuilt
 */
export async function pullChanges(
  db: Database,
  client: DirectoryClient,
  from: ReplicaState,
  waitMs: number,
  call: CallOptions,
): Promise<{ state: ReplicaState; offered: number }> {
  const response = await client.readChanges({ after: from.sequence, limit: batchSize, waitMs }, call);
  const offered = response.format;
  const to = lastSequence(response, from.sequence);
  if (to === undefined) return { state: from, offered };
  const state = await db.transaction(async (tx) => {
    const [moved] = await tx.query<ReplicaState>(sql`
      update directory.state set sequence = ${to}, format = least(${knownFormat}, ${formatOf(response)}::int),
        format_sequence = ${to}, format_generation = generation
      where sequence = ${from.sequence} and generation = ${from.generation} returning sequence, generation, format`);
    if (moved === undefined) return readState(tx);
    await writeRows(tx, 'directory', response.changes);
    return moved;
  });
  return { state, offered };
}

/**
 * Last sequence of a reply, undefined when it holds no change. A gap, or a head behind us, means that the reply does
 * not continue our copy.
 */
function lastSequence({ changes, head }: ReadChangesResponse, after: number): number | undefined {
  if (head < after) throw gone();
  changes.forEach((change, at) => {
    if (change.sequence !== after + 1 + at) throw gone();
  });
  return changes.at(-1)?.sequence;
}

/**
 * Reads everything again: a snapshot at S into fresh tables, the changes after S, then the swap, all in one
 * transaction, so that a crash at any point leaves the old replica whole and nothing else. Readers go on with the old
 * tables until the swap.
 * @param from where the caller stood; when another process has rebuilt since, nothing is done
 * @param least format that the snapshot must have
 * @returns the sequence of the replica, as committed
 * @throws AppError unavailable when an older owner replied, which other replicas of it may do while it is upgraded
 */
export function rebuildReplica(
  db: Database,
  client: DirectoryClient,
  from: ReplicaState,
  least: number,
  call: () => CallOptions,
): Promise<ReplicaState> {
  return db.transaction(
    async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${rebuildLock})`);
      const found = await readState(tx);
      if (found.generation !== from.generation) return found;
      await tx.query(raw(`create schema ${staging}`));
      for (const table of Object.values(tables)) {
        await tx.query(raw(`create table ${staging}.${table} (like directory.${table} including all)`));
        await tx.query(raw(`alter table ${staging}.${table} set (${analyzedSoon})`));
      }
      let reached = await readSnapshot(tx, client, least, { ...call(), timeoutMs: snapshotTimeout });
      reached = await catchUp(tx, client, reached, call);
      // Fresh tables have no statistics, and the first queries must not wait for autovacuum to be planned well.
      for (const table of Object.values(tables)) await tx.query(raw(`analyze ${staging}.${table}`));
      await lockForSwap(tx);
      // Followers are locked out now. What they applied while the snapshot was read must not be lost; if it lies beyond
      // the head, the owner has lost history and its state wins.
      const live = await readState(tx);
      if (live.sequence > reached.sequence) reached = await catchUp(tx, client, reached, call);
      for (const table of Object.values(tables)) {
        await tx.query(raw(`drop table directory.${table}`));
        await tx.query(raw(`alter table ${staging}.${table} set schema directory`));
      }
      await tx.query(raw(`drop schema ${staging}`));
      const { sequence, format } = reached;
      const generation = found.generation + 1;
      await tx.query(sql`
        update directory.state
        set sequence = ${sequence}, generation = ${generation}, format = ${format}::int,
          format_sequence = ${sequence}, format_generation = ${generation}, refill = false`);
      return { sequence, generation, format };
    },
    { retries: 0 },
  );
}

/** Where a rebuild stands. */
type Reached = Pick<ReplicaState, 'sequence' | 'format'>;

async function readSnapshot(tx: Tx, client: DirectoryClient, least: number, call: CallOptions): Promise<Reached> {
  for await (const batch of client.snapshot({}, call)) {
    if (call.signal?.aborted) throw unavailable('the replica is being closed');
    const { sequence, format } = batch;
    if (format < least) throw unavailable(`the snapshot has format ${format} and not ${least}`);
    await writeRows(
      tx,
      staging,
      batch.rows.map((row) => ({ row, deleted: false })),
    );
    if (batch.last) return { sequence, format: Math.min(format, directoryFormat) };
  }
  throw unavailable('the snapshot ended early');
}

async function catchUp(tx: Tx, client: DirectoryClient, after: Reached, call: () => CallOptions): Promise<Reached> {
  for (let { sequence, format } = after; ; ) {
    const response = await client.readChanges({ after: sequence, limit: batchSize, waitMs: 0 }, call());
    const to = lastSequence(response, sequence);
    if (to === undefined) return { sequence, format };
    await writeRows(tx, staging, response.changes);
    [sequence, format] = [to, Math.min(format, formatOf(response))];
  }
}

/**
 * Takes the state row and every table for itself. A reader that holds one table and wants another could deadlock with
 * us; waiting less than the server's deadlock_timeout makes us the one to step back, and keeps readers from queueing
 * behind us.
 */
async function lockForSwap(tx: Tx): Promise<void> {
  const names = raw(['state', ...Object.values(tables)].map((table) => `directory.${table}`).join(', '));
  await tx.query(sql`set local lock_timeout = '100ms'`);
  for (let tried = 1; ; tried += 1) {
    await tx.query(sql`savepoint swap`);
    try {
      await tx.query(sql`lock table ${names} in access exclusive mode`);
      return;
    } catch (error) {
      const state = sqlState(error);
      if (tried >= swapTries || (state !== '55P03' && state !== '40P01')) throw error;
      await tx.query(sql`rollback to savepoint swap`);
      await pause(50);
    }
  }
}

/** True when only a rebuild helps. */
export const needsRebuild = (error: unknown): boolean => isAppError(error, 'gone');
