/** What every domain service reads: `serviceVariables` of libs/config. */
const DOMAIN_SERVICE = [
  'HOST',
  'GRPC_PORT',
  'HTTP_PORT',
  'DATABASE_URL',
  'LOG_DATABASE_URL',
  'KAFKA_BROKERS',
  'SWITCHYARD_IDENTITY_KEY_FILE',
  'SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE',
  'SWITCHYARD_EXTERNAL_URL',
  'SWITCHYARD_TIER',
];

/**
 * The processes of an installation, in starting order; stopping runs backwards. Each but the gateway owns a database.
 *
 * `variables` are those that the process reads (its `src/config.ts`). It is given these, what every program of this platform needs
 * (`COMMON_VARIABLES`), and nothing else: a secret reaches the processes that use it alone.
 *
 * @type {readonly { name: string, database?: string, addressVariable?: string, variables: readonly string[] }[]}
 */
export const SERVICES = [
  {
    name: 'groups-admin',
    database: 'switchyard_groups_admin',
    addressVariable: 'GROUPS_ADMIN_ADDRESS',
    variables: [
      ...DOMAIN_SERVICE,
      'SWITCHYARD_SECRET',
      'SWITCHYARD_ROOT_TOKEN',
      'SWITCHYARD_TOKEN_LIFETIME_DAYS',
      'SWITCHYARD_DELETION_DELAY_DAYS',
    ],
  },
  {
    name: 'merge-requests',
    database: 'switchyard_merge_requests',
    addressVariable: 'MERGE_REQUESTS_ADDRESS',
    variables: [
      ...DOMAIN_SERVICE,
      'GROUPS_ADMIN_ADDRESS',
      'COLLABORATION_ADDRESS',
      'SWITCHYARD_DATA',
      'SWITCHYARD_RECOVERY_SECONDS',
      'SWITCHYARD_GIT_PLACES',
      'SWITCHYARD_GIT_PLACES_PER_PROJECT',
      'SWITCHYARD_GIT_PLACES_PER_CALLER',
      'SWITCHYARD_GIT_WAITING',
      'SWITCHYARD_GIT_WAIT_SECONDS',
      'SWITCHYARD_GIT_TRANSFER_WAIT_SECONDS',
      'SWITCHYARD_GIT_MEMORY_MB',
      'SWITCHYARD_GIT_REQUEST_SECONDS',
      'SWITCHYARD_GIT_IDLE_SECONDS',
    ],
  },
  {
    name: 'collaboration',
    database: 'switchyard_collaboration',
    addressVariable: 'COLLABORATION_ADDRESS',
    variables: [
      ...DOMAIN_SERVICE,
      'GROUPS_ADMIN_ADDRESS',
      'MERGE_REQUESTS_ADDRESS',
      'ALERTS_ADDRESS',
      'SWITCHYARD_DATA',
      'SMTP_URL',
      'SMTP_FROM',
      'SWITCHYARD_EMOJI_NOTES',
      'SWITCHYARD_NOTES_PER_MINUTE',
      'SWITCHYARD_NOTES_UNLIMITED',
      'SWITCHYARD_APPLICATION_LIMITS',
    ],
  },
  {
    name: 'alerts',
    database: 'switchyard_alerts',
    addressVariable: 'ALERTS_ADDRESS',
    variables: [
      ...DOMAIN_SERVICE,
      'GROUPS_ADMIN_ADDRESS',
      'SWITCHYARD_ALERT_DIGEST_KEY_FILE',
      'SWITCHYARD_DATA',
      'S3_BUCKET',
      'S3_ENDPOINT',
      'S3_REGION',
      'S3_ACCESS_KEY_ID',
      'S3_SECRET_ACCESS_KEY',
      'SWITCHYARD_ALERT_PAYLOAD_LIMIT',
      'SWITCHYARD_METRIC_IMAGE_LIMIT',
    ],
  },
  {
    name: 'gateway',
    variables: [
      'HOST',
      'PORT',
      'HTTP_HOST',
      'HTTP_PORT',
      'GROUPS_ADMIN_ADDRESS',
      'MERGE_REQUESTS_ADDRESS',
      'COLLABORATION_ADDRESS',
      'ALERTS_ADDRESS',
      'MERGE_REQUESTS_HTTP_URL',
      'ALERTS_HTTP_URL',
      'SWITCHYARD_IDENTITY_KEY_FILE',
      'SWITCHYARD_EXTERNAL_URL',
      'SWITCHYARD_TIER',
      'SWITCHYARD_TRUSTED_PROXIES',
      'SWITCHYARD_THROTTLE_AUTHENTICATED',
      'SWITCHYARD_THROTTLE_UNAUTHENTICATED',
      'SWITCHYARD_APPLICATION_LIMITS',
      'SWITCHYARD_ALERT_LIMIT',
      'SWITCHYARD_ALERT_PAYLOAD_LIMIT',
      'SWITCHYARD_SHOW_COST',
      'SWITCHYARD_READS_AT_ONCE',
      'SWITCHYARD_WRITES_AT_ONCE',
    ],
  },
];

/**
 * What any process may need of the machine it runs on, and telemetry. `FAULT_FILE` works with `NODE_ENV=test` alone.
 * `OTEL_*` may hold the credentials of a collector, to which every process sends.
 */
const COMMON_VARIABLES =
  /^(?:PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SystemRoot|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_V8_COVERAGE|SSL_CERT_FILE|SSL_CERT_DIR|LD_LIBRARY_PATH|LD_PRELOAD|UV_THREADPOOL_SIZE|LOG_LEVEL|OTEL_[A-Z_]+|FAULT_FILE|SWITCHYARD_SUPERVISED)$/;

/** Where the SDK for S3 looks for credentials of its own, and the proxy it goes through. */
const BUCKET_VARIABLES = /^(?:AWS_[A-Z0-9_]+|HTTPS?_PROXY|NO_PROXY)$/;

/**
 * Of an environment, what one process is given.
 *
 * @param {string} name of the process
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf(name, env) {
  const { variables } = SERVICES.find((service) => service.name === name);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([variable, value]) =>
        value !== undefined &&
        (variables.includes(variable) ||
          COMMON_VARIABLES.test(variable) ||
          (variables.includes('S3_BUCKET') && BUCKET_VARIABLES.test(variable))),
    ),
  );
}

/** The database of the embedded event log (D6), used when KAFKA_BROKERS is unset. */
export const LOG_DATABASE = 'switchyard_log';

/** The embedded server, as logs and the process record name it. */
export const POSTGRES = 'postgresql';
