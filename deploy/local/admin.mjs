// Commands for the operator of a running installation, in the environment it was started with:
//   npm run admin -- replay-dead-letters <consumer group> <topic>
//   npm run admin -- verify-landings [--all]
//   npm run admin -- rebuild-activity
//   npm run admin -- rebuild-todos
//   npm run admin -- rebuild-counts
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runningPort } from '../../libs/machine/src/embedded-postgres.mjs';
import { SERVICES } from '../catalogue.mjs';
import { readEnvironment } from './environment.mjs';
import { LaunchFailure } from './failure.mjs';
import { environmentOf, LOG_DATABASE } from './services.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const commands = {
  'replay-dead-letters': replayDeadLetters,
  'verify-landings': verifyLandings,
  'rebuild-activity': () => rebuild('activity'),
  'rebuild-todos': () => rebuild('todos'),
  'rebuild-counts': rebuildCounts,
};

try {
  const [name, ...args] = process.argv.slice(2);
  const command = commands[name];
  if (!command) throw new LaunchFailure(`commands: ${Object.keys(commands).join(', ')}`);
  process.exit((await command(...args)) ?? 0);
} catch (error) {
  process.stderr.write(`npm run admin: ${error instanceof LaunchFailure ? error.message : error.stack}\n`);
  process.exit(1);
}

/** Gives the parked events of a topic back to the group that could not take them (D6). */
async function replayDeadLetters(group, topic) {
  if (!group || !topic) throw new LaunchFailure('replay-dead-letters <consumer group> <topic>');
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const events = createRequire(import.meta.url)('@switchyard/events');
  const bus = events.openBus({
    kafkaBrokers: settings.kafkaBrokers?.split(','),
    logDatabaseUrl: settings.kafkaBrokers ? undefined : logDatabaseUrl(settings),
    clientId: 'admin',
  });
  const count = await events.replayDeadLetters({ bus, group, topic });
  await bus.close();
  process.stdout.write(`${count} events given back to ${group}\n`);
}

/** Compares landings with git and their receipts (D8); the exit code is 1 when any differs. */
function verifyLandings(...args) {
  // What it logs of a landing that differs it prints as well.
  return runOf('merge-requests', 'main.js', ['verify-landings', ...args], { LOG_LEVEL: 'silent' });
}

/** Makes a projection of collaboration from the events that the bus still holds (D6), while the installation runs. */
function rebuild(projection) {
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const bus = settings.kafkaBrokers
    ? { KAFKA_BROKERS: settings.kafkaBrokers }
    : { LOG_DATABASE_URL: logDatabaseUrl(settings) };
  return runOf('collaboration', 'rebuild-command.js', [projection], bus);
}

/** Has issues and merge requests told of once more by their owners, so that they are counted (D4), while the installation runs. */
async function rebuildCounts() {
  const codes = [];
  for (const service of ['collaboration', 'merge-requests'])
    codes.push(await runOf(service, 'tell-command.js', [], {}));
  return Math.max(...codes);
}

/** Runs a program of a service on the service's database; gives its exit code. */
async function runOf(service, program, args, env) {
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const { database } = SERVICES.find(({ name }) => name === service);
  const file = join(root, 'services', service, 'dist', program);
  if (!existsSync(file)) throw new LaunchFailure('nothing is built here: run npm start first');
  const child = spawn(process.execPath, [file, ...args], {
    env: environmentOf(service, {
      ...process.env,
      ...env,
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      DATABASE_URL: databaseUrlOf(database, settings),
      SWITCHYARD_DATA: settings.data,
    }),
    stdio: 'inherit',
  });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle(code ?? 1));
  });
}

// A declaration: the command runs before the constants below it exist.
function logDatabaseUrl(settings) {
  return databaseUrlOf(LOG_DATABASE, settings);
}

function databaseUrlOf(database, { data, databaseUrl }) {
  const passwords = join(data, 'database-passwords.json');
  if (!existsSync(passwords)) throw new LaunchFailure(`SWITCHYARD_DATA: there is no installation in ${data}`);
  const url = new URL(databaseUrl ?? `postgresql://127.0.0.1:${embeddedPort(data)}`);
  url.pathname = `/${database}`;
  url.username = database;
  url.password = JSON.parse(readFileSync(passwords, 'utf8'))[database];
  return url.href;
}

function embeddedPort(data) {
  const port = runningPort(join(data, 'postgres'));
  if (port === undefined) throw new LaunchFailure(`the installation in ${data} does not run: start it first`);
  return port;
}
