import { isAbsolute, resolve } from 'node:path';
import { LaunchFailure } from './failure.mjs';

const TIERS = ['free', 'premium', 'ultimate'];
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const MIN_TOKEN_LENGTH = 20;
const MIN_SECRET_LENGTH = 32;

const text = (value) => value;

function integerFrom(low, high) {
  return (value) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= low && number <= high)) throw new Error(`must be a whole number from ${low} to ${high}`);
    return number;
  };
}

function oneOf(choices) {
  return (value) => {
    if (!choices.includes(value)) throw new Error(`must be one of ${choices.join(', ')}`);
    return value;
  };
}

function urlOf(...protocols) {
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    if (!url || !protocols.includes(url.protocol) || url.hostname === '') {
      throw new Error(`must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
    }
    return value;
  };
}

function databaseUrl(value) {
  urlOf('postgresql:', 'postgres:')(value);
  if (new URL(value).username === '') throw new Error('must name a user who may create databases and roles');
  return value;
}

// As libs/config reads it, which is not built yet when the launcher reads it: the processes would refuse it much later.
function webAddress(value) {
  if (!/^https?:\/\/[^/]/i.test(value) || !URL.canParse(value)) {
    throw new Error('must be a URL beginning with http:// or https://');
  }
  const url = new URL(value);
  if (/[?#]/.test(value)) throw new Error('must not carry a query or a fragment');
  if (url.username !== '' || url.password !== '') throw new Error('must not carry a user or a password');
  return value.replace(/\/+$/, '');
}

function brokers(value) {
  const list = value.split(',').map((entry) => entry.trim());
  for (const entry of list) {
    const port = Number(/^(?:\[[0-9a-fA-F:]+\]|[^\s:/@]+):(\d{1,5})$/.exec(entry)?.[1]);
    if (!(port >= 1 && port <= 65_535)) throw new Error('must be a comma-separated list of host:port');
  }
  return list.join(',');
}

function secretOf(minimum) {
  return (value) => {
    if (value.length < minimum) throw new Error(`must have at least ${minimum} characters`);
    if (!/^[\x21-\x7e]+$/.test(value)) throw new Error('must consist of printable ASCII characters without blanks');
    return value;
  };
}

// Name → reader of a value that is set; a reader throws what is wrong with it.
const READERS = {
  PORT: integerFrom(1, 65_535),
  HOST: text,
  SWITCHYARD_DATA: text,
  SWITCHYARD_ROOT_TOKEN: secretOf(MIN_TOKEN_LENGTH),
  SWITCHYARD_TIER: oneOf(TIERS),
  SWITCHYARD_EXTERNAL_URL: webAddress,
  SWITCHYARD_SECRET: secretOf(MIN_SECRET_LENGTH),
  DATABASE_URL: databaseUrl,
  KAFKA_BROKERS: brokers,
  S3_ENDPOINT: webAddress,
  S3_BUCKET: text,
  S3_CA_FILE: text,
  S3_REGION: text,
  S3_SIGNED_DOWNLOADS: oneOf(['true', 'false']),
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
  SMTP_URL: urlOf('smtp:', 'smtps:'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress,
  LOG_LEVEL: oneOf(LOG_LEVELS),
  SWITCHYARD_MAX_DEATHS: integerFrom(1, 1_000),
  SWITCHYARD_RESTART_PAUSE_MS: integerFrom(200, 60_000),
};

/** The variables the launcher reads (D2), for the documentation test. */
export const VARIABLES = Object.keys(READERS);

/**
 * Reads the launcher's environment (D2). An empty value counts as unset.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {{ root: string, cwd: string }} folders the clone, and where the command was given
 * @returns {Settings}
 * @throws {LaunchFailure} naming the first variable with a bad value
 *
 * @typedef {object} Settings
 * @property {number} port where the gateway listens (8080)
 * @property {string} host the address it listens on (127.0.0.1)
 * @property {string} data absolute path of the data folder
 * @property {string} [rootToken]
 * @property {'free' | 'premium' | 'ultimate'} tier
 * @property {string} externalUrl without a trailing slash
 * @property {string} [secret]
 * @property {string} [databaseUrl] an existing PostgreSQL server
 * @property {string} [kafkaBrokers]
 * @property {number} maxDeaths deaths of one process within a minute that end the installation (5)
 * @property {number} restartPauseMs longest pause before a process that died is started again (5,000)
 */
export function readEnvironment(env, { root, cwd }) {
  const values = {};
  for (const [name, read] of Object.entries(READERS)) {
    const raw = env[name]?.trim() ?? '';
    if (raw === '') continue;
    try {
      values[name] = read(raw);
    } catch (error) {
      throw new LaunchFailure(`${name} ${error.message}`);
    }
  }
  if (values.S3_BUCKET === undefined) {
    const stray = Object.keys(values).find((name) => name.startsWith('S3_'));
    if (stray) throw new LaunchFailure(`S3_BUCKET must be set when ${stray} is`);
  }
  const port = values.PORT ?? 8080;
  const host = values.HOST ?? '127.0.0.1';
  const data = values.SWITCHYARD_DATA;
  return {
    port,
    host,
    data: data === undefined ? resolve(root, '.switchyard') : isAbsolute(data) ? resolve(data) : resolve(cwd, data),
    rootToken: values.SWITCHYARD_ROOT_TOKEN,
    tier: values.SWITCHYARD_TIER ?? 'ultimate',
    externalUrl: values.SWITCHYARD_EXTERNAL_URL ?? `http://${urlHost(host)}:${port}`,
    secret: values.SWITCHYARD_SECRET,
    databaseUrl: values.DATABASE_URL,
    kafkaBrokers: values.KAFKA_BROKERS,
    maxDeaths: values.SWITCHYARD_MAX_DEATHS ?? 5,
    restartPauseMs: values.SWITCHYARD_RESTART_PAUSE_MS ?? 5_000,
  };
}

/** The host part by which this machine reaches a process that listens on `host`. */
export function urlHost(host) {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
