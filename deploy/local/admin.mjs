// Commands for the operator of a running installation, in the environment it was started with:
//   npm run admin -- replay-dead-letters <consumer group> <topic>
//   npm run admin -- topics
//   npm run admin -- backup <folder>
//   npm run admin -- restore <folder>
//   npm run admin -- rotate identity-keys [<seconds>] | secret [<seconds>] | database-passwords | superuser-password
//   npm run admin -- <command of a service> …
// Services name theirs in package.json, under `switchyard.commands`; without a command all are listed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectAsSuperuser, runningPort } from '../../libs/machine/src/embedded-postgres.mjs';
import { SERVICES } from '../catalogue.mjs';
import { backup, restore } from './backup.mjs';
import { PASSWORDS_FILE, secretVariables } from './data-folder.mjs';
import { readEnvironment } from './environment.mjs';
import { LaunchFailure } from './failure.mjs';
import { createProgress } from './progress.mjs';
import { rotate } from './rotate.mjs';
import { environmentOf, LOG_DATABASE } from './services.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
try {
  const [name, ...args] = process.argv.slice(2);
  if (name === 'replay-dead-letters') await replayDeadLetters(...args);
  else if (name === 'backup' || name === 'restore') await copyInstallation(name, ...args);
  else if (name === 'rotate') await rotateRunning(...args);
  else if (name === 'topics') createRequire(import.meta.url)('../../libs/events/dist/topics-command.js');
  else process.exitCode = await runEverywhere(name, args);
} catch (error) {
  process.stderr.write(`npm run admin: ${error instanceof LaunchFailure ? error.message : error.stack}\n`);
  process.exitCode = 1;
}

/** Copies the running installation into a folder, or such a copy to where there is no installation. */
async function copyInstallation(name, folder) {
  if (!folder) throw new LaunchFailure(`${name} <folder>`);
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  await { backup, restore }[name](settings, resolve(folder), createProgress());
}

/** Changes keys or passwords of the running installation. */
async function rotateRunning(what, seconds) {
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const { data, databaseUrl, kafkaBrokers } = settings;
  assertInstallation(data);
  if (!databaseUrl) embeddedPort(data);
  const connect = async () => {
    if (!databaseUrl) return connectAsSuperuser(join(data, 'postgres'));
    const { Client } = createRequire(import.meta.url)('pg');
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    return client;
  };
  const roles = SERVICES.flatMap(({ database }) => database ?? []);
  if (!kafkaBrokers) roles.push(LOG_DATABASE);
  const encryptAgain = () => runEverywhere('rotate-secrets', []);
  await rotate({ settings, what, seconds, encryptAgain, connect, roles, progress: createProgress() });
}

/** Gives the parked events of a topic back to the group that could not take them (D6). */
async function replayDeadLetters(group, topic) {
  if (!group || !topic) throw new LaunchFailure('replay-dead-letters <consumer group> <topic>');
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const load = createRequire(import.meta.url);
  const { busVariables, parseEnvironment } = load('@switchyard/config');
  const events = load('@switchyard/events');
  const bus = events.openBus(parseEnvironment(busVariables, { ...process.env, ...busOf(settings) }), 'admin');
  try {
    const count = await events.replayDeadLetters({ bus, group, topic });
    process.stdout.write(`${count} events given back to ${group}\n`);
  } finally {
    await bus.close();
  }
}

/** Runs a command in each service that has it, one after the other; gives the highest exit code. */
async function runEverywhere(name, args) {
  const owners = SERVICES.filter(({ commands }) => Object.hasOwn(commands, name ?? ''));
  if (owners.length === 0) {
    const known = new Set(SERVICES.flatMap(({ commands }) => Object.keys(commands)));
    throw new LaunchFailure(
      `commands: ${['replay-dead-letters', 'topics', 'backup', 'restore', 'rotate', ...known].join(', ')}`,
    );
  }
  const codes = [];
  for (const service of owners) codes.push(await runOf(service, [service.commands[name], ...args]));
  return Math.max(...codes);
}

/** Runs a sub-command of a service on its database, with the bus and its secrets; gives its exit code. */
async function runOf({ name, database, keys }, args) {
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const file = join(root, 'services', name, 'dist', 'main.js');
  if (!existsSync(file)) throw new LaunchFailure('nothing is built here: run npm start first');
  const databaseUrl = databaseUrlOf(database, settings);
  const child = spawn(process.execPath, [file, ...args], {
    env: environmentOf(name, {
      ...process.env,
      ...busOf(settings),
      ...Object.fromEntries(keys.map((key) => [key.variable, join(settings.data, 'keys', key.file)])),
      ...secretVariables(settings),
      // A command prints what it finds; its log would say the same once more.
      LOG_LEVEL: 'silent',
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      DATABASE_URL: databaseUrl,
      SWITCHYARD_DATA: settings.data,
    }),
    stdio: 'inherit',
  });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle(code ?? 1));
  });
}

function busOf(settings) {
  return settings.kafkaBrokers
    ? { KAFKA_BROKERS: settings.kafkaBrokers }
    : { LOG_DATABASE_URL: databaseUrlOf(LOG_DATABASE, settings) };
}

function databaseUrlOf(database, { data, databaseUrl }) {
  assertInstallation(data);
  const url = new URL(databaseUrl ?? `postgresql://127.0.0.1:${embeddedPort(data)}`);
  url.pathname = `/${database}`;
  url.username = database;
  url.password = JSON.parse(readFileSync(join(data, PASSWORDS_FILE), 'utf8'))[database];
  return url.href;
}

function assertInstallation(data) {
  if (existsSync(join(data, PASSWORDS_FILE))) return;
  throw new LaunchFailure(`SWITCHYARD_DATA: there is no installation in ${data}`);
}

function embeddedPort(data) {
  const port = runningPort(join(data, 'postgres'));
  if (port === undefined) throw new LaunchFailure(`the installation in ${data} does not run: start it first`);
  return port;
}
