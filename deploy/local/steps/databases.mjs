import { createRequire } from 'node:module';
import { LaunchFailure } from '../failure.mjs';

const UNDEFINED_DATABASE = '3D000';
/** A wrong password, a role without login, one that may not connect. */
const REFUSED_LOGIN = /^(?:28...|42501)$/;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Makes sure that each database exists with a login role of the same name as its owner, and that the role's password is
 * the given one. What is there already costs one connection each. No login is tried that must fail: the server would log it.
 *
 * @param {object} options
 * @param {(database: string, user?: string, password?: string) => string} options.url of the server; administrator by default
 * @param {Record<string, string>} options.passwords role (= database) → password
 * @param {string} options.source what to blame when the server cannot be reached
 * @returns {Promise<Record<string, string>>} database → connection URL of its role
 * @throws {LaunchFailure}
 */
export async function prepareDatabases({ url, passwords, source }) {
  const administrator = await connectAsAdministrator(url, source);
  const names = Object.keys(passwords);
  const urls = Object.fromEntries(names.map((name) => [name, url(name, name, passwords[name])]));
  try {
    const { rows } = await administrator.query(
      `select datname as name from pg_database join pg_roles on rolname = datname where datname = any($1)`,
      [names],
    );
    const there = new Set(rows.map(({ name }) => name));
    const opened = await Promise.all(names.map((name) => there.has(name) && opens(urls[name])));
    for (const [at, name] of names.entries()) {
      if (!opened[at]) await create(administrator, name, passwords[name]);
    }
  } catch (error) {
    throw new LaunchFailure(`${source}: cannot create databases and roles (${error.message})`);
  } finally {
    await administrator.end();
  }
  return urls;
}

/**
 * Lets each role use the event log with its own login, and no more of its database than the log's records: the log belongs to a role
 * of its own, which migrates it.
 *
 * @param {object} options
 * @param {string} options.ownerUrl of the log's database as its owner
 * @param {readonly string[]} options.roles
 */
export async function shareEventLog({ ownerUrl, roles }) {
  const owner = await connect(ownerUrl);
  try {
    const database = owner.escapeIdentifier(decodeURIComponent(new URL(ownerUrl).pathname.slice(1)));
    const to = roles.map((role) => owner.escapeIdentifier(role)).join(', ');
    await owner.query(`
      grant connect on database ${database} to ${to};
      grant usage on schema log to ${to};
      grant select, insert, update, delete on all tables in schema log to ${to};
      revoke all on log._prisma_migrations, log._additive_migrations from ${to};
    `);
  } finally {
    await owner.end();
  }
}

async function connect(connectionString) {
  const { Client } = createRequire(import.meta.url)('pg');
  const client = new Client({ connectionString, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** Whether the login does. */
async function opens(connectionString) {
  try {
    const client = await connect(connectionString);
    await client.end();
    return true;
  } catch (error) {
    if (REFUSED_LOGIN.test(error.code)) return false;
    throw error;
  }
}

async function connectAsAdministrator(url, source) {
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
