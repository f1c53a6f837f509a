// Writes the Helm charts, from the catalogue, into `charts/` beside this file or into the folder given: the library of templates, a chart
// for each service, and the umbrella over them.
//   node deploy/helm/charts.mjs [<folder>]
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '../catalogue.mjs';
import { keyFilesOf } from '../local/data-folder.mjs';

const VERSION = '0.1.0';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = process.argv[2] ?? join(here, 'charts');

/** Secrets of a service in the cluster's Secret: `SWITCHYARD_ROOT_TOKEN` lies under `root-token`. */
const secretsOf = ({ requiredSecrets, secrets }) => [
  ...requiredSecrets.map((variable) => ({ variable, key: secretKey(variable) })),
  ...secrets.map((variable) => ({ variable, key: secretKey(variable), optional: true })),
];
const secretKey = (variable) =>
  variable
    .replace(/^SWITCHYARD_/, '')
    .toLowerCase()
    .replaceAll('_', '-');

/** The services by name, as templates read them; JSON is YAML. */
function catalogue() {
  const rows = SERVICES.map((service) => {
    const { name, keys, data, peers, httpPeers } = service;
    const calls = { grpc: peers, http: httpPeers };
    const row = { public: service.public, data: data ?? '', calls, keys, secrets: secretsOf(service) };
    return `${name}: ${JSON.stringify(row)}`;
  });
  return `{{- define "switchyard.catalogue" -}}\n${rows.join('\n')}\n{{- end -}}\n`;
}

const chart = (name, description, dependencies) => `apiVersion: v2
name: ${name}
description: ${JSON.stringify(description)}
type: application
version: ${VERSION}
appVersion: ${VERSION}
dependencies:
${dependencies.map(([on, path]) => `  - { name: ${on}, version: ${VERSION}, repository: 'file://../${path}' }`).join('\n')}
`;

/** What the Secret of a service holds, for its reader. */
function secretContents(service) {
  const named = (which) => secretsOf(service).flatMap(({ key, optional }) => (which(optional) ? key : []));
  const needed = [
    ...(service.database ? [`${service.name}-database-url`] : []),
    ...named((optional) => !optional),
    ...keyFilesOf(service),
  ];
  const optional = named((one) => one);
  return `${needed.join(', ')}${optional.length > 0 ? `; may hold: ${optional.join(', ')}` : ''}`;
}

const settingsOf = ({ settings }) =>
  settings.length > 0 ? `# Further environment variables: ${settings.join(', ')}` : '# Further environment variables';

const values = (service) => `image:
  repository: switchyard
  tag: ''
  pullPolicy: IfNotPresent

replicas: ${service.data === 'volume' ? 1 : 2}

# A Secret with: ${secretContents(service)}
# (\`SWITCHYARD_SECRET=… node deploy/docker/keys.mjs <folder>\` makes the keys).
secretName: switchyard

config:
${service.public ? '' : "  # host:port,host:port of the cluster's Kafka\n  kafkaBrokers: ''\n"}  # the address clients use
  externalUrl: ''
  tier: ultimate
  otlpEndpoint: ''
${service.data === 'blobs' ? bucket : ''}
# Host names of the other services, where they run in another release: { groups-admin: …, merge-requests: … }. Calls over gRPC go to the
# name with -grpc behind its first label, which stands for all replicas.
peers: {}

${settingsOf(service)}
env: {}

resources:
  requests: { cpu: 100m, memory: 192Mi }
  limits: { memory: 512Mi }
${service.public ? entrance : ''}${persistence[service.data] ?? ''}
# Lets in the pods that call this service, and no others; the cluster's network must support policies.
networkPolicy:
  enabled: false
  # Other releases whose pods call this one, where the charts are installed one by one
  releases: []
  # Namespace of what scrapes metrics
  metricsNamespace: ''
`;

const bucket = `  # Files: a bucket, unless persistence is enabled; endpoint: a server other than Amazon's; signedDownloads: files of packages
  # are read from the bucket itself
  s3:
    bucket: ''
    endpoint: ''
    region: us-east-1
    signedDownloads: false
`;

const entrance = `
# Behind an ingress, set env to the range of its pods: { SWITCHYARD_TRUSTED_PROXIES: 10.0.0.0/8 }. Without it all callers share the ingress's
# address, and one that sends wrong tokens counts as all of them.
service:
  type: ClusterIP
`;

const persistence = {
  volume: `
# More than one replica needs a volume that several nodes can mount (ReadWriteMany).
persistence:
  enabled: true
  size: 20Gi
  accessMode: ReadWriteOnce
  storageClass: ''
`,
  blobs: `
# Files on a volume in place of the bucket; more than one replica needs one that several nodes can mount (ReadWriteMany).
persistence:
  enabled: false
  size: 20Gi
  accessMode: ReadWriteMany
  storageClass: ''
`,
};

const umbrellaValues = `# What the services share, over the values of their own charts; a service's own values go under its name.
global:
  # { repository: …, tag: … }
  image: {}
  secretName: switchyard
  # kafkaBrokers, externalUrl and s3.bucket (unless persistence is enabled where files are kept) are required; also tier, otlpEndpoint
  config: {}
  # Further environment variables of all of them, such as LOG_LEVEL, and what gateway and alerts must agree on, SWITCHYARD_ALERT_PAYLOAD_LIMIT
  env: {}
  # Namespace of what scrapes metrics; its pods may reach the inner HTTP port
  metricsNamespace: ''

# All of the release are here, so inner ports can be closed to everything else.
${SERVICES.map(({ name }) => `${name}: { networkPolicy: { enabled: true } }`).join('\n')}
`;

/** Templates of a service's chart: each calls one of the library. */
const templatesOf = ({ database, data }) => ({
  deployment: 'switchyard.deployment',
  service: 'switchyard.service',
  'network-policy': 'switchyard.networkPolicy',
  ...(database ? { migration: 'switchyard.migration' } : {}),
  ...(data in persistence ? { claim: 'switchyard.claim' } : {}),
});

rmSync(folder, { recursive: true, force: true });
cpSync(join(here, 'library'), join(folder, 'library'), { recursive: true });
writeFileSync(join(folder, 'library', 'templates', '_catalogue.tpl'), catalogue());
for (const service of SERVICES) {
  const own = join(folder, service.name);
  mkdirSync(join(own, 'templates'), { recursive: true });
  writeFileSync(join(own, 'Chart.yaml'), chart(service.name, service.description, [['switchyard-library', 'library']]));
  writeFileSync(join(own, 'values.yaml'), values(service));
  for (const [file, template] of Object.entries(templatesOf(service))) {
    writeFileSync(join(own, 'templates', `${file}.yaml`), `{{ include "${template}" . }}\n`);
  }
}
const umbrella = join(folder, 'switchyard');
mkdirSync(umbrella, { recursive: true });
const all = SERVICES.map(({ name }) => [name, name]);
writeFileSync(
  join(umbrella, 'Chart.yaml'),
  chart('switchyard', 'Switchyard whole, on the Kafka and PostgreSQL that the cluster has', all),
);
writeFileSync(join(umbrella, 'values.yaml'), umbrellaValues);
process.stdout.write(`${folder}\n`);
