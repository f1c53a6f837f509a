import type { ConnectionOptions } from 'node:tls';
import { type BusConfig, readCertificates, readKeyOf, readNamedFile } from '@switchyard/config';
import type { SASLOptions } from 'kafkajs';

/** How the brokers are reached, and as whom. */
export interface KafkaConnection {
  /** `host:port` of some brokers. */
  readonly brokers: string[];
  /** Absent: without TLS. */
  readonly tls?: ConnectionOptions;
  /** Its secrets are read from their files each time a connection authenticates, so that new ones need no restart. */
  readonly sasl?: SASLOptions;
  /** Variable that leads to what the brokers check of a login; absent without `sasl`. */
  readonly credential?: string;
  /** Whether missing topics are created; default true. */
  readonly createTopics?: boolean;
  /** Replicas of created topics; the broker's default where it is absent. */
  readonly replicationFactor?: number;
}

/** Settings that need another one, and that other one. */
const needs: readonly [keyof BusConfig, keyof BusConfig][] = [
  ['KAFKA_CA_FILE', 'KAFKA_TLS'],
  ['KAFKA_CERTIFICATE_FILE', 'KAFKA_TLS'],
  ['KAFKA_CERTIFICATE_FILE', 'KAFKA_CERTIFICATE_KEY_FILE'],
  ['KAFKA_CERTIFICATE_KEY_FILE', 'KAFKA_CERTIFICATE_FILE'],
  ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_SASL_PASSWORD_FILE', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_OAUTH_TOKEN_FILE', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_SASL_MECHANISM'],
  ['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_SASL_USERNAME'],
  ['KAFKA_OAUTH_TOKEN_URL', 'KAFKA_SASL_PASSWORD_FILE'],
  ['KAFKA_OAUTH_SCOPE', 'KAFKA_OAUTH_TOKEN_URL'],
];

/** Refuses settings that another one leaves without effect. */
function refuseIdle(config: BusConfig): void {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_OAUTH_TOKEN_FILE: tokens, KAFKA_CREATE_TOPICS: creates } = config;
  const rules: [applies: boolean, where: string, names: (keyof BusConfig)[]][] = [
    [mechanism !== 'OAUTHBEARER', `with ${mechanism}`, ['KAFKA_OAUTH_TOKEN_FILE', 'KAFKA_OAUTH_TOKEN_URL']],
    [tokens !== undefined, 'with KAFKA_OAUTH_TOKEN_FILE', ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD_FILE']],
    [!creates, 'when KAFKA_CREATE_TOPICS is false', ['KAFKA_REPLICATION_FACTOR']],
  ];
  for (const [applies, where, names] of rules) {
    const idle = names.find((name) => config[name] !== undefined);
    if (applies && idle !== undefined) throw new Error(`${idle}: has no effect ${where}`);
  }
}

/**
 * Reads what the environment says of Kafka, files included.
 * @throws Error with one line that names the variable at fault
 */
export function kafkaConnection(config: BusConfig & { readonly KAFKA_BROKERS: string }): KafkaConnection {
  for (const [given, needed] of needs) {
    if (config[given] === undefined) continue;
    if (needed === 'KAFKA_TLS' && !config.KAFKA_TLS) throw new Error(`KAFKA_TLS: must be true when ${given} is set`);
    if (config[needed] === undefined) throw new Error(`${needed}: must be set when ${given} is`);
  }
  refuseIdle(config);
  return {
    brokers: config.KAFKA_BROKERS.split(','),
    tls: config.KAFKA_TLS ? tlsOf(config) : undefined,
    sasl: saslOf(config),
    credential: credentialOf(config),
    createTopics: config.KAFKA_CREATE_TOPICS,
    replicationFactor: config.KAFKA_REPLICATION_FACTOR,
  };
}

function tlsOf({ KAFKA_CA_FILE, KAFKA_CERTIFICATE_FILE, KAFKA_CERTIFICATE_KEY_FILE }: BusConfig): ConnectionOptions {
  const ca = KAFKA_CA_FILE === undefined ? undefined : readCertificates('KAFKA_CA_FILE', KAFKA_CA_FILE);
  if (KAFKA_CERTIFICATE_FILE === undefined || KAFKA_CERTIFICATE_KEY_FILE === undefined) return { ca };
  const cert = readCertificates('KAFKA_CERTIFICATE_FILE', KAFKA_CERTIFICATE_FILE);
  const of = { text: cert, file: KAFKA_CERTIFICATE_FILE };
  const key = readKeyOf('KAFKA_CERTIFICATE_KEY_FILE', KAFKA_CERTIFICATE_KEY_FILE, of);
  return { ca, cert, key };
}

function credentialOf(config: BusConfig): string | undefined {
  if (config.KAFKA_SASL_MECHANISM === undefined) return undefined;
  if (config.KAFKA_SASL_MECHANISM !== 'OAUTHBEARER') return 'KAFKA_SASL_PASSWORD_FILE';
  return config.KAFKA_OAUTH_TOKEN_FILE === undefined ? 'KAFKA_OAUTH_TOKEN_URL' : 'KAFKA_OAUTH_TOKEN_FILE';
}

function saslOf(config: BusConfig): SASLOptions | undefined {
  const { KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username } = config;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'OAUTHBEARER') return { mechanism: 'oauthbearer', oauthBearerProvider: tokensOf(config) };
  if (username === undefined) throw new Error(`KAFKA_SASL_USERNAME: must be set with ${mechanism}`);
  const password = passwordOf(config);
  password();
  return {
    mechanism: mechanism.toLowerCase() as 'plain' | 'scram-sha-256' | 'scram-sha-512',
    username,
    get password() {
      return password();
    },
  };
}

/** What reads the password; a line break at the end of its file does not belong to it. */
function passwordOf({ KAFKA_SASL_MECHANISM, KAFKA_SASL_PASSWORD_FILE: file }: BusConfig): () => string {
  if (file === undefined) throw new Error(`KAFKA_SASL_PASSWORD_FILE: must be set with ${KAFKA_SASL_MECHANISM}`);
  return () => readNamedFile('KAFKA_SASL_PASSWORD_FILE', file).replace(/\r?\n$/, '');
}

/** Share of its lifetime for which a fetched token is used. */
const usedFor = 0.8;
const tokenTimeout = 10_000;

/** What is wrong with our settings, where the server of tokens says so; of others it may recover. */
const refusals = new Set([400, 401, 403, 404]);

function tokensOf(config: BusConfig): () => Promise<{ value: string }> {
  const { KAFKA_OAUTH_TOKEN_FILE: file, KAFKA_OAUTH_TOKEN_URL: url, KAFKA_SASL_USERNAME: client = '' } = config;
  if ((file === undefined) === (url === undefined))
    throw new Error('KAFKA_OAUTH_TOKEN_FILE: either it or KAFKA_OAUTH_TOKEN_URL must be set with OAUTHBEARER');
  if (file !== undefined) {
    const read = () => readNamedFile('KAFKA_OAUTH_TOKEN_FILE', file).trim();
    read();
    return async () => ({ value: read() });
  }
  const secret = passwordOf(config);
  secret();
  let kept = { value: '', until: 0 };
  return async () => {
    if (Date.now() < kept.until) return kept;
    const form = new URLSearchParams({ grant_type: 'client_credentials' });
    if (config.KAFKA_OAUTH_SCOPE !== undefined) form.set('scope', config.KAFKA_OAUTH_SCOPE);
    const credentials = [client, secret()].map(encodeURIComponent).join(':');
    const reply = await fetch(String(url), {
      method: 'POST',
      body: form,
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      signal: AbortSignal.timeout(tokenTimeout),
    });
    if (refusals.has(reply.status)) throw new Error(`KAFKA_OAUTH_TOKEN_URL: answers ${reply.status}`);
    if (!reply.ok) throw new Error(`the server of tokens answers ${reply.status}`);
    const { access_token: value, expires_in: seconds = 0 } = (await reply.json()) as {
      access_token?: string;
      expires_in?: number;
    };
    if (typeof value !== 'string') throw new Error('KAFKA_OAUTH_TOKEN_URL: answers without access_token');
    kept = { value, until: Date.now() + seconds * 1_000 * usedFor };
    return kept;
  };
}
