import { SERVICES } from '../catalogue.mjs';

/**
 * What any process may need of the machine it runs on, and telemetry. `FAULT_FILE` works with `NODE_ENV=test` alone.
 * `OTEL_*` may hold the credentials of a collector, to which every process sends.
 */
const COMMON_VARIABLES =
  /^(?:PATH|HOME|USER|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SystemRoot|NODE_ENV|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NODE_V8_COVERAGE|SSL_CERT_FILE|SSL_CERT_DIR|LD_LIBRARY_PATH|LD_PRELOAD|UV_THREADPOOL_SIZE|LOG_LEVEL|OTEL_[A-Z_]+|FAULT_FILE|SWITCHYARD_SUPERVISED)$/;

/** Where the SDK for S3 finds credentials of its own, and the proxy it goes through. */
const BUCKET_CLIENT_VARIABLES = /^(?:AWS_[A-Z0-9_]+|HTTPS?_PROXY|NO_PROXY)$/;

/**
 * Of an environment, what one process is given: what it reads, and what every program of this platform needs. A secret reaches only the
 * processes that use it.
 *
 * @param {string} name of the process
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function environmentOf(name, env) {
  const { variables, data } = SERVICES.find((service) => service.name === name);
  return Object.fromEntries(
    Object.entries(env).filter(
      ([variable, value]) =>
        value !== undefined &&
        (variables.includes(variable) ||
          COMMON_VARIABLES.test(variable) ||
          (data === 'blobs' && BUCKET_CLIENT_VARIABLES.test(variable))),
    ),
  );
}

/** The database of the embedded event log (D6), used when KAFKA_BROKERS is unset. */
export const LOG_DATABASE = 'switchyard_log';

/** The embedded server, as logs and the process record name it. */
export const POSTGRES = 'postgresql';
