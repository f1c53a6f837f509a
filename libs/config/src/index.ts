import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { databaseAddress, isHostPort, port, webAddress, wholeNumber } from './values';

/**
 * Parses the environment of one process, once (D2).
 * @throws Error with one line that names every variable at fault
 */
export function parseEnvironment<T extends z.ZodRawShape>(
  shape: T,
  environment = process.env,
): z.infer<z.ZodObject<T>> {
  // An empty variable means the same as an absent one: compose files and charts set optional ones to ''. As in the
  // launcher, blanks around a value do not belong to it.
  const given = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      const trimmed = value?.trim() ?? '';
      return trimmed === '' ? [] : [[name, trimmed]];
    }),
  );
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data as z.infer<z.ZodObject<T>>;
  const problems = new Map<string, string>();
  for (const { path, message } of parsed.error.issues) {
    const name = path.join('.');
    if (!problems.has(name)) problems.set(name, name in given ? message : 'is missing');
  }
  throw new Error([...problems].map(([name, problem]) => `${name}: ${problem}`).join('; '));
}

/**
 * Reads the file that a variable names.
 * @throws Error with one line that names the variable
 */
export function readNamedFile(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${variable}: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Reads certificates in PEM from the file that a variable names.
 * @throws Error with one line that names the variable
 */
export function readCertificates(variable: string, file: string): string {
  const text = readNamedFile(variable, file);
  const found = text.match(certificate) ?? [];
  if (found.length === 0) throw new Error(`${variable}: ${file} contains no certificate in PEM`);
  for (const one of found) {
    try {
      new X509Certificate(one);
    } catch {
      throw new Error(`${variable}: ${file} contains a certificate that does not parse`);
    }
  }
  return text;
}

/** Whether the certificate of a server is why a TLS connection failed with `code`. */
export const isCertificateError = (code: string): boolean =>
  /^(?:CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|ERR_TLS_CERT|INVALID_CA|HOSTNAME_MISMATCH)/.test(code);

/**
 * Reads the key of a certificate in PEM from the file that a variable names.
 * @param of the certificate: its text, and its file for errors
 * @throws Error with one line that names the variable
 */
export function readKeyOf(
  variable: string,
  file: string,
  of: { readonly text: string; readonly file: string },
): string {
  const key = readNamedFile(variable, file);
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch {
    throw new Error(`${variable}: ${file} contains no private key in PEM`);
  }
  if (!new X509Certificate(of.text).checkPrivateKey(privateKey))
    throw new Error(`${variable}: ${file} is not the key of ${of.file}`);
  return key;
}

/**
 * Refuses settings that have no effect, since the variable that switches their group on is not set.
 * @param variables of the group, whose defaults do not count as set
 * @throws Error with one line that names the variable
 */
export function assertSwitchedOn(
  config: Readonly<Record<string, unknown>>,
  { by, prefix, variables }: { readonly by: string; readonly prefix: string; readonly variables: z.ZodRawShape },
): void {
  if (config[by] !== undefined) return;
  const idle = Object.entries(variables).find(([name, type]) => {
    const value = config[name];
    return name.startsWith(prefix) && value !== undefined && value !== (type as z.ZodType).safeParse(undefined).data;
  });
  if (idle !== undefined) throw new Error(`${by}: must be set when ${idle[0]} is`);
}

/** The event bus of a process: Kafka with its TLS and SASL, else the embedded log; see docs/operations.md. */
export const busVariables = {
  /** `host:port` of some brokers, separated by commas. */
  KAFKA_BROKERS: z
    .string()
    .transform((list) => list.replace(/\s*,\s*/g, ',').trim())
    .refine((list) => list.split(',').every(isHostPort), 'must be a comma-separated list of host:port')
    .optional(),
  KAFKA_TLS: z.stringbool().default(false),
  /** Certificates in PEM of who signs the brokers' certificates; those of Node where it is absent. */
  KAFKA_CA_FILE: z.string().optional(),
  KAFKA_CERTIFICATE_FILE: z.string().optional(),
  KAFKA_CERTIFICATE_KEY_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: z.enum(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER']).optional(),
  /** With OAUTHBEARER the id of the client. */
  KAFKA_SASL_USERNAME: z.string().optional(),
  /** With OAUTHBEARER it contains the secret of the client. */
  KAFKA_SASL_PASSWORD_FILE: z.string().optional(),
  /** Contains a token that another program keeps fresh. */
  KAFKA_OAUTH_TOKEN_FILE: z.string().optional(),
  /** Where tokens are fetched by client credentials (RFC 6749, 4.4). */
  KAFKA_OAUTH_TOKEN_URL: z.url({ protocol: /^https?$/ }).optional(),
  KAFKA_OAUTH_SCOPE: z.string().optional(),
  /** `false`: the operator creates the topics, and a missing one ends the start. */
  KAFKA_CREATE_TOPICS: z.stringbool().default(true),
  /** Replicas of topics that are created; the broker's default where it is absent. */
  KAFKA_REPLICATION_FACTOR: wholeNumber(1, 32_767).optional(),
  /** The embedded log, in place of Kafka. */
  LOG_DATABASE_URL: databaseAddress().optional(),
} as const;

/** What `busVariables` give. */
export type BusConfig = z.infer<z.ZodObject<typeof busVariables>>;

/** What every process reads of how it stops. */
export const drainVariables = {
  /**
   * Seconds that running requests have to end once the process is told to stop. The default fits into the ten that
   * `npm start` has to stop everything (D2).
   */
  SWITCHYARD_DRAIN_SECONDS: wholeNumber(1, 3_600).default(8),
} as const;

/** Variables that every domain service reads; see docs/operations.md. */
export const serviceVariables = {
  ...drainVariables,
  HOST: z.string().default('127.0.0.1'),
  GRPC_PORT: port().default(0),
  HTTP_PORT: port().default(0),
  DATABASE_URL: databaseAddress(),
  ...busVariables,
  SWITCHYARD_IDENTITY_KEY_FILE: z.string(),
  SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: z.string(),
  /** Address of the instance as clients see it, without a slash at its end. */
  SWITCHYARD_EXTERNAL_URL: webAddress().default('http://localhost:8080'),
  SWITCHYARD_TIER: z.enum(['free', 'premium', 'ultimate']).default('ultimate'),
} as const;

export { z } from 'zod';
export { commandFailed, exitCodeOf, refusedConfiguration } from './refusal';
export { databaseAddress, dataFolder, decimalNumber, hostPort, port, rate, webAddress, wholeNumber } from './values';
