import { spawn } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressVariable, httpVariable } from '../../catalogue.mjs';
import { PUBLIC_KEYS_FILE } from '../data-folder.mjs';
import { LaunchFailure } from '../failure.mjs';
import { openServiceLog } from '../service-log.mjs';
import { environmentOf } from '../services.mjs';
import { REFUSED_CONFIGURATION } from '../supervisor.mjs';

// Together with PostgreSQL's 3.5 s, gateway and services stop within the ten seconds of D2.
const DRAIN_MS = 3_000;
// For the line of a process that has ended, which may still be on its way.
const LAST_LINE_MS = 1_000;
const HEALTH_POLL_MS = 50;
const HEALTH_REQUEST_MS = 2_000;

/**
 * The environment of one process (D2): what it reads of the launcher's own environment and of what the launcher decided.
 *
 * @param {object} plan
 * @returns {NodeJS.ProcessEnv}
 */
export function serviceEnvironment({ service, settings, ports, databaseUrl, logDatabaseUrl, keys, secrets, env }) {
  const own = ports[service.name];
  return environmentOf(service.name, {
    ...env,
    NODE_ENV: env.NODE_ENV || 'production',
    ...Object.fromEntries(service.peers.map((peer) => [addressVariable(peer), `127.0.0.1:${ports[peer].grpc}`])),
    ...Object.fromEntries(
      service.httpPeers.map((peer) => [httpVariable(peer), `http://127.0.0.1:${ports[peer].http}`]),
    ),
    ...Object.fromEntries(service.keys.map(({ variable, file }) => [variable, keys.file(file)])),
    PORT: service.public ? String(settings.port) : undefined,
    HOST: service.public ? settings.host : '127.0.0.1',
    GRPC_PORT: own.grpc === undefined ? undefined : String(own.grpc),
    HTTP_PORT: String(own.http),
    DATABASE_URL: databaseUrl,
    LOG_DATABASE_URL: logDatabaseUrl,
    KAFKA_BROKERS: settings.kafkaBrokers,
    SWITCHYARD_DATA: settings.data,
    SWITCHYARD_TIER: settings.tier,
    SWITCHYARD_EXTERNAL_URL: settings.externalUrl,
    ...secrets,
    SWITCHYARD_IDENTITY_KEY_FILE: keys.file(`${service.name}.key`),
    SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: keys.file(PUBLIC_KEYS_FILE),
    SWITCHYARD_SUPERVISED: '1',
  });
}

/**
 * A supervised unit for `node services/<name>/dist/main.js`. The process has a group of its own, so that Ctrl-C reaches
 * the launcher alone; the IPC channel closes when the launcher dies.
 *
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.main path of the program
 * @param {string} options.root working folder
 * @param {NodeJS.ProcessEnv} options.env
 * @param {string} options.logFile
 * @param {(line: string) => void} options.show
 * @returns {import('../supervisor.mjs').Unit & { lastError: () => string | undefined }}
 */
export function serviceUnit({ name, main, root, env, logFile, show }) {
  const log = openServiceLog(logFile, { name, show });
  return {
    name,
    lastError: log.lastError,
    async start() {
      const child = spawn(process.execPath, [main], {
        cwd: root,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      });
      child.stdout.setEncoding('utf8').on('data', log.take);
      child.stderr.setEncoding('utf8').on('data', log.take);
      const exited = new Promise((settle) => {
        child.once('error', (error) => {
          log.take(`Error: ${error.message}\n`);
          settle({ code: null, signal: null });
        });
        // Not 'close', which would wait for whatever a dead process's own children still hold open.
        child.once('exit', (code, signal) => {
          const end = () => settle({ code, signal });
          if (code !== REFUSED_CONFIGURATION) return end();
          child.once('close', end);
          setTimeout(end, LAST_LINE_MS);
        });
      });
      return {
        pid: child.pid,
        exited,
        async stop() {
          child.kill('SIGTERM');
          const drained = await Promise.race([exited.then(() => true), sleep(DRAIN_MS, false, { ref: false })]);
          if (drained) return;
          endGroup(child.pid);
          await exited;
        },
      };
    },
  };
}

/**
 * Waits until a process answers its readiness probe with 200.
 *
 * @param {{ name: string, url: string, timeoutMs: number, lastError: () => string | undefined, signal: AbortSignal }} probe
 * @throws {LaunchFailure}
 */
export async function untilReady({ name, url, timeoutMs, lastError, signal }) {
  const deadline = Date.now() + timeoutMs;
  while (!signal.aborted) {
    const answer = await probe(url);
    if (answer === undefined) return;
    if (Date.now() > deadline) {
      throw new LaunchFailure(`${name} is not ready after ${timeoutMs / 1000} s (${lastError() ?? answer})`);
    }
    await sleep(HEALTH_POLL_MS);
  }
}

/** @returns {Promise<string | undefined>} what is wrong, undefined when the answer is 200 */
function probe(url) {
  return new Promise((settle) => {
    const request = get(url, { agent: false, timeout: HEALTH_REQUEST_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      response.once('end', () =>
        settle(response.statusCode === 200 ? undefined : `${response.statusCode} ${body.slice(0, 200).trim()}`),
      );
    });
    request.once('timeout', () => request.destroy(new Error('no answer')));
    request.once('error', (error) => settle(error.code ?? error.message));
  });
}

/** Ends a process and what it started; its number is also its group's. */
function endGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
