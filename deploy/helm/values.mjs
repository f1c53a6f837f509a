// What the charts take: each value once, with what it is unless given, what it may be, and what it is for. The files values.yaml,
// values.schema.json and README.md of each chart follow from it.
import { keyFilesOf } from '../local/data-folder.mjs';
import * as bounds from './bounds.mjs';

/**
 * @typedef {object} Value
 * @property {unknown} standard what it is unless given; undefined: it is not there
 * @property {object} schema what it may be, as JSON Schema
 * @property {string} about what it is for
 *
 * @typedef {object} Group
 * @property {string} about
 * @property {Readonly<Record<string, Value | Group>>} fields
 */

/** @returns {Value} */
const value = (schema, standard, about) => ({ schema, standard, about });
/** @returns {Group} */
const group = (about, fields) => ({ about, fields });

const text = (about, standard = '') => value({ type: 'string' }, standard, about);
/** Texts and lists that `global` may hold as well are not there unless given: an empty one goes before that of all. */
const sharedText = (about) => value({ type: 'string' }, undefined, about);
const sharedOneOf = (about, names) => value({ type: 'string', enum: ['', ...names] }, undefined, about);
const sharedTexts = (about) => value({ type: 'array', items: { type: 'string' } }, undefined, about);
const sharedObjects = (about) => value({ type: 'array', items: { type: 'object' } }, undefined, about);
const flag = (about, standard) => value({ type: 'boolean' }, standard, about);
const count = (about, standard, minimum = 0) => value({ type: 'integer', minimum }, standard, about);
const oneOf = (about, names, standard = '') => value({ type: 'string', enum: names }, standard, about);
const texts = (about) => value({ type: 'array', items: { type: 'string' } }, [], about);
/** Texts by name. */
const textMap = (about, standard = {}) =>
  value({ type: 'object', additionalProperties: { type: 'string' } }, standard, about);
/** What Kubernetes itself defines, and checks. */
const object = (about, standard = {}) => value({ type: 'object' }, standard, about);
const objects = (about) => value({ type: 'array', items: { type: 'object' } }, [], about);
const environment = (about) =>
  value(
    {
      type: 'object',
      properties: bounds.ENVIRONMENT,
      additionalProperties: { type: ['string', 'integer', 'number', 'boolean'] },
    },
    {},
    about,
  );
/** What `global` may hold as well, and a process takes within bounds. */
const bounded = (schema, about) => value(schema, undefined, about);

const usualResources = { requests: { cpu: '100m', memory: '192Mi' }, limits: { memory: '512Mi' } };

/** What `global` may hold as well: a service's own value goes before the one of all. */
const shared = {
  image: group('The image of all processes', {
    repository: sharedText('Default: `switchyard`'),
    tag: bounded(
      { type: ['string', 'integer'], minimum: 0, pattern: '^([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?$' },
      'Default: the version of the chart',
    ),
    digest: bounded(
      { type: 'string', pattern: '^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})?$' },
      '`sha256:…` or `sha512:…`, in place of the tag',
    ),
    pullPolicy: sharedOneOf('Default: `IfNotPresent`', ['Always', 'IfNotPresent', 'Never']),
    pullSecrets: sharedTexts('Names of Secrets with which the image is pulled'),
  }),
  secretName: sharedText('Name of the Secret with keys and passwords. Default: `switchyard`'),
  env: environment('Further environment variables; one that follows from another value is refused'),
  labels: textMap('Labels of all objects'),
  podLabels: textMap('Labels of pods'),
  podAnnotations: textMap('Annotations of pods'),
  nodeSelector: textMap('Labels of the nodes that may run pods'),
  affinity: object('Affinity of pods'),
  tolerations: sharedObjects('Tolerations of pods'),
  topologySpreadConstraints: sharedObjects(
    'How pods are spread, those of one service in each case. Default: over zones and nodes, where that is possible',
  ),
  priorityClassName: sharedText('Priority class of pods'),
  volumes: sharedObjects('Further volumes of pods, such as a bundle of certificates'),
  volumeMounts: sharedObjects('Where containers mount these'),
};

const bucket = group('Files: a bucket, unless persistence is enabled', {
  bucket: bounded(bounds.BUCKET, 'Name of the bucket'),
  endpoint: bounded(bounds.S3_ENDPOINT, "A server other than Amazon's"),
  caFile: sharedText("Path of the certificate of that server's CA, on one of `volumes`. Default: the public ones"),
  region: sharedText('Default: `us-east-1`'),
  signedDownloads: flag('Files of packages are read from the bucket itself. Default: false'),
});

const kafka = group('How Kafka is used', {
  tls: flag('Whether the brokers speak TLS. Default: false'),
  secretName: sharedText('Name of the Secret with the files below; pods have it as the folder /kafka'),
  ca: sharedText("File of it with the certificate of the brokers' CA, such as `ca.crt`. Default: the public ones"),
  certificate: sharedText('File of it with the certificate by which the brokers know us, such as `user.crt`'),
  certificateKey: sharedText('File of it with the key of that certificate, such as `user.key`'),
  saslMechanism: bounded(bounds.SASL_MECHANISM, 'How we log in'),
  username: sharedText('Who we are; with OAUTHBEARER the id of the client'),
  password: sharedText('File of it with the password; with OAUTHBEARER with the secret of the client'),
  oauthToken: sharedText('File with a token that another program keeps fresh: of the Secret, or a whole path'),
  oauthTokenUrl: bounded(bounds.OAUTH_TOKEN_URL, 'Where tokens are fetched by client credentials'),
  oauthScope: sharedText('Scope of these tokens'),
  createTopics: flag('Whether services create missing topics; else a missing one ends their start. Default: true'),
  replicationFactor: bounded(bounds.REPLICATION_FACTOR, "Replicas of topics. Default: the brokers'"),
});

/** @param {{ public?: boolean, data?: string }} [service] undefined: all of them */
const config = (service) =>
  group('Where the service is, and what it finds', {
    ...(service?.public
      ? {}
      : {
          kafkaBrokers: bounded(bounds.KAFKA_BROKERS, "`host:port,host:port` of the cluster's Kafka; required"),
          kafka,
        }),
    externalUrl: bounded(bounds.EXTERNAL_URL, 'The address clients use; required'),
    tier: bounded(bounds.TIER, 'Default: `ultimate`'),
    otlpEndpoint: bounded(bounds.OTLP_ENDPOINT, 'Collector of traces; none unless given'),
    ...(service === undefined || service.data === 'blobs' ? { s3: bucket } : {}),
  });

const probe = (about, standard) => object(`${about}; a further field of a probe stands beside these`, standard);
const probes = group('Times of the probes', {
  startup: probe('Until a process has started', { periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 60 }),
  liveness: probe('Whether it runs', { periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 }),
  readiness: probe('Whether it takes requests', { periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 }),
});

const persistence = (about, enabled, accessMode, further = {}) =>
  group(about, {
    enabled: flag('Whether there is a volume', enabled),
    existingClaim: text('Name of a claim that is there already; else one is made, and kept when the release goes'),
    size: text('Size of a claim that is made', '20Gi'),
    accessMode: oneOf('How it can be mounted', ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'], accessMode),
    storageClass: text("Storage class of a claim that is made. Default: the cluster's"),
    ...further,
  });

/** A further storage of repositories. */
const storage = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    name: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$' },
    weight: { type: 'integer', minimum: 0, maximum: 100 },
    size: { type: 'string' },
    storageClass: { type: 'string' },
    accessMode: { type: 'string', enum: ['ReadWriteOnce', 'ReadWriteOncePod', 'ReadWriteMany'] },
    existingClaim: { type: 'string' },
  },
};

const volumes = {
  volume: {
    git: group('How much git runs in one pod; its memory follows from it', {
      places: value(bounds.GIT_PLACES, 16, 'Requests that run git at the same time, and as many transfers'),
      processMemory: value(bounds.GIT_MEMORY_MB, 512, 'Megabytes that one git process may allocate'),
    }),
    persistence: persistence(
      'More than one replica needs a volume that several nodes can mount (ReadWriteMany).',
      true,
      'ReadWriteOnce',
      {
        weight: value(
          { type: 'integer', minimum: 0, maximum: 100 },
          1,
          'Share of new repositories that lie here, where there are further `storages`',
        ),
      },
    ),
    storages: value(
      { type: 'array', items: storage },
      [],
      'Further storages of repositories, each with a pod (StatefulSet), a volume and a Service of its own: `{ name: fast, weight: 1, size: 50Gi, storageClass: …, accessMode: …, existingClaim: … }`; all but the name may be left out',
    ),
  },
  blobs: {
    persistence: persistence(
      'Files on a volume in place of the bucket; more than one replica needs one that several nodes can mount (ReadWriteMany).',
      false,
      'ReadWriteMany',
    ),
  },
};

const entrance = {
  service: group('The Service of the public port', {
    type: oneOf('Its type', ['ClusterIP', 'NodePort', 'LoadBalancer'], 'ClusterIP'),
    annotations: textMap('Its annotations'),
  }),
  trustedProxies: value(
    { type: 'array', items: bounds.TRUSTED_PROXY },
    [],
    'Proxies in front of the gateway whose `X-Forwarded-For` is believed: addresses, ranges, names; required with an ingress or a route, since all callers would share the address of that',
  ),
  ingress: group('The way in by an Ingress', {
    enabled: flag('Whether there is one', false),
    className: text("Its class. Default: the cluster's"),
    controller: oneOf(
      'Gets the annotations that git and packages need: bodies of any size, streamed both ways, and requests of an hour',
      ['nginx', 'other'],
      'nginx',
    ),
    hosts: texts('Its host names. Default: that of `config.externalUrl`'),
    tlsSecretName: text('Name of the Secret with its certificate; none: it has no TLS of its own'),
    annotations: textMap('Further annotations, over those of the controller'),
  }),
  httpRoute: group('The way in by the Gateway API, 1.2 or newer; the listener has the certificate', {
    enabled: flag('Whether there is one', false),
    parentRefs: objects('The Gateways that it belongs to; required'),
    hostnames: texts('Its host names. Default: that of `config.externalUrl`'),
    timeout: text('Most time that a request may take; `0s`: any', '0s'),
    annotations: textMap('Its annotations'),
  }),
  test: group('What `helm test` does beyond the question whether the gateway answers', {
    tour: flag(
      "Whether it takes the tour: it makes a project with the administrator's token of the Secret, lands a merge request by a train, publishes a package, and deletes the project",
      true,
    ),
    resources: object('Resources of its pod', usualResources),
  }),
};

/** What templates set, from other values or by themselves. */
const CHART_SETTINGS = [
  ...['SWITCHYARD_GIT_PLACES', 'SWITCHYARD_GIT_MEMORY_MB', 'SWITCHYARD_SECRET_FILE'],
  ...['SWITCHYARD_REPOSITORY_STORAGES', 'SWITCHYARD_STORAGES_SERVED', 'SWITCHYARD_STORAGE_PEERS'],
  ...['SWITCHYARD_TRUSTED_PROXIES', 'S3_BUCKET', 'S3_ENDPOINT', 'S3_CA_FILE', 'S3_REGION', 'S3_SIGNED_DOWNLOADS'],
];

/** What the Secret of a service holds, for its reader. */
function secretContents(service, secretsOf) {
  const named = (which) => secretsOf(service).flatMap(({ key, optional }) => (which(optional) ? key : []));
  const needed = [
    ...(service.database ? [`${service.name}-database-url`] : []),
    ...named((optional) => !optional),
    ...keyFilesOf(service),
  ];
  const optional = named((one) => one);
  return `${needed.join(', ')}${optional.length > 0 ? `; it may hold: ${optional.join(', ')}` : ''}`;
}

/**
 * The values of the chart of a service.
 *
 * @param {object} service a row of the catalogue
 * @param {(service: object) => readonly { key: string, optional?: boolean }[]} secretsOf
 * @returns {Readonly<Record<string, Value | Group>>}
 */
export function valuesOf(service, secretsOf) {
  const { name, settings, database, data } = service;
  const further = settings.filter((setting) => !CHART_SETTINGS.includes(setting));
  return {
    ...shared,
    secretName: sharedText(
      `${shared.secretName.about}. It holds: ${secretContents(service, secretsOf)} (\`SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder>\` makes the keys)`,
    ),
    env: environment(`${shared.env.about}${further.length > 0 ? `. It may hold: ${further.join(', ')}` : ''}`),
    config: config(service),
    replicas: count('Pods, unless autoscaling is enabled', data === 'volume' ? 1 : 2),
    peers: value(
      { type: 'object', additionalProperties: bounds.PEER },
      {},
      'Host names of the other services, where they run in another release: `{ groups-admin: …, merge-requests: … }`. Calls over gRPC go to the name with -grpc behind its first label, which stands for all replicas',
    ),
    resources:
      data === 'volume'
        ? object('Resources of a pod. Memory that is not given follows from `git`', { requests: { cpu: '500m' } })
        : object('Resources of a pod', usualResources),
    probes,
    drainSeconds: value(
      bounds.DRAIN_SECONDS,
      120,
      'Seconds that running requests, clones and pushes have to end when a pod stops',
    ),
    terminationGracePeriodSeconds: count(
      'Seconds after which a pod is killed; 0: half a minute more than `drainSeconds`',
      0,
    ),
    serviceAccount: group('The account of the pods, whose token they do not get', {
      create: flag('Whether the chart makes it', true),
      name: text('Its name. Default: that of the release and the service; `default` where it is not made'),
      annotations: textMap('Its annotations'),
    }),
    podDisruptionBudget: group('How many pods may be away for maintenance', {
      enabled: flag('Whether there is a limit', true),
      maxUnavailable: value({ type: ['integer', 'string'] }, 1, 'Pods, or a part such as `25%`'),
    }),
    autoscaling: group('As many pods as the load needs', {
      enabled: flag('Whether the number follows the load', false),
      minReplicas: count('Least pods', 2, 1),
      maxReplicas: count('Most pods', 6, 1),
      targetCpu: count('Percent of the requested CPU that pods shall use; 0: CPU does not count', 70),
      metrics: objects('Further metrics, such as our own by an adapter'),
      behavior: object('How fast the number changes'),
    }),
    ...(database
      ? {
          migration: group('The job that migrates the database before an installation or upgrade', {
            resources: object('Resources of its pod', usualResources),
            activeDeadlineSeconds: count('Seconds after which it has failed', 1_800, 1),
            backoffLimit: count('How often it is tried again', 3),
          }),
        }
      : {}),
    ...(service.public ? entrance : {}),
    ...(volumes[data] ?? {}),
    networkPolicy: group(
      "Lets in the pods that call this service, and no others; the cluster's network must support policies.",
      {
        enabled: flag('Whether there is one', false),
        ...(service.public
          ? {}
          : { releases: texts('Other releases whose pods call this one, where the charts are installed one by one') }),
        metricsNamespace: text('Namespace of what scrapes metrics'),
      },
    ),
    podMonitor: group(`Metrics of ${name} for the Prometheus operator`, {
      enabled: flag('Whether there is one; pods are scraped, since the public Service has no port for it', false),
      interval: text('Time between two scrapes', '30s'),
      labels: textMap('Labels by which the operator finds it'),
    }),
  };
}

/** The values that all services share, under `global`. */
export const globalValues = {
  ...shared,
  config: config(),
  metricsNamespace: text('Namespace of what scrapes metrics; its pods may reach the inner HTTP port'),
};

/** What an operator's Prometheus and Grafana take. */
const monitoring = group('Alarms and dashboards; both operators find them by labels', {
  rules: group('A PrometheusRule', {
    enabled: flag('Whether there is one', false),
    labels: textMap('Its labels'),
    runbooks: text('Where `docs/operations.md` is; each alarm names a heading of it', 'docs/operations.md'),
  }),
  dashboards: group('ConfigMaps with two dashboards of Grafana: requests and merge trains', {
    enabled: flag('Whether there are any', false),
    labels: textMap('Their labels', { grafana_dashboard: '1' }),
  }),
});

/** A CronJob that copies databases and files; how a backup is restored stands in the manual. */
const backup = group('A backup by a CronJob: first the databases, then the files that they name', {
  enabled: flag('Whether there is one', false),
  schedule: text('When, as cron writes it', '0 2 * * *'),
  claim: text('Name of the claim that takes the backups; required'),
  sources: texts('Names of the claims with files. Default: those of all services of the release that have a volume'),
  postgresImage: text('Image with `pg_basebackup`, of the major version of the server', 'postgres:18'),
  keep: count('How many complete backups are kept', 7, 1),
  activeDeadlineSeconds: count('Seconds after which it has failed', 21_600, 1),
  resources: object('Resources of each of its two containers', usualResources),
});

/**
 * The values of the umbrella.
 *
 * @param {readonly { name: string }[]} services
 */
export const umbrellaValues = (services) => ({
  global: group(
    "What the services share; a service's own value goes before it, also an empty text or list.",
    globalValues,
  ),
  monitoring,
  backup,
  ...Object.fromEntries(
    services.map(({ name }) => [
      name,
      value({ type: 'object' }, { networkPolicy: { enabled: true } }, `Values of the chart \`${name}\``),
    ]),
  ),
});

const isGroup = (one) => 'fields' in one;

/** The values as YAML, each below what it is for. A value that is not there is a comment. */
export function valuesYaml(fields, indent = '') {
  const lines = Object.entries(fields).flatMap(([name, one]) => {
    const about = `${indent}# ${one.about}`;
    if (isGroup(one)) {
      // With nothing but comments below it would be null, and Helm would take it away.
      const empty = Object.values(one.fields).every((field) => !isGroup(field) && field.standard === undefined);
      return [about, `${indent}${name}:${empty ? ' {}' : ''}`, valuesYaml(one.fields, `${indent}  `).trimEnd()];
    }
    if (one.standard === undefined) return [about, `${indent}# ${name}:`];
    return [about, `${indent}${name}: ${JSON.stringify(one.standard)}`];
  });
  return `${lines.join('\n')}\n`;
}

/** What values may be: anything else is refused, also a name that is written wrongly. */
export function valuesSchema(fields, further = {}) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, one]) => [
      name,
      { description: one.about, ...(isGroup(one) ? valuesSchema(one.fields) : one.schema) },
    ]),
  );
  return { type: 'object', additionalProperties: false, properties: { ...properties, ...further } };
}

/** The values as rows of a table: name, default, what it is for. */
export function valuesTable(fields, before = '') {
  return Object.entries(fields).flatMap(([name, one]) =>
    isGroup(one)
      ? [[`\`${before}${name}\``, '', one.about], ...valuesTable(one.fields, `${before}${name}.`)]
      : [[`\`${before}${name}\``, one.standard === undefined ? '' : `\`${JSON.stringify(one.standard)}\``, one.about]],
  );
}
