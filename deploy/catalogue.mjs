import { readFileSync } from 'node:fs';

/**
 * What an installation consists of, in starting order; stopping runs backwards. A service is its folder in `services/` and its row here.
 * What it needs stands under `switchyard` in its own package.json (`Manifest`), and everything that starts, deploys or tests services
 * follows from these two places.
 */
const ROWS = ['groups-admin', 'merge-requests', 'collaboration', 'alerts', 'packages', 'imports-exports', 'gateway'];

/** What every domain service reads of Kafka, beside the brokers: `busVariables` of libs/config. */
export const KAFKA_SETTINGS = [
  'KAFKA_TLS',
  'KAFKA_CA_FILE',
  'KAFKA_CERTIFICATE_FILE',
  'KAFKA_CERTIFICATE_KEY_FILE',
  'KAFKA_SASL_MECHANISM',
  'KAFKA_SASL_USERNAME',
  'KAFKA_SASL_PASSWORD_FILE',
  'KAFKA_OAUTH_TOKEN_FILE',
  'KAFKA_OAUTH_TOKEN_URL',
  'KAFKA_OAUTH_SCOPE',
  'KAFKA_CREATE_TOPICS',
  'KAFKA_REPLICATION_FACTOR',
];

/** What every domain service reads: `serviceVariables` of libs/config. */
const DOMAIN_VARIABLES = [
  'SWITCHYARD_DRAIN_SECONDS',
  'HOST',
  'GRPC_PORT',
  'HTTP_PORT',
  'DATABASE_URL',
  'LOG_DATABASE_URL',
  'KAFKA_BROKERS',
  ...KAFKA_SETTINGS,
  'SWITCHYARD_IDENTITY_KEY_FILE',
  'SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE',
  'SWITCHYARD_EXTERNAL_URL',
  'SWITCHYARD_TIER',
];

const PUBLIC_VARIABLES = [
  'SWITCHYARD_DRAIN_SECONDS',
  'HOST',
  'PORT',
  'HTTP_HOST',
  'HTTP_PORT',
  'SWITCHYARD_IDENTITY_KEY_FILE',
  'SWITCHYARD_EXTERNAL_URL',
  'SWITCHYARD_TIER',
];

/** What libs/blobs reads beside the data folder: `blobVariables`. */
const BUCKET_VARIABLES = ['S3_BUCKET', 'S3_ENDPOINT', 'S3_CA_FILE', 'S3_REGION', 'S3_SIGNED_DOWNLOADS'];
const BUCKET_SECRETS = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];

const SHAPE = {
  public: 'boolean',
  peers: 'list',
  http: 'boolean',
  data: ['scratch', 'volume', 'blobs'],
  variables: 'list',
  secrets: 'list',
  requiredSecrets: 'list',
  keys: 'record',
  digestKeys: 'record',
  commands: 'record',
};

/**
 * The services of the installation.
 *
 * @type {readonly Service[]}
 *
 * @typedef {object} Manifest what a service's package.json says under `switchyard`
 * @property {boolean} [public] it serves the public port, calls every other service, and owns no database: the gateway
 * @property {string[]} [peers] the services that it calls over gRPC
 * @property {boolean} [http] the gateway forwards HTTP requests to it (git, uploads, downloads)
 * @property {'scratch' | 'volume' | 'blobs'} [data] what it keeps below the data folder: files that may be lost with the machine, files
 *   that need a volume, or a blob store, which lies there unless a bucket is configured
 * @property {string[]} [variables] its own environment variables
 * @property {string[]} [secrets] its own variables that carry a secret and may be unset
 * @property {string[]} [requiredSecrets] its own variables that carry a secret and must be set
 * @property {Record<string, string>} [keys] keys derived from the instance's secret: name → label of the derivation. The service reads
 *   the file of key `a-b` from `SWITCHYARD_A_B_KEY_FILE`
 * @property {Record<string, string>} [digestKeys] the same for keys that digests are made with, which stay when the secret changes
 * @property {Record<string, string>} [commands] what `npm run admin` offers: name of the command → sub-command of the service's program
 *
 * @typedef {object} Service
 * @property {string} name of the process, its folder and its key
 * @property {string} description one line
 * @property {boolean} public
 * @property {string} [database] its database, and the role that owns it
 * @property {readonly string[]} peers the services that it calls over gRPC
 * @property {readonly string[]} httpPeers the services to which it forwards HTTP requests
 * @property {'scratch' | 'volume' | 'blobs'} [data]
 * @property {readonly DerivedKey[]} keys
 * @property {readonly string[]} secrets variables that carry a secret of an operator and may be unset
 * @property {readonly string[]} requiredSecrets
 * @property {readonly string[]} settings variables of its own that an operator may set, secrets left out
 * @property {Readonly<Record<string, string>>} commands
 * @property {readonly string[]} variables all that it reads; it is given these, what every process needs, and nothing else
 *
 * @typedef {object} DerivedKey
 * @property {string} file its name in the folder of keys
 * @property {string} variable by which the service finds it
 * @property {string} label of the derivation
 * @property {boolean} stays when the secret changes: digests cannot be made again
 */
export const SERVICES = describe(ROWS.map((name) => ({ name, ...manifestOf(name) })));

// Declarations, not constants: `SERVICES` above calls what follows while this module is loaded.

/** The variable that names the gRPC address of a service: `host:port`. */
export function addressVariable(name) {
  return `${constant(name)}_ADDRESS`;
}

/** The variable that names the internal HTTP server of a service, a URL. */
export function httpVariable(name) {
  return `${constant(name)}_HTTP_URL`;
}

function describe(manifests) {
  const domain = manifests.filter((one) => !one.public);
  return manifests.map((manifest) => {
    const peers = manifest.public ? domain.map(({ name }) => name) : (manifest.peers ?? []);
    const httpPeers = manifest.public ? domain.filter(({ http }) => http).map(({ name }) => name) : [];
    for (const peer of peers) {
      if (!ROWS.includes(peer)) throw new Error(`services/${manifest.name}/package.json: there is no service ${peer}`);
    }
    const bucket = manifest.data === 'blobs';
    const keysOf = (labels, stays) =>
      Object.entries(labels ?? {}).map(([name, label]) => ({
        file: `${name}.key`,
        variable: `SWITCHYARD_${constant(name)}_KEY_FILE`,
        label,
        stays,
      }));
    const keys = [...keysOf(manifest.keys, false), ...keysOf(manifest.digestKeys, true)];
    const secrets = [...(manifest.secrets ?? []), ...(bucket ? BUCKET_SECRETS : [])];
    const { requiredSecrets = [], variables: settings = [], commands = {} } = manifest;
    return {
      name: manifest.name,
      description: manifest.description,
      public: manifest.public === true,
      database: manifest.public ? undefined : `switchyard_${manifest.name.replaceAll('-', '_')}`,
      peers,
      httpPeers,
      data: manifest.data,
      keys,
      secrets,
      requiredSecrets,
      settings: [...settings, ...(bucket ? BUCKET_VARIABLES : [])],
      commands,
      variables: [
        ...(manifest.public ? PUBLIC_VARIABLES : DOMAIN_VARIABLES),
        ...peers.map(addressVariable),
        ...httpPeers.map(httpVariable),
        ...(manifest.data ? ['SWITCHYARD_DATA'] : []),
        ...keys.map(({ variable }) => variable),
        ...requiredSecrets,
        ...secrets,
        ...settings,
        ...(bucket ? BUCKET_VARIABLES : []),
      ],
    };
  });
}

/** @throws when the service's package.json has no manifest, or one with a field that is not known */
function manifestOf(name) {
  const file = new URL(`../services/${name}/package.json`, import.meta.url);
  const { description, switchyard } = JSON.parse(readFileSync(file, 'utf8'));
  if (switchyard === undefined) throw new Error(`services/${name}/package.json: \`switchyard\` is missing`);
  for (const [field, value] of Object.entries(switchyard)) {
    if (!fits(SHAPE[field], value)) throw new Error(`services/${name}/package.json: \`switchyard.${field}\` is wrong`);
  }
  return { description, ...switchyard };
}

function fits(shape, value) {
  if (Array.isArray(shape)) return shape.includes(value);
  const areTexts = (list) => list.every((one) => typeof one === 'string');
  if (shape === 'list') return Array.isArray(value) && areTexts(value);
  if (shape === 'record') return typeof value === 'object' && areTexts(Object.values(value));
  return typeof value === shape;
}

function constant(name) {
  return name.toUpperCase().replaceAll('-', '_');
}
