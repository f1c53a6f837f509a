import { createHash } from 'node:crypto';
import {
  assertMigrated,
  mayWorkLater,
  type OpenNotices,
  openNotices,
  openPool,
  poolConfig,
} from '@switchyard/database';
import { logger } from '@switchyard/telemetry';
import { Mutex } from 'async-mutex';
import type pg from 'pg';
import type { PoolClient } from 'pg';
import { backoff, WakeablePause } from './backoff';
import type { BusRecord, EventBus, ReceivedRecord, RecordHandler, Subscription } from './bus';

export interface EmbeddedLogOptions {
  /** postgres:// address of the log's own database, `logMigrations` applied. */
  url: string;
  clientId?: string;
  /** Milliseconds a record is kept; default 7 days. Dead letters are kept four times as long. */
  retention?: number;
  /** Milliseconds between two prunings; default one hour. */
  pruneEvery?: number;
}

/**
 * Records of one key share a partition; partitions are received concurrently. Fixed: another number would break the
 * order of keys.
 */
const partitionCount = 8;
/** Records that a group fetches from a partition at a time. */
const fetchSize = 100;
/** Rows of one INSERT; more are split, in order. */
const publishSize = 1_000;
/** First half of the two-number advisory lock; the second is the group. */
const groupLock = 72707372;
const pruneLock = 72707373;
/** Its notices name the topic that has new records. */
const channel = 'switchyard_log';
/** Milliseconds between two polls for records whose notice was lost. */
const pollInterval = 5_000;
const standbyInterval = 500;
/** Of all groups of a process: one each would cost 14 ms of CPU and 2 MiB a group, at every start of a service with 40 groups. */
const groupConnections = 4;
const pruneBatch = 5_000;

const partitionOf = (key: string): number => createHash('md5').update(key).digest().readUInt32BE(0) % partitionCount;

const publishStatement = `
  with given as (
    select topic, partition, key, headers, body, position,
      row_number() over (partition by topic, partition order by position) as rank,
      count(*) over (partition by topic, partition) as total
    from unnest($1::text[], $2::int[], $3::text[], $4::text[], $5::text[])
      with ordinality as given (topic, partition, key, headers, body, position)
  ),
  allotted as (
    insert into log.partitions (topic, partition, next_offset)
    select distinct topic, partition, total from given order by topic, partition
    on conflict (topic, partition) do update set next_offset = partitions.next_offset + excluded.next_offset
    returning topic, partition, next_offset
  )
  insert into log.records (topic, partition, "offset", key, headers, body)
  select topic, partition, next_offset - total + rank - 1, key, headers::json, body
  from given join allotted using (topic, partition)`;

/** Records past the given positions, of partitions that are not busy. */
const fetchStatement = `
  select r.topic, r.partition, r."offset", r.key, r.headers, r.body
  from log.partitions p
  left join unnest($2::text[], $3::int[], $4::bigint[]) as at (topic, partition, next_offset) using (topic, partition)
  cross join lateral (
    select * from log.records r
    where r.topic = p.topic and r.partition = p.partition and r."offset" >= coalesce(at.next_offset, 0)
    order by r."offset" limit ${fetchSize}
  ) r
  where p.topic = any($1::text[]) and p.next_offset > coalesce(at.next_offset, 0) and coalesce(at.next_offset, 0) >= 0
  order by r.topic, r.partition, r."offset"`;

const commitStatement = `
  insert into log.group_offsets (consumer_group, topic, partition, next_offset) values ($1, $2, $3, $4)
  on conflict (consumer_group, topic, partition) do update set next_offset = excluded.next_offset`;

interface RecordRow {
  topic: string;
  partition: number;
  offset: number;
  key: string;
  headers: Record<string, string>;
  body: string;
}

/** Where a partition ends: the offset of its next record. */
interface PartitionEnd {
  topic: string;
  partition: number;
  next_offset: number;
}

const positionKey = (topic: string, partition: number): string => `${partition} ${topic}`;

const toReceived = ({ offset, ...row }: RecordRow): ReceivedRecord => ({ ...row, offset: String(offset) });

async function committedOffsets(
  connection: GroupConnection,
  group: string,
  topics: readonly string[],
): Promise<Map<string, number>> {
  // Also for partitions without records: pruning keeps what a known group has yet to receive.
  await connection.query(
    'log_join',
    `insert into log.group_offsets (consumer_group, topic, partition, next_offset)
    select $1, topic, partition, 0 from unnest($2::text[]) as topic, generate_series(0, $3::int - 1) as partition
    on conflict do nothing`,
    [group, topics, partitionCount],
  );
  const rows = await connection.query<PartitionEnd>(
    'log_positions',
    'select topic, partition, next_offset from log.group_offsets where consumer_group = $1 and topic = any($2)',
    [group, topics],
  );
  return new Map(rows.map((row) => [positionKey(row.topic, row.partition), row.next_offset]));
}

/**
 * One connection that several groups of this process share: it holds their locks, and runs their statements one after the other.
 * Once it is lost, every statement fails.
 */
class GroupConnection {
  readonly #client: PoolClient;
  readonly #mutex = new Mutex();
  readonly #held = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(client: PoolClient) {
    this.#client = client;
    client.on('error', this.end);
  }

  get ended(): boolean {
    return this.#ended;
  }

  query<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return this.#mutex.runExclusive(async () => {
      if (this.#ended) throw new Error('the event log was lost');
      return (await this.#client.query<Row>({ name, text, values })).rows;
    });
  }

  /** Takes the lock of `group`; false while another member holds it, of this process or another. */
  async lock(group: string): Promise<boolean> {
    // Within one session PostgreSQL grants a lock any number of times.
    if (this.#held.has(group)) return false;
    this.#held.add(group);
    try {
      const [row] = await this.query<{ locked: boolean }>(
        'log_lock',
        'select pg_try_advisory_lock($1, hashtext($2)) as locked',
        [groupLock, group],
      );
      if (!row?.locked) this.#held.delete(group);
      return row?.locked === true;
    } catch (error) {
      // The lock may have been granted all the same: only the end of its session frees it.
      this.end(error as Error);
      throw error;
    }
  }

  /** Gives up the lock of `group`; the connection ends where that fails, and with it the lock. */
  async unlock(group: string): Promise<void> {
    try {
      await this.query('log_unlock', 'select pg_advisory_unlock($1, hashtext($2))', [groupLock, group]);
      this.#held.delete(group);
    } catch (error) {
      this.end(error as Error);
    }
  }

  /** Calls `wake` when the connection ends, until the function that is returned is called. */
  onEnd(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  /** Gives the connection back to its pool; with an error it is closed, and its groups look for another. */
  readonly end = (error?: Error): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#client.off('error', this.end);
    this.#client.release(error);
    for (const wake of this.#waiting) wake();
  };
}

/** Opens the connection of some groups when one asks, and another when it has ended. */
class GroupConnections {
  readonly #pool: pg.Pool;
  #opening: Promise<GroupConnection> | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async open(): Promise<GroupConnection> {
    for (;;) {
      this.#opening ??= this.#pool.connect().then((client) => new GroupConnection(client));
      const opening = this.#opening;
      const connection = await opening.catch((error: unknown) => {
        if (this.#opening === opening) this.#opening = undefined;
        throw error;
      });
      if (!connection.ended) return connection;
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  /** After all members have closed. */
  async close(): Promise<void> {
    const connection = await this.#opening?.catch(() => undefined);
    connection?.end();
  }
}

/** The member of one group in this process: the active consumer of the group, or on standby. */
class GroupMember {
  readonly #connections: GroupConnections;
  readonly #group: string;
  readonly topics: readonly string[];
  readonly #handler: RecordHandler;
  readonly #pause = new WakeablePause();
  readonly #unlisten: () => void;
  readonly #running: Promise<void>;
  /** Offset of the next record per partition, while this member is the active one. */
  #positions: Map<string, number> | undefined;
  #closing = false;

  constructor(
    connections: GroupConnections,
    notices: OpenNotices,
    group: string,
    topics: readonly string[],
    handler: RecordHandler,
  ) {
    this.#connections = connections;
    this.#group = group;
    this.topics = topics;
    this.#handler = handler;
    this.#unlisten = notices.listen(channel, (topic) => {
      if (this.#positions !== undefined && (topic === undefined || topics.includes(topic))) this.#pause.wake();
    });
    this.#running = this.#run();
  }

  /** True while this member receives the group's records. */
  get active(): boolean {
    return this.#positions !== undefined;
  }

  /** Has the active member fetch when a partition ends behind its position. */
  wakeIfBehind(ends: readonly PartitionEnd[]): void {
    const positions = this.#positions;
    if (positions === undefined) return;
    const isBehind = ({ topic, partition, next_offset }: PartitionEnd): boolean =>
      this.topics.includes(topic) && next_offset > (positions.get(positionKey(topic, partition)) ?? 0);
    if (ends.some(isBehind)) this.#pause.wake();
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#unlisten();
    this.#pause.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing) {
      let forget: (() => void) | undefined;
      try {
        const connection = await this.#connections.open();
        forget = connection.onEnd(() => this.#pause.wake());
        const locked = await connection.lock(this.#group);
        failures = 0;
        if (locked) await this.#consumeLocked(connection);
      } catch (error) {
        if (failures === 0 && !this.#closing)
          logger.warn({ err: error, group: this.#group }, 'the event log cannot be read');
        failures += 1;
      } finally {
        forget?.();
      }
      if (!this.#closing) await this.#pause.sleep(failures > 0 ? backoff(failures) : standbyInterval);
    }
  }

  async #consumeLocked(connection: GroupConnection): Promise<void> {
    try {
      const positions = await committedOffsets(connection, this.#group, this.topics);
      this.#positions = positions;
      await this.#consume(connection, positions);
    } finally {
      this.#positions = undefined;
      await connection.unlock(this.#group);
    }
  }

  /** Receives until closed, or until the connection that holds the group's lock fails. */
  async #consume(client: GroupConnection, positions: Map<string, number>): Promise<void> {
    const busy = new Map<string, Promise<void>>();
    let failure: unknown;
    try {
      while (!this.#closing && failure === undefined) {
        const batches = await this.#fetch(client, positions, busy);
        for (const [at, records] of batches) {
          const work = this.#receive(client, at, records, positions)
            .catch((error: unknown) => {
              failure ??= error;
            })
            .finally(() => {
              busy.delete(at);
              this.#pause.wake();
            });
          busy.set(at, work);
        }
        await this.#pause.sleep();
      }
    } finally {
      // The lock is released only after all work of this member has ended, so that two members never work on one
      // partition.
      const closing = this.#closing;
      if (!closing) failure ??= new Error('the event log was lost');
      await Promise.all(busy.values());
    }
    if (failure !== undefined) throw failure;
  }

  async #fetch(
    client: GroupConnection,
    positions: Map<string, number>,
    busy: Map<string, unknown>,
  ): Promise<Map<string, RecordRow[]>> {
    const topics: string[] = [];
    const partitions: number[] = [];
    const offsets: number[] = [];
    for (const at of new Set([...positions.keys(), ...busy.keys()])) {
      const space = at.indexOf(' ');
      partitions.push(Number(at.slice(0, space)));
      topics.push(at.slice(space + 1));
      // -1 leaves the partition out.
      offsets.push(busy.has(at) ? -1 : (positions.get(at) ?? 0));
    }
    const rows = await client.query<RecordRow>('log_fetch', fetchStatement, [this.topics, topics, partitions, offsets]);
    const batches = new Map<string, RecordRow[]>();
    for (const row of rows) {
      const at = positionKey(row.topic, row.partition);
      const batch = batches.get(at);
      if (batch) batch.push(row);
      else batches.set(at, [row]);
    }
    return batches;
  }

  async #receive(
    client: GroupConnection,
    at: string,
    records: RecordRow[],
    positions: Map<string, number>,
  ): Promise<void> {
    let received: RecordRow | undefined;
    let failures = 0;
    const remember = async () => {
      if (received === undefined) return;
      const next = received.offset + 1;
      await client.query('log_commit', commitStatement, [this.#group, received.topic, received.partition, next]);
      positions.set(at, next);
      received = undefined;
    };
    for (const record of records) {
      while (received !== record && !this.#closing) {
        try {
          await this.#handler(toReceived(record));
          received = record;
          failures = 0;
        } catch (error) {
          if (failures === 0) {
            await remember();
            logger.warn(
              { err: error, group: this.#group, topic: record.topic, offset: record.offset },
              'event will be delivered again',
            );
          }
          failures += 1;
          await new Promise((settle) => setTimeout(settle, backoff(failures - 1, 50, 2_000)));
          // Fails when this member has lost the group.
          await client.query('log_alive', 'select 1', []);
        }
      }
      if (this.#closing) break;
    }
    await remember();
  }
}

/**
 * The bus of one machine: a partitioned log in a PostgreSQL database of its own (D6). Order per key, committed offsets,
 * one active consumer per group, with the others on standby.
 */
export function embeddedLog({
  url,
  clientId = 'switchyard',
  retention = 7 * 86_400_000,
  pruneEvery = 3_600_000,
}: EmbeddedLogOptions): EventBus {
  const pool = openPool({ url, applicationName: `${clientId} events`, poolSize: 4 });
  // Publishing must not wait for a connection that groups keep for as long as they consume.
  const groupPool = openPool({ url, applicationName: `${clientId} event groups`, poolSize: groupConnections });
  const connections = Array.from({ length: groupConnections }, () => new GroupConnections(groupPool));
  let subscriptions = 0;
  const notices = openNotices(poolConfig({ url, applicationName: `${clientId} event notices` }), pool);
  const members = new Set<GroupMember>();
  let closed: Promise<void> | undefined;
  async function insert(records: BusRecord[]): Promise<void> {
    await pool.query({
      name: 'log_publish',
      text: publishStatement,
      values: [
        records.map((record) => record.topic),
        records.map((record) => partitionOf(record.key)),
        records.map((record) => record.key),
        records.map((record) => JSON.stringify(record.headers)),
        records.map((record) => record.body),
      ],
    });
  }

  async function prune(): Promise<void> {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
        pruneLock,
      ]);
      if (!rows[0]?.locked) return;
      for (let deleted = pruneBatch; deleted === pruneBatch && !closed; ) {
        // A record that a known group has yet to receive stays, however old: a service may have been stopped for a
        // week.
        const { rowCount } = await client.query(
          `delete from log.records r where ctid in (
            select r.ctid from log.records r
            where r.created_at < now() - $1 * interval '1 millisecond'
              and (r.topic not like '%.dead-letter' or r.created_at < now() - 4 * $1 * interval '1 millisecond')
              and not exists (
                select from log.group_offsets g
                where g.topic = r.topic and g.partition = r.partition and g.next_offset <= r."offset"
                  and r.topic not like '%.dead-letter')
            limit $2)`,
          [retention, pruneBatch],
        );
        deleted = rowCount ?? 0;
      }
      await client.query('select pg_advisory_unlock($1)', [pruneLock]);
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** One poll for all groups of this process. */
  async function wakeMembersBehind(): Promise<void> {
    const active = [...members].filter((member) => member.active);
    if (active.length === 0) return;
    const { rows } = await pool.query<PartitionEnd>({
      name: 'log_ends',
      text: 'select topic, partition, next_offset from log.partitions where topic = any($1::text[])',
      values: [[...new Set(active.flatMap(({ topics }) => topics))]],
    });
    for (const member of active) member.wakeIfBehind(rows);
  }

  const polling = setInterval(() => {
    wakeMembersBehind().catch((error) => logger.debug({ err: error }, 'the ends of the event log cannot be read'));
  }, pollInterval);
  polling.unref();
  const pruning = setInterval(() => {
    prune().catch((error) => logger.warn({ err: error }, 'the event log could not be pruned'));
  }, pruneEvery);
  pruning.unref();

  return {
    async check() {
      // The connection alone: the role of a service does not read which migrations the owner of the log has applied.
      await assertMigrated({ url, variable: 'LOG_DATABASE_URL', sets: [], within: 0 }).catch((error) => {
        if (!mayWorkLater(error)) throw error;
      });
    },

    async publish(records) {
      if (records.length === 0) return;
      for (let start = 0; start < records.length; start += publishSize) {
        await insert(records.slice(start, start + publishSize));
      }
      // After the commit: NOTIFY inside the transaction of the records would take a lock that all commits share.
      for (const topic of new Set(records.map((record) => record.topic))) notices.notify(channel, topic);
    },

    async subscribe({ group, topics, handler }): Promise<Subscription> {
      const shared = connections[subscriptions++ % groupConnections] as GroupConnections;
      const member = new GroupMember(shared, notices, group, topics, handler);
      members.add(member);
      return {
        async close() {
          members.delete(member);
          await member.close();
        },
      };
    },

    async drain({ group, topic, handler }) {
      const connection = new GroupConnection(await pool.connect());
      try {
        await connection.query('log_wait', 'select pg_advisory_lock($1, hashtext($2))', [groupLock, group]);
        const ends = await connection.query<{ partition: number; next_offset: number }>(
          'log_topic_ends',
          'select partition, next_offset from log.partitions where topic = $1 order by partition',
          [topic],
        );
        const positions = await committedOffsets(connection, group, [topic]);
        let delivered = 0;
        for (const { partition, next_offset: end } of ends) {
          let next = positions.get(positionKey(topic, partition)) ?? 0;
          while (next < end) {
            const rows = await connection.query<RecordRow>(
              'log_range',
              `select topic, partition, "offset", key, headers, body from log.records
              where topic = $1 and partition = $2 and "offset" >= $3 and "offset" < $4 order by "offset" limit ${fetchSize}`,
              [topic, partition, next, end],
            );
            for (const row of rows) await handler(toReceived(row));
            delivered += rows.length;
            const last = rows.at(-1);
            next = last === undefined ? end : last.offset + 1;
            await connection.query('log_commit', commitStatement, [group, topic, partition, next]);
          }
        }
        await connection.unlock(group);
        connection.end();
        return delivered;
      } catch (error) {
        connection.end(error as Error);
        throw error;
      }
    },

    async lag({ group, topics }) {
      const { rows } = await pool.query<{ waiting: number }>({
        name: 'log_lag',
        text: `select coalesce(sum(p.next_offset - coalesce(g.next_offset, 0)), 0)::bigint as waiting
          from log.partitions p
          left join log.group_offsets g on g.consumer_group = $1 and g.topic = p.topic and g.partition = p.partition
          where p.topic = any($2::text[])`,
        values: [group, topics],
      });
      return rows[0]?.waiting ?? 0;
    },

    close() {
      closed ??= (async () => {
        clearInterval(polling);
        clearInterval(pruning);
        await Promise.all([...members].map((member) => member.close()));
        await notices.close();
        await Promise.all(connections.map((shared) => shared.close()));
        await Promise.all([pool.end(), groupPool.end()]);
      })();
      return closed;
    },
  };
}
