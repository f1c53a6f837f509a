import { AsyncResource } from 'node:async_hooks';
import { Mutex } from 'async-mutex';
import pg from 'pg';
import { beginCommit, isWriting, refuseLateWrite } from './call-guard';
import { databaseError, isStalePlan, sqlState } from './errors';
import { measureStatements } from './metrics';
import { type Notices, openNotices } from './notices';
import { Client, isInvalidPassword } from './password-file';
import { retrying } from './retrying';
import { ServerWatch } from './server-watch';
import { isPrepared, nameOf, prepareAgain, preparedName, type Sql } from './statement';
import { beginStatement } from './statements';

/** What can run a statement: a `Database`, a `Tx`, or a Prisma transaction (see `fromPrisma`). */
export interface SqlExecutor {
  /** Rows of the statement. int8 arrives as number, timestamptz as Date. */
  query<T = Record<string, unknown>>(query: Sql): Promise<T[]>;
}

/** A running transaction. */
export interface Tx extends SqlExecutor {
  /** First row, undefined when there is none. */
  one<T = Record<string, unknown>>(query: Sql): Promise<T | undefined>;
  /** Runs `callback` once the transaction has committed; never when it is rolled back. */
  afterCommit(callback: () => void): void;
  /** Sends a notice (`Database.notices`) once the transaction has committed; never when it is rolled back. */
  notify(channel: string, payload?: string): void;
}

export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

export interface TransactionOptions {
  /** Default `read committed`. */
  isolation?: Isolation;
  /**
   * How often the whole function is run again after a deadlock or serialization failure; default 5 (some 0.6 s), then
   * `unavailable`.
   */
  retries?: number;
}

/** One service's database. Failures to reach it are AppErrors of kind `unavailable`. */
export interface Database extends SqlExecutor {
  readonly pool: pg.Pool;
  /** Wake-ups between the processes that use this database. */
  readonly notices: Notices;
  /** First row, undefined when there is none. */
  one<T = Record<string, unknown>>(query: Sql): Promise<T | undefined>;
  /**
   * Runs `work` in one transaction. After a deadlock, serialization failure or stale plan `work` runs again from its
   * start (bounded), so it must not have effects outside the transaction. A connection lost during COMMIT gives
   * `unavailable`: the outcome is then unknown.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Ends the pool after the statements under way. Safe to call twice. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** postgres:// address; its parameter `password_file` names a file with the password, which may change. */
  url: string;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Connections at most; default 10. */
  poolSize?: number;
  /** Milliseconds after which the server cancels a statement; default 15,000. */
  statementTimeout?: number;
  /** Milliseconds to wait for a connection, new or from the pool, before `unavailable`; default 5,000. */
  connectTimeout?: number;
}

const int8 = 20;
const int8Array = 1016;

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit in a JavaScript number`);
  return value;
}

const parseInt8Array = (pg.types.getTypeParser as (oid: number) => unknown)(int8Array) as (
  text: string,
) => (string | null)[];

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === int8) return safeInteger;
    if (oid === int8Array) {
      return (text: string) => parseInt8Array(text).map((item) => (item === null ? undefined : safeInteger(item)));
    }
    return pg.types.getTypeParser(oid, format as 'text');
  },
};

type QueryArguments = [config: unknown, values?: unknown, callback?: unknown];

type Answered = (error: unknown, result?: { readonly command?: string }) => void;

// Counting, noting of writes and the watch sit in the client, where statements of this lib and of Prisma's adapter both pass.
class CountingClient extends Client {
  readonly #watch: ServerWatch;
  #inTransaction = false;
  #writes = false;

  constructor(config: pg.ClientConfig, watch: ServerWatch) {
    super(config);
    this.#watch = watch;
  }

  /** Whether a statement commits writes, by itself or those before it. */
  #commits(text: string): boolean {
    const [, word] = /^\s*(begin|start|commit|rollback(?!\s+to\b))\b/i.exec(text) ?? [];
    if (word === undefined) {
      if (!isWriting(text)) return false;
      this.#writes = this.#inTransaction;
      return !this.#inTransaction;
    }
    const commits = this.#writes && /commit/i.test(word);
    this.#inTransaction = /begin|start/i.test(word);
    this.#writes = false;
    return commits;
  }

  override query(...given: never): never {
    const args = given as unknown as QueryArguments;
    const [config] = args;
    const text = typeof config === 'string' ? config : ((config as { text?: string } | undefined)?.text ?? '');
    const { label, name } = (config ?? {}) as { label?: string; name?: string };
    const end = beginStatement(label ?? name, text);
    const committed = this.#commits(text) ? beginCommit() : undefined;
    const run = super.query as unknown as (...passed: unknown[]) => unknown;
    const arrived = this.#watch.wait((error) => this.connection.stream.destroy(error));
    const answered: Answered = (error, result) => {
      arrived?.(!error || sqlState(error) !== undefined);
      end?.(Boolean(error));
      // PostgreSQL answers the COMMIT of a transaction in which a statement failed with ROLLBACK.
      committed?.(error ? { failure: error } : result?.command === 'ROLLBACK' ? 'rolled back' : 'committed');
    };
    const last = args.length - 1;
    const callback = args[last];
    if (typeof callback === 'function') {
      args[last] = (error: unknown, result: { readonly command?: string }) => {
        answered(error, result);
        callback(error, result);
      };
      return run.apply(this, args) as never;
    }
    const answer = run.apply(this, args);
    // Noted before whoever awaits the answer goes on.
    if (answer instanceof Promise) {
      answer.then(
        (result) => answered(undefined, result),
        (error) => answered(error ?? true),
      );
    } else arrived?.(false);
    return answer as never;
  }
}

type PoolCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done?: (release?: unknown) => void,
) => void;

// pg-pool answers a waiting caller from inside the release of another; without the binding a statement would be counted
// for that other request. A password may change between its reading and its use: it is read once more.
class BoundPool extends pg.Pool {
  readonly #watch: ServerWatch;

  constructor(config: pg.PoolConfig) {
    const watch = new ServerWatch(config);
    class WatchedClient extends CountingClient {
      constructor(given: pg.ClientConfig = {}) {
        super(given, watch);
      }
    }
    super({ ...config, Client: WatchedClient });
    this.#watch = watch;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: PoolCallback): void;
  override connect(callback?: PoolCallback): Promise<pg.PoolClient> | undefined {
    if (callback === undefined)
      return new Promise((settle, fail) =>
        this.connect((error, client) => (client === undefined ? fail(error) : settle(client))),
      );
    // `AsyncResource.bind` makes a function with properties for each call, which costs as much as a small statement.
    const caller = new AsyncResource('pool');
    let isAnswered = false;
    const answer: PoolCallback = (error, client, done) => {
      // The connection came after its caller had been failed.
      if (isAnswered) return done?.();
      isAnswered = true;
      // An idle connection is no sign of life.
      arrived?.(false);
      caller.runInAsyncScope(callback, undefined, error, client, done);
    };
    const arrived = this.#watch.wait((error) => process.nextTick(answer, error));
    if (arrived !== undefined)
      super.connect((error, client, done) => {
        if (isInvalidPassword(error)) super.connect(answer);
        else answer(error, client, done);
      });
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: () => void): void;
  override end(callback?: () => void): Promise<void> | undefined {
    const ended = super.end().finally(() => this.#watch.close());
    if (callback === undefined) return ended;
    ended.then(callback, callback);
    return undefined;
  }
}

/** Settings of a pool as this lib opens it, for a client of another kind that needs one of its own. */
export function poolConfig(options: DatabaseOptions): pg.PoolConfig {
  const statementTimeout = options.statementTimeout ?? 15_000;
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.poolSize ?? 10,
    connectionTimeoutMillis: options.connectTimeout ?? 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeout,
    // A server that accepts but no longer answers: give up a little after it should have cancelled by itself.
    query_timeout: statementTimeout + 5_000,
    // A process frozen inside a transaction must not hold its locks for ever.
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    // Connections that hold a lock may be silent for hours, and a network in between forgets them sooner.
    keepAliveInitialDelayMillis: 30_000,
    options: '-c timezone=UTC -c datestyle=ISO',
    types,
  };
}

/** A pool that counts its statements (see `countStatements`) and never throws from an idle connection. */
export function openPool(options: DatabaseOptions): pg.Pool {
  measureStatements();
  const pool = new BoundPool(poolConfig(options));
  // A connection that dies while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  return pool;
}

async function run<T>(
  client: { query(config: pg.QueryConfig): Promise<{ rows: unknown[] }> },
  query: Sql,
): Promise<T[]> {
  const text = query.text;
  const name = nameOf(query);
  const prepared = isPrepared(query) ? preparedName(name, text) : undefined;
  const config = { name: prepared, label: name, text, values: query.values };
  try {
    const { rows } = await client.query(config as pg.QueryConfig);
    return rows as T[];
  } catch (error) {
    if (prepared !== undefined && isStalePlan(error)) prepareAgain(text, prepared);
    throw error;
  }
}

/** One statement outside a transaction: it has done nothing where its plan was stale. */
async function runAlone<T>(pool: pg.Pool, query: Sql): Promise<T[]> {
  if (isWriting(query.text)) refuseLateWrite();
  return run<T>(pool, query)
    .catch((error) => {
      if (isStalePlan(error)) return run<T>(pool, query);
      throw error;
    })
    .catch((error) => {
      throw databaseError(error);
    });
}

const isolationClause: Record<Isolation, string> = {
  'read committed': 'begin',
  'repeatable read': 'begin isolation level repeatable read',
  serializable: 'begin isolation level serializable',
};

/** Opens a service's database. Nothing is connected until the first statement. */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = openPool(options);
  const notices = openNotices(poolConfig(options), pool);
  let closing: Promise<void> | undefined;

  async function attempt<T>(work: (tx: Tx) => Promise<T>, isolation: Isolation): Promise<T> {
    const client = await pool.connect();
    // A connection lost between two statements is reported here as well as by the next statement.
    const lost = () => undefined;
    client.on('error', lost);
    let broken: Error | undefined;
    const callbacks: (() => void)[] = [];
    // Statements sent concurrently run one after the other, the end of the transaction last: pg no longer queues them.
    const mutex = new Mutex();
    let writes = false;
    const inTurn = <R>(query: Sql): Promise<R[]> => {
      writes ||= isWriting(query.text);
      return mutex.runExclusive(() => run<R>(client, query));
    };
    const tx: Tx = {
      query: inTurn,
      one: async <R>(query: Sql) => (await inTurn<R>(query))[0],
      afterCommit: (callback) => callbacks.push(callback),
      notify: (channel, payload) => callbacks.push(() => notices.notify(channel, payload)),
    };
    let result: T;
    try {
      await client.query(isolationClause[isolation]);
      try {
        result = await work(tx);
        if (writes) refuseLateWrite();
      } catch (error) {
        await mutex
          .runExclusive(() => client.query('rollback'))
          .catch((failure: Error) => {
            broken = failure;
          });
        throw error;
      }
      const { command } = await mutex
        .runExclusive(() => client.query('commit'))
        .catch((failure: Error) => {
          broken = failure;
          throw failure;
        });
      // PostgreSQL answers the COMMIT of a transaction that a caught error has aborted with ROLLBACK.
      if (command !== 'COMMIT')
        throw new Error('the transaction was rolled back: a failed statement was not passed on');
    } catch (error) {
      if (callbacks.length > 0) callbacks.length = 0;
      throw error;
    } finally {
      client.off('error', lost);
      client.release(broken);
    }
    for (const callback of callbacks) callback();
    return result;
  }

  return {
    pool,
    notices,
    query: <T>(query: Sql) => runAlone<T>(pool, query),
    one: async <T>(query: Sql) => (await runAlone<T>(pool, query))[0],
    transaction: (work, { isolation = 'read committed', retries } = {}) =>
      retrying(() => attempt(work, isolation), retries),
    close() {
      closing ??= notices.close().then(() => pool.end());
      return closing;
    },
  };
}
