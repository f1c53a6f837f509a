// What processes take, as JSON Schema: the bounds of libs/config and of each service once more, since charts are written without a build.
// deploy/test/chart-bounds.test.ts compares both. Patterns are of RE2, which Helm has: no lookahead.

const digit = (low, high) => (low === high ? `${low}` : `[${low}-${high}]`);
const anyDigits = (count) => ['', '[0-9]'][count] ?? `[0-9]{${count}}`;

/** Numbers of as many digits as `low` and `high` have, both included. */
function sameLength(low, high) {
  if (low === '') return '';
  const rest = low.length - 1;
  const [least, most] = ['0'.repeat(rest), '9'.repeat(rest)];
  let [first, last] = [Number(low[0]), Number(high[0])];
  if (first === last && !(low.slice(1) === least && high.slice(1) === most))
    return first + sameLength(low.slice(1), high.slice(1));
  const [before, after] = [[], []];
  if (low.slice(1) !== least) before.push(first++ + sameLength(low.slice(1), most));
  if (high.slice(1) !== most) after.push(last-- + sameLength(least, high.slice(1)));
  const whole = first <= last ? [digit(first, last) + anyDigits(rest)] : [];
  const parts = [...before, ...whole, ...after];
  return parts.length === 1 ? parts[0] : `(${parts.join('|')})`;
}

/** A pattern of the whole numbers from `low` to `high`. */
function range(low, high) {
  const [shortest, longest] = [`${low}`.length, `${high}`.length];
  if (shortest === longest) return sameLength(`${low}`, `${high}`);
  const parts = low <= 1 ? [] : [sameLength(`${low}`, '9'.repeat(shortest))];
  const [from, to] = [low <= 1 ? 0 : shortest, longest - 2];
  if (from <= to) parts.push(`[1-9]${from === to ? anyDigits(to) : `[0-9]{${from},${to}}`}`);
  if (low === 0) parts.push('0');
  parts.push(sameLength(`1${'0'.repeat(longest - 1)}`, `${high}`));
  return `(${parts.join('|')})`;
}

/** @returns a text with blanks around it, as a file or a block of YAML ends, or none: an empty one means the same as an absent one */
const form = (pattern) => ({ type: 'string', pattern: `^\\s*(${pattern})?\\s*$` });

const list = (one) => `${one}(\\s*,\\s*${one})*`;

/** A whole number: as it stands in `env`, a number or a text. */
const whole = (low, high) => ({ anyOf: [{ type: 'integer', minimum: low, maximum: high }, form(range(low, high))] });

/** A number with or without decimals; `low` is whole, or half of one. */
function decimal(low, high) {
  const parts = [`${range(Math.ceil(low), high - 1)}([.][0-9]+)?`, `${high}([.]0+)?`];
  if (!Number.isInteger(low)) parts.push(`${Math.floor(low)}[.][5-9][0-9]*`);
  return { anyOf: [{ type: 'number', minimum: low, maximum: high }, form(parts.join('|'))] };
}

const anyCase = (words) => words.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
const flag = {
  anyOf: [
    { type: 'boolean' },
    { type: 'integer', minimum: 0, maximum: 1 },
    form(anyCase('true|false|1|0|yes|no|on|off|y|n|enabled|disabled')),
  ],
};
const oneOf = (...names) => form(names.join('|'));

const portNumber = range(1, 65_535);
/** A host in an address; a name may be of any script. */
const host = '(\\[[0-9a-fA-F:.]+\\]|[^\\s/?#@:,\\[\\]\\\\]+)';
const webAddress = form(`${anyCase('https')}?://${host}(:${portNumber})?(/[^\\s?#]*)?`);
/** The same with what an address may have behind its path. */
const anyWebAddress = form(`${anyCase('https')}?://([^\\s/?#]*@)?${host}(:${portNumber})?([/?#]\\S*)?`);
const rate = form(`${range(1, 1_000_000_000)}/${range(1, 86_400)}`);

const octet = range(0, 255);
const proxy = [
  'loopback|linklocal|uniquelocal',
  `${octet}([.]${octet}){3}(/${range(1, 32)})?`,
  // As far as a pattern goes: at least two colons.
  `[0-9a-fA-F]{0,4}((:[0-9a-fA-F]{0,4}){2,8}|(:[0-9a-fA-F]{0,4}){1,6}:${octet}([.]${octet}){3})(/${range(1, 128)})?`,
].join('|');
const storage = '[a-z0-9][a-z0-9_-]{0,62}';
const weighted = (low) => `${storage}:${range(low, 100)}`;
const fileLimit = whole(1_024, 2 ** 40);

/** Seconds that running requests have at the end of a process. */
export const DRAIN_SECONDS = { type: 'integer', minimum: 1, maximum: 3_600 };
export const GIT_PLACES = { type: 'integer', minimum: 1, maximum: 4_096 };
export const GIT_MEMORY_MB = { type: 'integer', minimum: 256, maximum: 2 ** 20 };
export const REPLICATION_FACTOR = { type: 'integer', minimum: 1, maximum: 32_767 };
export const EXTERNAL_URL = webAddress;
export const OTLP_ENDPOINT = webAddress;
export const KAFKA_BROKERS = form(list(`${host}:${portNumber}`));
export const OAUTH_TOKEN_URL = anyWebAddress;
export const SASL_MECHANISM = oneOf('PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER');
export const TIER = oneOf('free', 'premium', 'ultimate');
export const BUCKET = form('[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]');
export const S3_ENDPOINT = webAddress;
export const TRUSTED_PROXY = { type: 'string', pattern: `^\\s*(${proxy})\\s*$` };
/** A name to which the chart adds a port. */
export const PEER = form(host);

/** What variables under `env` take, where it is not any text. */
export const ENVIRONMENT = {
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress,
  OTEL_TRACES_SAMPLER_ARG: decimal(0, 1),
  KAFKA_TLS: flag,
  KAFKA_SASL_MECHANISM: SASL_MECHANISM,
  KAFKA_OAUTH_TOKEN_URL: anyWebAddress,
  KAFKA_CREATE_TOPICS: flag,
  KAFKA_REPLICATION_FACTOR: whole(REPLICATION_FACTOR.minimum, REPLICATION_FACTOR.maximum),
  HTTPS_PROXY: anyWebAddress,
  HTTP_PROXY: anyWebAddress,
  SMTP_FROM: form("[A-Za-z0-9_'+.-]+@([A-Za-z0-9-]+[.])+[A-Za-z]{2,}"),
  SWITCHYARD_ACCESS_LOG: flag,
  SWITCHYARD_ALERT_LIMIT: rate,
  SWITCHYARD_ALERT_PAYLOAD_LIMIT: whole(1_024, 64 << 20),
  SWITCHYARD_APPLICATION_LIMITS: decimal(0, 1_000),
  SWITCHYARD_DELETION_DELAY_DAYS: whole(0, 90),
  SWITCHYARD_DELIVERY_RETRIES: whole(0, 10),
  SWITCHYARD_DEVELOPMENT_INTEGRATIONS: flag,
  SWITCHYARD_EMOJI_NOTES: oneOf('reaction', 'note'),
  SWITCHYARD_FORGEB_URL: anyWebAddress,
  SWITCHYARD_GENERIC_PACKAGE_LIMIT: fileLimit,
  SWITCHYARD_GIT_IDLE_SECONDS: decimal(1, 3_600),
  SWITCHYARD_GIT_PLACES_PER_CALLER: whole(1, GIT_PLACES.maximum),
  SWITCHYARD_GIT_PLACES_PER_PROJECT: whole(1, GIT_PLACES.maximum),
  SWITCHYARD_GIT_REQUEST_SECONDS: decimal(1, 3_600),
  SWITCHYARD_GIT_TRANSFER_WAIT_SECONDS: decimal(0, 600),
  SWITCHYARD_GIT_WAITING: whole(0, 100_000),
  SWITCHYARD_GIT_WAIT_SECONDS: decimal(0, 60),
  SWITCHYARD_HELM_PACKAGE_LIMIT: fileLimit,
  SWITCHYARD_MAIL_WINDOW: whole(0, 3_600),
  SWITCHYARD_MAVEN_PACKAGE_LIMIT: fileLimit,
  SWITCHYARD_METRIC_IMAGE_LIMIT: whole(1_024, 64 << 20),
  SWITCHYARD_NOTES_PER_MINUTE: whole(0, 1_000_000),
  SWITCHYARD_NPM_FORWARD_URL: webAddress,
  SWITCHYARD_NPM_PACKAGE_LIMIT: whole(1_024, 16 * 2 ** 30),
  SWITCHYARD_PROJECT_IMPORT_LIMIT: fileLimit,
  SWITCHYARD_PYPI_PACKAGE_LIMIT: fileLimit,
  SWITCHYARD_READS_AT_ONCE: whole(1, 10_000),
  SWITCHYARD_RECOVERY_SECONDS: decimal(0.5, 60),
  SWITCHYARD_REPORT_RETENTION_DAYS: whole(1, 36_500),
  // One of them has a weight above 0.
  SWITCHYARD_REPOSITORY_STORAGES: form(`(${weighted(0)}\\s*,\\s*)*${weighted(1)}(\\s*,\\s*${weighted(0)})*`),
  SWITCHYARD_SHOW_COST: flag,
  SWITCHYARD_STORAGE_PEERS: form(list(`${storage}=(\\[[0-9a-fA-F:]+\\]|[^\\s:/=,]+):[0-9]{1,5}/[0-9]{1,5}`)),
  SWITCHYARD_THROTTLE_AUTHENTICATED: rate,
  SWITCHYARD_THROTTLE_UNAUTHENTICATED: rate,
  SWITCHYARD_TOKEN_LIFETIME_DAYS: whole(1, 400),
  SWITCHYARD_TRUSTED_PROXIES: form(`none|${list(`(${proxy})`)}`),
  SWITCHYARD_UPLOAD_LIMIT: fileLimit,
  SWITCHYARD_WRITES_AT_ONCE: whole(1, 10_000),
};
