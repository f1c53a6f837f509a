// Commands for the operator of a running installation, in the environment it was started with:
//   npm run admin -- replay-dead-letters <consumer group> <topic>
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runningPort } from './embedded-postgres.mjs';
import { readEnvironment } from './environment.mjs';
import { LaunchFailure } from './failure.mjs';
import { LOG_DATABASE } from './services.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const commands = { 'replay-dead-letters': replayDeadLetters };

try {
  const [name, ...args] = process.argv.slice(2);
  const command = commands[name];
  if (!command) throw new LaunchFailure(`commands: ${Object.keys(commands).join(', ')}`);
  await command(...args);
  process.exit(0);
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

function logDatabaseUrl({ data, databaseUrl }) {
  const passwords = join(data, 'database-passwords.json');
  if (!existsSync(passwords)) throw new LaunchFailure(`SWITCHYARD_DATA: there is no installation in ${data}`);
  const url = new URL(databaseUrl ?? `postgresql://127.0.0.1:${embeddedPort(data)}`);
  url.pathname = `/${LOG_DATABASE}`;
  url.username = LOG_DATABASE;
  url.password = JSON.parse(readFileSync(passwords, 'utf8'))[LOG_DATABASE];
  return url.href;
}

function embeddedPort(data) {
  const port = runningPort(join(data, 'postgres'));
  if (port === undefined) throw new LaunchFailure(`the installation in ${data} does not run: start it first`);
  return port;
}
