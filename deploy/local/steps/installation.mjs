import { createRequire } from 'node:module';
import { join } from 'node:path';
import { SERVICES } from '../../catalogue.mjs';
import { CommandFailure, run as runCommand } from '../commands.mjs';
import {
  databasePasswordsOf,
  keysOf,
  rootTokenOf,
  secretsOf,
  secretVariables,
  writePasswordFile,
} from '../data-folder.mjs';
import { LaunchFailure } from '../failure.mjs';
import { LOG_DATABASE } from '../services.mjs';
import { prepareDatabases, shareEventLog } from './databases.mjs';
import { serviceEnvironment } from './services.mjs';

/** The program of a service. */
export const mainOf = (root, { name }) => join(root, 'services', name, 'dist', 'main.js');

/**
 * Prepares what the processes of an installation are started with: databases with their roles, keys and passwords; and applies the migrations.
 *
 * @param {object} options
 * @param {string} options.root the clone
 * @param {import('../environment.mjs').Settings} options.settings of a data folder that is open
 * @param {{ url: (database: string, user?: string, password?: string) => string, source: string }} options.server PostgreSQL
 * @param {Record<string, { http: number, grpc?: number }>} options.ports by service
 * @param {NodeJS.ProcessEnv} options.env of whoever starts it
 * @param {import('../progress.mjs').Progress['step']} options.step
 * @param {AbortSignal} options.signal
 * @returns {Promise<(service: import('../../catalogue.mjs').Service) => NodeJS.ProcessEnv>} the environment of a process
 * @throws {LaunchFailure}
 */
export async function prepareInstallation({ root, settings, server, ports, env, step, signal }) {
  const names = SERVICES.flatMap(({ database }) => database ?? []);
  if (!settings.kafkaBrokers) names.push(LOG_DATABASE);
  const kept = databasePasswordsOf(settings.data, names);
  const passwords = Object.fromEntries(names.map((name) => [name, kept[name]]));
  const databases = await step('prepare databases', () => prepareDatabases({ passwords, ...server }));
  signal.throwIfAborted();

  const keys = keysOf(settings.data, secretsOf(settings.data, settings.secret), SERVICES);
  const secrets = {
    ...secretVariables(settings),
    SWITCHYARD_ROOT_TOKEN: settings.rootToken ?? rootTokenOf(settings.data),
  };
  const environment = (service, databaseUrl, logDatabaseUrl) =>
    serviceEnvironment({ service, settings, ports, databaseUrl, logDatabaseUrl, keys, secrets, env });
  const owners = SERVICES.filter(({ database }) => database);

  await step('apply migrations', async () => {
    // One of them also migrates the event log, as the log's owner; what runs later uses the log by its own login.
    const runs = owners.map((service, at) => {
      const env = environment(service, databases[service.database], at === 0 ? databases[LOG_DATABASE] : undefined);
      return migrate({ service, root, env, signal });
    });
    await Promise.all(runs);
    if (settings.kafkaBrokers) return;
    await shareEventLog({ ownerUrl: databases[LOG_DATABASE], roles: owners.map(({ database }) => database) });
  });
  signal.throwIfAborted();

  // Not the password itself, which may change while the process runs.
  const addressOf = (database, role) => {
    const address = new URL(server.url(database, role, ''));
    address.searchParams.set('password_file', writePasswordFile(settings.data, role, passwords[role]));
    return address.href;
  };
  return (service) => {
    const { database } = service;
    return database
      ? environment(
          service,
          addressOf(database, database),
          settings.kafkaBrokers ? undefined : addressOf(LOG_DATABASE, database),
        )
      : environment(service);
  };
}

async function migrate({ service, root, env, signal }) {
  if (await isMigrated({ service, root, env })) return;
  try {
    await runCommand(process.execPath, [mainOf(root, service), 'migrate'], { cwd: root, env, signal });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const reason = error.output.trim().split('\n').slice(-5).join('\n');
    throw new LaunchFailure(`the migrations of ${service.name} failed: ${reason || error.message}`);
  }
}

/**
 * Whether a service has nothing to migrate. To ask all of them takes 0.3 s of a processor, their commands 0.3 s each. What
 * goes wrong here is the command's to say.
 */
async function isMigrated({ service, root, env }) {
  try {
    const load = createRequire(mainOf(root, service));
    const { migrationSets } = load('./migrations.js');
    const { isServiceMigrated } = load('@switchyard/service/migrate');
    return await isServiceMigrated(env, migrationSets);
  } catch {
    return false;
  }
}
