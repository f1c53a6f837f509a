import { readNamedFile } from '@switchyard/config';
import pg from 'pg';
import { sqlState } from './errors';

/** Parameter of an address that names a file with the password, in place of a password in it. */
const parameter = 'password_file';

const invalidPassword = '28P01';

/** A file with a password that cannot be used; the message is one line. */
export class PasswordFileError extends Error {
  override readonly name = 'PasswordFileError';
}

/** True where the server does not know the password. */
export const isInvalidPassword = (error: unknown): boolean => sqlState(error) === invalidPassword;

/** Whether the server takes a password; true as well where it cannot be asked, which the connection itself will say. */
async function isTaken(config: pg.ClientConfig, address: URL, password: string): Promise<boolean> {
  const client = new pg.Client({ ...config, connectionString: Object.assign(new URL(address), { password }).href });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !isInvalidPassword(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function contentOf(file: string): string {
  try {
    return readNamedFile(parameter, file);
  } catch (error) {
    throw new PasswordFileError((error as Error).message, { cause: error });
  }
}

/**
 * The password of a file, which is read for each connection, so that it can change while the process runs. While it
 * changes, the file has the new one and below it the old one: the first that the server takes is used.
 */
async function passwordIn(file: string, config: pg.ClientConfig, address: URL): Promise<string> {
  const passwords = contentOf(file)
    .split('\n')
    .flatMap((line) => line.trim() || []);
  const last = passwords.pop();
  if (last === undefined) throw new PasswordFileError(`${parameter}: ${file} is empty`);
  for (const password of passwords) if (await isTaken(config, address, password)) return password;
  return last;
}

/**
 * What pg makes of these modes, without the warning of seven lines that it gives at their first use: it checks
 * certificate and name.
 */
const checkedModes = /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/;

/** A client whose address may name a file with the password: `password_file`. */
export class Client extends pg.Client {
  constructor(given?: string | pg.ClientConfig) {
    const config: pg.ClientConfig = { ...(typeof given === 'string' ? { connectionString: given } : given) };
    // With libpq's rules the modes differ, and there is no warning.
    if (!/[?&]uselibpqcompat=true/.test(config.connectionString ?? ''))
      config.connectionString = config.connectionString?.replace(checkedModes, '$1verify-full');
    super(config);
    const address = config.connectionString ?? '';
    if (!URL.canParse(address)) return;
    const url = new URL(address);
    const file = url.searchParams.get(parameter);
    if (file === null) return;
    url.searchParams.delete(parameter);
    // pg asks a function for each connection, but takes none beside an address, whose password would win.
    (this as { password?: unknown }).password = () =>
      passwordIn(file, config, url).catch((error) => {
        // pg leaves the connection open, and while the server waits for its password (a minute) no database is made or dropped.
        this.connection.stream.destroy();
        throw error;
      });
  }
}
