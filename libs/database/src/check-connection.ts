import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { readCertificates, readKeyOf } from '@switchyard/config';
import type pg from 'pg';
import { isConnectionError, sqlState } from './errors';
import { Client, PasswordFileError } from './password-file';

/** A database that does not fit this program or its settings. The message is one line for the person who starts it. */
export class DatabaseSettingsError extends Error {
  override readonly name = 'DatabaseSettingsError';
}

const certificateCode = /^(?:CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|ERR_TLS|ERR_SSL|ERR_OSSL|INVALID_CA)/;
/** The server ends TLS and says why: it is about our certificate or our lack of one. */
const alertCode = /^ERR_SSL_.*_ALERT_/;
/** A refused login, a database that does not exist, or that the role may not use. */
const refusedLogin = /^(?:28|3D|42501)/;
const protocolViolation = '08P01';

/** What `error` says of the settings, undefined when another try may help. */
function faultOf(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (sqlState(error) === protocolViolation) {
    const hint = /startup parameter/.test(message) ? '; PgBouncer needs it in ignore_startup_parameters' : '';
    return `${message}${hint}`;
  }
  if (error instanceof PasswordFileError) return message;
  if (alertCode.test(code)) return `the server does not accept the connection by TLS (sslcert): ${message}`;
  if (certificateCode.test(code)) return `the certificate of the server is not accepted: ${message}`;
  if (refusedLogin.test(sqlState(error) ?? '') || /does not support SSL/.test(message)) return message;
  return undefined;
}

/**
 * Reads what an address says of certificates, of which pg names no file that does not parse, and passes over a
 * certificate without its key.
 * @throws Error with one line that names the parameter at fault
 */
function assertCertificates(address: string): void {
  const parameters = new URLSearchParams(address.includes('?') ? address.slice(address.indexOf('?')) : '');
  const [authority, certificate, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) => parameters.get(name));
  if (authority) readCertificates('sslrootcert', authority);
  if (certificate && !key) throw new Error('sslkey: must be set when sslcert is');
  if (key && !certificate) throw new Error('sslcert: must be set when sslkey is');
  if (certificate && key)
    readKeyOf('sslkey', key, { text: readCertificates('sslcert', certificate), file: certificate });
}

/**
 * Opens a connection.
 * @param variable that holds the address, for the message of an error
 * @throws DatabaseSettingsError where the settings can never work; other errors as they come
 */
export async function connectTo(config: pg.ClientConfig, variable: string): Promise<pg.Client> {
  const refuse = (fault: string): never => {
    throw new DatabaseSettingsError(`${variable}: ${fault.replaceAll('\n', ' ')}`);
  };
  let client: pg.Client;
  try {
    assertCertificates(config.connectionString ?? '');
    client = new Client(config);
  } catch (error) {
    return refuse((error as Error).message);
  }
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const fault = faultOf(error);
    if (fault !== undefined) refuse(fault);
    throw error;
  }
  return client;
}

/** Six statements to and fro each. A busy PgBouncer kept our mark through a single one about once in seven. */
const rounds = 8;
/** Milliseconds that a round waits for sessions: where a pool has fewer than we hold, waiting on would be for ever. */
const patience = 100;

const within = (work: Promise<unknown>[]): Promise<unknown> => Promise.race([Promise.all(work), pause(patience)]);

const mark = 'switchyard.session';
const setMark = (text: string): string => `set_config('${mark}', '${text}', false)`;

/**
 * Refuses a pool in between that gives one session of the server to several clients: locks and notices of a session,
 * on which the relay and the migrations rest, would be those of anyone.
 *
 * We mark our session. Then others hold transactions and wipe the mark off what they get, while we ask for it. Which
 * session a pool gives depends on its order and on its traffic, but once another had ours, or we that of another, the
 * mark is gone for good. A session of our own keeps it, however slow the server is.
 * @throws DatabaseSettingsError
 */
export async function assertOwnSession(config: pg.ClientConfig, variable: string): Promise<void> {
  const clients: pg.Client[] = [];
  const open = async (): Promise<pg.Client> => {
    const client = await connectTo(config, variable);
    clients.push(client);
    return client;
  };
  const shared = new DatabaseSettingsError(
    `${variable}: leads to a pool that shares sessions between clients, on whose locks and notices we rest: PgBouncer needs pool_mode = session`,
  );
  const hold = (client: pg.Client): Promise<unknown> =>
    client.query(`begin; select ${setMark('')}`).catch((error) => {
      // So a pool by statement answers.
      throw sqlState(error) === protocolViolation ? shared : error;
    });
  try {
    const ours = await open();
    let others: pg.Client[] = [];
    for (const outcome of await Promise.allSettled([open(), open(), open()])) {
      if (outcome.status === 'rejected') throw outcome.reason;
      others.push(outcome.value);
    }
    const session = async (text: string): Promise<unknown> =>
      (await ours.query(`select ${text} || ' ' || pg_backend_pid() as session`)).rows[0].session;
    const marked = await session(setMark(randomUUID()));
    const askTwice = async (): Promise<void> => {
      for (let at = 0; at < 2; at += 1) {
        if ((await session(`current_setting('${mark}', true)`)) !== marked) throw shared;
      }
    };
    for (let round = 0; round < rounds; round += 1) {
      // Alone we go around by ourselves where a pool takes its sessions in turn.
      await askTwice();
      const held = others.map(hold);
      await within(held);
      const asked = askTwice();
      await within([asked]);
      const free: pg.Client[] = [];
      const ended = others.map(async (client, at) => {
        await held[at];
        await client.query('commit');
        free.push(client);
      });
      await Promise.all([asked, within(ended)]);
      // Who still waits may do so for ever: a pool by session has none left.
      others = [...free];
    }
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** True where the same settings may work later. */
export const mayWorkLater = (error: unknown): boolean =>
  !(error instanceof DatabaseSettingsError) && isConnectionError(error);
