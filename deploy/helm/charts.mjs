// Writes the Helm charts, from the catalogue, into `charts/` beside this file or into the folder given: the library of templates, a chart
// for each service, and the umbrella over them.
//   node deploy/helm/charts.mjs [<folder>]
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES } from '../catalogue.mjs';
import { DASHBOARDS } from '../monitoring/dashboards.mjs';
import { ruleGroups } from '../monitoring/rules.mjs';
import { globalValues, umbrellaValues, valuesOf, valuesSchema, valuesTable, valuesYaml } from './values.mjs';

const VERSION = '0.1.0';

const here = fileURLToPath(new URL('.', import.meta.url));
const folder = process.argv[2] ?? join(here, 'charts');

/**
 * Secrets of a service in the cluster's Secret: `SWITCHYARD_ROOT_TOKEN` lies under `root-token`. One that a service reads from a file as well
 * is mounted, so that it may change while pods run.
 */
const secretsOf = ({ requiredSecrets, secrets, settings }) => [
  ...requiredSecrets.map((variable) =>
    settings.includes(`${variable}_FILE`)
      ? { variable: `${variable}_FILE`, key: secretKey(variable), mounted: true }
      : { variable, key: secretKey(variable) },
  ),
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

/** What Helm adds to the values of a chart: those that all share, and those of the library. */
const added = { global: valuesSchema(globalValues), 'switchyard-library': { type: 'object' } };

const schemaFile = (fields, further) =>
  JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...valuesSchema(fields, further) }, null, 2);

const readme = (name, description, fields) => `# ${name}

${description}. The charts are written from the catalogue of services (\`deploy/helm/package.sh\`); how to install them stands in
\`docs/operations.md\`. A value that is not in the table is refused.

| value | default | what it is for |
|---|---|---|
${valuesTable(fields)
  .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
  .join('\n')}
`;

/** Writes what a chart is beside its templates. */
function writeChart({ name, description, dependencies, fields, further = {} }) {
  const own = join(folder, name);
  mkdirSync(join(own, 'templates'), { recursive: true });
  writeFileSync(join(own, 'Chart.yaml'), chart(name, description, dependencies));
  writeFileSync(join(own, 'values.yaml'), valuesYaml(fields));
  writeFileSync(join(own, 'values.schema.json'), `${schemaFile(fields, further)}\n`);
  writeFileSync(join(own, 'README.md'), readme(name, description, fields));
  return own;
}

/** Templates of a service's chart: each calls one of the library. */
const templatesOf = ({ database, data, ...service }) => ({
  deployment: 'switchyard.deployment',
  service: 'switchyard.service',
  'service-account': 'switchyard.serviceAccount',
  'network-policy': 'switchyard.networkPolicy',
  'disruption-budget': 'switchyard.disruptionBudget',
  autoscaler: 'switchyard.autoscaler',
  'pod-monitor': 'switchyard.podMonitor',
  ...(database ? { migration: 'switchyard.migration' } : {}),
  ...(data === 'volume' || data === 'blobs' ? { claim: 'switchyard.claim' } : {}),
  ...(data === 'volume' ? { storages: 'switchyard.shards' } : {}),
  ...(service.public
    ? { ingress: 'switchyard.ingress', 'http-route': 'switchyard.httpRoute', test: 'switchyard.test' }
    : {}),
});

rmSync(folder, { recursive: true, force: true });
cpSync(join(here, 'library'), join(folder, 'library'), { recursive: true });
writeFileSync(join(folder, 'library', 'templates', '_catalogue.tpl'), catalogue());
for (const service of SERVICES) {
  const own = writeChart({
    ...service,
    dependencies: [['switchyard-library', 'library']],
    fields: valuesOf(service, secretsOf),
    further: added,
  });
  for (const [file, template] of Object.entries(templatesOf(service))) {
    writeFileSync(join(own, 'templates', `${file}.yaml`), `{{ include "${template}" . }}\n`);
  }
  writeFileSync(join(own, 'templates', 'NOTES.txt'), '{{ include "switchyard.notes" . }}\n');
}
const umbrella = writeChart({
  name: 'switchyard',
  description: 'Switchyard whole, on the Kafka and PostgreSQL that the cluster has',
  dependencies: SERVICES.map(({ name }) => [name, name]),
  fields: umbrellaValues(SERVICES),
});
cpSync(join(here, 'umbrella'), join(umbrella, 'templates'), { recursive: true });
mkdirSync(join(umbrella, 'files', 'dashboards'), { recursive: true });
// Files and not templates, since their own braces are for Prometheus and Grafana.
writeFileSync(join(umbrella, 'files', 'rules.json'), JSON.stringify(ruleGroups('$RUNBOOKS')));
for (const [file, dashboard] of Object.entries(DASHBOARDS)) {
  writeFileSync(join(umbrella, 'files', 'dashboards', file), JSON.stringify(dashboard));
}
process.stdout.write(`${folder}\n`);
