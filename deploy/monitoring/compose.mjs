// What the profile `monitoring` of the compose file adds: a collector of traces, Tempo, Prometheus and Grafana, with the
// dashboards and rules of this folder.
import { SERVICES } from '../catalogue.mjs';
import { DASHBOARDS } from './dashboards.mjs';
import { ruleGroups } from './rules.mjs';

const HTTP_PORT = 8081;

const collector = {
  receivers: { otlp: { protocols: { http: { endpoint: '0.0.0.0:4318' }, grpc: { endpoint: '0.0.0.0:4317' } } } },
  processors: { batch: {} },
  exporters: { 'otlp/tempo': { endpoint: 'tempo:4317', tls: { insecure: true } } },
  service: { pipelines: { traces: { receivers: ['otlp'], processors: ['batch'], exporters: ['otlp/tempo'] } } },
};

const tempo = {
  server: { http_listen_port: 3200 },
  distributor: { receivers: { otlp: { protocols: { grpc: { endpoint: '0.0.0.0:4317' } } } } },
  storage: { trace: { backend: 'local', local: { path: '/var/tempo/traces' }, wal: { path: '/var/tempo/wal' } } },
};

const prometheus = {
  global: { scrape_interval: '15s' },
  rule_files: ['/etc/prometheus/rules.json'],
  // One job for each service, by which rules and dashboards tell them apart.
  scrape_configs: SERVICES.map(({ name }) => ({
    job_name: name,
    static_configs: [{ targets: [`${name}:${HTTP_PORT}`] }],
  })),
};

const sources = {
  apiVersion: 1,
  datasources: [
    {
      ...{ name: 'Prometheus', type: 'prometheus', url: 'http://prometheus:9090', isDefault: true },
      jsonData: { exemplarTraceIdDestinations: [{ name: 'trace_id', datasourceUid: 'tempo' }] },
    },
    { name: 'Tempo', type: 'tempo', uid: 'tempo', url: 'http://tempo:3200' },
  ],
};

const providers = {
  apiVersion: 1,
  providers: [{ name: 'switchyard', type: 'file', options: { path: '/var/lib/grafana/dashboards' } }],
};

/** Configuration by name; JSON is YAML. */
const configs = {
  collector: collector,
  tempo,
  prometheus,
  'prometheus-rules': ruleGroups('docs/operations.md'),
  'grafana-sources': sources,
  'grafana-providers': providers,
  ...Object.fromEntries(Object.entries(DASHBOARDS).map(([file, content]) => [file.replace('.json', ''), content])),
};

const dashboards = Object.keys(DASHBOARDS).map((file) => ({
  source: file.replace('.json', ''),
  target: `/var/lib/grafana/dashboards/${file}`,
}));

/** Containers of the profile, as the compose file has them. */
export const monitoringServices = {
  collector: {
    image: 'otel/opentelemetry-collector:0.119.0',
    command: ['--config=/etc/collector.json'],
    configs: [{ source: 'collector', target: '/etc/collector.json' }],
    depends_on: ['tempo'],
  },
  tempo: {
    image: 'grafana/tempo:2.7.1',
    command: ['-config.file=/etc/tempo.json'],
    configs: [{ source: 'tempo', target: '/etc/tempo.json' }],
    volumes: ['tempo:/var/tempo'],
    // Volumes begin as root's.
    user: 'root',
  },
  prometheus: {
    image: 'prom/prometheus:v3.2.1',
    command: [
      '--config.file=/etc/prometheus/prometheus.json',
      '--storage.tsdb.retention.time=15d',
      '--enable-feature=exemplar-storage',
    ],
    configs: [
      { source: 'prometheus', target: '/etc/prometheus/prometheus.json' },
      { source: 'prometheus-rules', target: '/etc/prometheus/rules.json' },
    ],
    volumes: ['prometheus:/prometheus'],
  },
  grafana: {
    image: 'grafana/grafana:11.5.2',
    environment: {
      GF_AUTH_ANONYMOUS_ENABLED: 'true',
      GF_AUTH_ANONYMOUS_ORG_ROLE: 'Viewer',
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: 'true',
    },
    configs: [
      { source: 'grafana-sources', target: '/etc/grafana/provisioning/datasources/switchyard.yaml' },
      { source: 'grafana-providers', target: '/etc/grafana/provisioning/dashboards/switchyard.yaml' },
      ...dashboards,
    ],
    volumes: ['grafana:/var/lib/grafana'],
    // On this machine alone: everybody may look, and nobody has a password.
    ports: [`127.0.0.1:\${GRAFANA_PORT:-3000}:3000`],
    depends_on: ['prometheus', 'tempo'],
  },
};

/** Volumes of the profile. */
export const monitoringVolumes = ['tempo', 'prometheus', 'grafana'];

/** Files of the profile. Compose reads `$` as the beginning of a variable, `$$` as `$`. */
export const monitoringConfigs = Object.fromEntries(
  Object.entries(configs).map(([name, content]) => [
    name,
    { content: JSON.stringify(content).replaceAll('$', '$$$$') },
  ]),
);
