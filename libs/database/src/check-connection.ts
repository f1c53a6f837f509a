import { readCertificates } from '@switchyard/config';
import type pg from 'pg';
import { isConnectionError, sqlState } from './errors';
import { Client } from './password-file';

/** A database that does not fit this program or its settings. The message is one line for the person who starts it. */
export class DatabaseSettingsError extends Error {
  override readonly name = 'DatabaseSettingsError';
}

const certificateCode = /^(?:CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|ERR_TLS|ERR_SSL|ERR_OSSL|INVALID_CA)/;
/** A refused login, a database that does not exist. */
const refusedLogin = /^(?:28|3D)/;
const protocolViolation = '08P01';

/** What `error` says of the settings, undefined when another try may help. */
function faultOf(error: unknown): string | undefined {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (sqlState(error) === protocolViolation) {
    const hint = /startup parameter/.test(message) ? '; PgBouncer needs it in ignore_startup_parameters' : '';
    return `${message}${hint}`;
  }
  if (certificateCode.test(code)) return `the certificate of the server is not accepted: ${message}`;
  if (refusedLogin.test(sqlState(error) ?? '') || /does not support SSL/.test(message)) return message;
  return undefined;
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
  const address = config.connectionString ?? '';
  const authority = URL.canParse(address) ? new URL(address).searchParams.get('sslrootcert') : null;
  if (authority !== null) {
    try {
      readCertificates('sslrootcert', authority);
    } catch (error) {
      refuse((error as Error).message);
    }
  }
  let client: pg.Client;
  try {
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

/**
 * Refuses a pool in between that gives one session of the server to several clients: locks and notices of a session,
 * on which the relay and the migrations rest, would be those of anyone.
 * @throws DatabaseSettingsError
 */
export async function assertOwnSession(config: pg.ClientConfig, variable: string): Promise<void> {
  const clients: pg.Client[] = [];
  const backend = async (client: pg.Client | undefined): Promise<number | undefined> =>
    (await client?.query<{ pid: number }>('select pg_backend_pid() as pid'))?.rows[0]?.pid;
  try {
    for (let at = 0; at < 2; at += 1) clients.push(await connectTo(config, variable));
    const [ours, others] = clients;
    const shared = new DatabaseSettingsError(
      `${variable}: leads to a pool that shares sessions between clients, on whose locks and notices we rest: PgBouncer needs pool_mode = session`,
    );
    const before = await backend(ours);
    await others?.query('begin').catch((error) => {
      // So a pool by statement answers.
      throw sqlState(error) === protocolViolation ? shared : error;
    });
    const held = await backend(others);
    const after = await backend(ours);
    await others?.query('rollback');
    if (before === held || before !== after) throw shared;
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
  }
}

/** True where the same settings may work later. */
export const mayWorkLater = (error: unknown): boolean =>
  !(error instanceof DatabaseSettingsError) && isConnectionError(error);
