import { createRequire } from 'node:module';
import { LaunchFailure } from '../failure.mjs';

const UNDEFINED_DATABASE = '3D000';
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes sure that each database exists with a login role of the same name as its owner, and that the role's password is
 * the given one. What is there already costs one connection each.
 *
 * @param {object} options
 * @param {(database: string, user?: string, password?: string) => string} options.url of the server; administrator by default
 * @param {Record<string, string>} options.passwords role (= database) → password
 * @param {string} options.source what to blame when the server cannot be reached
 * @returns {Promise<Record<string, string>>} database → connection URL of its role
 * @throws {LaunchFailure}
 */
export async function prepareDatabases({ url, passwords, source }) {
  const { Client } = createRequire(import.meta.url)('pg');
  const connect = async (connectionString) => {
    const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on('error', () => {});
    await client.connect();
    return client;
  };
  const urls = Object.fromEntries(
    Object.entries(passwords).map(([name, password]) => [name, url(name, name, password)]),
  );
  const missing = [];
  await Promise.all(
    Object.keys(passwords).map(async (name) => {
      try {
        const client = await connect(urls[name]);
        await client.end();
      } catch {
        missing.push(name);
      }
    }),
  );
  if (missing.length === 0) return urls;
  const administrator = await connectAsAdministrator(connect, url, source);
  try {
    for (const name of missing) await create(administrator, name, passwords[name]);
  } catch (error) {
    throw new LaunchFailure(`${source}: cannot create databases and roles (${error.message})`);
  } finally {
    await administrator.end();
  }
  return urls;
}

async function connectAsAdministrator(connect, url, source) {
  try {
    return await connect(url('postgres'));
  } catch (error) {
    if (error.code !== UNDEFINED_DATABASE) throw new LaunchFailure(`${source}: ${error.message || error.code}`);
  }
  try {
    return await connect(url('template1'));
  } catch (error) {
    throw new LaunchFailure(`${source}: ${error.message || error.code}`);
  }
}

async function create(client, name, password) {
  const role = client.escapeIdentifier(name);
  const has = async (sql) => (await client.query(sql, [name])).rowCount === 1;
  const roleExists = await has('select 1 from pg_roles where rolname = $1');
  await client.query(
    `${roleExists ? 'alter' : 'create'} role ${role} login password ${client.escapeLiteral(password)}`,
  );
  if (await has('select 1 from pg_database where datname = $1')) return;
  // Without being a superuser, only a member of a role may give it a database.
  await client.query(`grant ${role} to current_user`);
  await client.query(`create database ${role} owner ${role} template template0 encoding 'UTF8'`);
  await client.query(`revoke all on database ${role} from public`);
}
