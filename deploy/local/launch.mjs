import { join, relative } from 'node:path';
import { EmbeddedPostgresError, startEmbeddedPostgres } from '../../libs/machine/src/embedded-postgres.mjs';
import { freePort, portIsFree } from '../../libs/machine/src/ports.mjs';
import { SERVICES } from '../catalogue.mjs';
import { openDataFolder, processRecord } from './data-folder.mjs';
import { readEnvironment, urlHost } from './environment.mjs';
import { LaunchFailure } from './failure.mjs';
import { takeLock } from './lock.mjs';
import { openServiceLog } from './service-log.mjs';
import { POSTGRES } from './services.mjs';
import { mainOf, prepareInstallation } from './steps/installation.mjs';
import { serviceUnit, untilReady } from './steps/services.mjs';
import { prepareSources } from './steps/sources.mjs';
import { checkToolchain } from './steps/toolchain.mjs';
import { createSupervisor } from './supervisor.mjs';

const READY_TIMEOUT_MS = 60_000;
// A launcher that was just stopped has ten seconds to do so (D2).
const LOCK_TIMEOUTS = { waitMs: 3_000, stoppingWaitMs: 12_000 };

/**
 * Brings an installation up and keeps it up until `signal` is aborted (D2).
 *
 * @param {object} options
 * @param {string} options.root the clone
 * @param {string} options.cwd where the command was given
 * @param {NodeJS.ProcessEnv} options.env
 * @param {import('./progress.mjs').Progress} options.progress
 * @param {AbortController} options.ending aborted from outside to stop; aborted from inside when a process is given up on
 * @param {typeof prepareSources} [options.prepare] what brings packages and build output up to date
 * @returns {Promise<void>} when everything has stopped in order
 * @throws {LaunchFailure}
 */
export async function launch({ root, cwd, env, progress, ending, prepare = prepareSources }) {
  const { signal } = ending;
  const { say, step } = progress;
  await step('check Node.js and git', (note) => note(checkToolchain()));
  const settings = readEnvironment(env, { root, cwd });
  openDataFolder(settings.data);

  const lock = await takeLock(join(settings.data, 'launcher.lock'), LOCK_TIMEOUTS);
  if ('heldBy' in lock) {
    throw new LaunchFailure(`SWITCHYARD_DATA: ${settings.data} is in use by another launcher (process ${lock.heldBy})`);
  }
  const record = processRecord(settings.data);
  const lastErrors = new Map();
  const supervisor = createSupervisor({
    onStart: record.add,
    maxDeaths: settings.maxDeaths,
    maxPauseMs: settings.restartPauseMs,
    onDeath: (name, how, restartInMs) => say(`! ${name} ${how}; starting it again in ${restartInMs / 1000} s`),
    onGiveUp: (name, how) =>
      ending.abort(
        new LaunchFailure(`${name} died ${settings.maxDeaths} times within a minute (${how}); see ${logFile(name)}`),
      ),
    onRefusal: (name, how) => ending.abort(new LaunchFailure(`${name}: ${lastErrors.get(name)?.() ?? how}`)),
  });
  const logFile = (name) => join(settings.data, 'logs', `${name}.log`);
  const show = (line) => say(`! ${line}`);

  try {
    const orphans = await record.endOrphans();
    if (orphans.length > 0) say(`  ended what an earlier run left behind: ${orphans.join(', ')}`);
    if (!(await portIsFree(settings.port, settings.host))) {
      throw new LaunchFailure(`PORT: ${settings.port} is taken on ${settings.host}; set PORT to another one`);
    }

    await prepare({ root, signal, step });

    const server = await openServer({ settings, supervisor, logFile, say, step });
    const ports = await choosePorts(settings.port);
    const environment = await prepareInstallation({ root, settings, server, ports, env, step, signal });
    await step('start services', async () => {
      const units = SERVICES.map((service) =>
        serviceUnit({
          name: service.name,
          main: mainOf(root, service),
          root,
          env: environment(service),
          logFile: logFile(service.name),
          show,
        }),
      );
      for (const unit of units) lastErrors.set(unit.name, unit.lastError);
      for (const unit of units) await supervisor.run(unit);
      await Promise.all(
        SERVICES.map((service, at) =>
          untilReady({
            name: service.name,
            url: `${probeAddress(service, settings, ports)}/-/readiness`,
            timeoutMs: READY_TIMEOUT_MS,
            lastError: units[at].lastError,
            signal,
          }),
        ),
      );
      signal.throwIfAborted();
    });

    announce({ say, settings, cwd });
    await aborted(signal);
  } finally {
    ending.abort();
    lock.stopping();
    const entrances = SERVICES.filter((service) => service.public);
    await supervisor.stop([entrances, SERVICES].map((group) => group.map(({ name }) => name)).concat([[POSTGRES]]));
    record.clear();
    lock.release();
  }
  if (signal.reason instanceof LaunchFailure) throw signal.reason;
}

/** The PostgreSQL server: an existing one, or the embedded one under supervision. */
async function openServer({ settings, supervisor, logFile, say, step }) {
  if (settings.databaseUrl) {
    const url = (database, user, password) => {
      const address = new URL(settings.databaseUrl);
      address.pathname = `/${encodeURIComponent(database)}`;
      if (user !== undefined) {
        address.username = encodeURIComponent(user);
        address.password = encodeURIComponent(password);
      }
      return address.href;
    };
    return { url, source: 'DATABASE_URL' };
  }
  const log = openServiceLog(logFile(POSTGRES), { name: POSTGRES, show: () => {} });
  let port;
  let server;
  const unit = {
    name: POSTGRES,
    async start() {
      server = await startEmbeddedPostgres({
        dataDir: join(settings.data, 'postgres'),
        port,
        log(line, source) {
          if (source === 'server') log.take(`${line}\n`);
          // Where things lie does not change when the server is started again.
          else if (port === undefined) say(`    ${line}`);
        },
      });
      // Services know the server by this port: a restarted one must be found there.
      port = server.port;
      return server;
    },
  };
  try {
    await step('start PostgreSQL', () => supervisor.run(unit));
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new LaunchFailure(error.message);
    throw error;
  }
  return { url: server.url, source: 'the embedded PostgreSQL' };
}

async function choosePorts(gatewayPort) {
  const taken = new Set([gatewayPort]);
  const ports = {};
  for (const service of SERVICES) {
    ports[service.name] = { http: await freePort(taken), grpc: service.public ? undefined : await freePort(taken) };
  }
  return ports;
}

function probeAddress(service, settings, ports) {
  if (service.public) return `http://${urlHost(settings.host)}:${settings.port}`;
  return `http://127.0.0.1:${ports[service.name].http}`;
}

function announce({ say, settings, cwd }) {
  const near = (path) => (relative(cwd, path).startsWith('..') ? path : relative(cwd, path));
  const token = settings.rootToken ? 'the value of SWITCHYARD_ROOT_TOKEN' : near(join(settings.data, 'root-token'));
  say('');
  say('Switchyard is running. Ctrl-C stops it.');
  say(`  API                    ${settings.externalUrl}/api/v4`);
  say(`  reference              ${settings.externalUrl}/docs`);
  say(`  administrator's token  ${token}  (user: root)`);
  say(`  data                   ${near(settings.data)}  (logs in ${near(join(settings.data, 'logs'))})`);
}

function aborted(signal) {
  if (signal.aborted) return Promise.resolve();
  return new Promise((settle) => {
    signal.addEventListener('abort', () => settle(), { once: true });
  });
}
