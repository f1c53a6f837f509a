// Writes compose.yaml, from the catalogue, beside this file or to the path given:
//   node deploy/compose/compose.mjs [<file>]
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { addressVariable, httpVariable, SERVICES } from '../catalogue.mjs';
import { monitoringConfigs, monitoringServices, monitoringVolumes } from '../monitoring/compose.mjs';

const GRPC_PORT = 50051;
const HTTP_PORT = 8081;
const KEYS = '/keys';

const file = process.argv[2] ?? fileURLToPath(new URL('compose.yaml', import.meta.url));
const owners = SERVICES.filter(({ database }) => database);

/** The variable with the password of a database role; `databases.sh` reads the role from its name. */
const passwordVariable = ({ database }) => `${database.toUpperCase()}_DATABASE_PASSWORD`;

/** Lines, indented by a number of blanks. */
const indented = (blanks, lines) => lines.map((line) => ' '.repeat(blanks) + line).join('\n');

/** The environment of a service; an empty variable counts as unset. */
function environmentOf(service) {
  const { name, database, peers, httpPeers, keys, requiredSecrets, secrets, settings } = service;
  const own = service.public
    ? ['PORT: 8080', 'HTTP_HOST: 0.0.0.0']
    : [
        `GRPC_PORT: ${GRPC_PORT}`,
        'KAFKA_BROKERS: kafka:9092',
        `SWITCHYARD_IDENTITY_PUBLIC_KEYS_FILE: ${KEYS}/public-keys.json`,
        `DATABASE_URL: postgresql://${database}:\${${passwordVariable(service)}:?}@postgres/${database}`,
      ];
  return [
    '<<: *environment',
    ...own,
    `SWITCHYARD_IDENTITY_KEY_FILE: ${KEYS}/${name}.key`,
    ...keys.map((key) => `${key.variable}: ${KEYS}/${key.file}`),
    ...peers.map((peer) => `${addressVariable(peer)}: ${peer}:${GRPC_PORT}`),
    ...httpPeers.map((peer) => `${httpVariable(peer)}: http://${peer}:${HTTP_PORT}`),
    ...requiredSecrets.map((variable) => `${variable}: \${${variable}:?}`),
    ...[...secrets, ...settings].map((variable) => `${variable}: \${${variable}:-}`),
  ];
}

const volumesOf = ({ name, data }) => `[${data ? 'data:/data, ' : ''}keys-${name}:${KEYS}:ro]`;

/** What a service shares with its migrations. */
const template = (service) => `x-${service.name}: &${service.name}
  <<: *service
  environment:
${indented(4, environmentOf(service))}
  volumes: ${volumesOf(service)}
`;

const migration = ({ name }) => `  migrate-${name}:
    <<: *${name}
    restart: 'no'
    command: [node, services/${name}/dist/main.js, migrate]
    depends_on:
      postgres: { condition: service_healthy }
      keys: { condition: service_completed_successfully }
`;

const container = (service) => `  ${service.name}:
    <<: *${service.name}
    command: [node, services/${service.name}/dist/main.js]
    healthcheck: *probe
    depends_on:
      ${service.public ? 'keys' : `migrate-${service.name}`}: { condition: service_completed_successfully }
${service.public ? '' : '      kafka: { condition: service_healthy }\n'}${service.public ? `    ports: ['\${PORT:-8080}:8080']\n` : ''}`;

/** The containers of the profile `monitoring`; JSON is YAML. */
const monitoring = Object.entries(monitoringServices).map(
  ([name, service]) =>
    `${name}: ${JSON.stringify({ profiles: ['monitoring'], restart: 'unless-stopped', ...service })}`,
);

const text = `# Written by deploy/compose/compose.mjs from the catalogue (deploy/catalogue.mjs).
# Each container gets the secrets of its own process and no others.
name: switchyard

x-service: &service
  image: switchyard
  build:
    context: ../..
    dockerfile: deploy/docker/Dockerfile
  restart: unless-stopped
  stop_grace_period: \${STOP_GRACE_PERIOD:-30s}

x-environment: &environment
  HTTP_PORT: ${HTTP_PORT}
  SWITCHYARD_TIER: \${SWITCHYARD_TIER:-ultimate}
  SWITCHYARD_EXTERNAL_URL: \${SWITCHYARD_EXTERNAL_URL:-http://127.0.0.1:\${PORT:-8080}}
  OTEL_EXPORTER_OTLP_ENDPOINT: \${OTEL_EXPORTER_OTLP_ENDPOINT:-}
  OTEL_TRACES_SAMPLER_ARG: \${OTEL_TRACES_SAMPLER_ARG:-0.01}
  LOG_LEVEL: \${LOG_LEVEL:-info}
  SWITCHYARD_DRAIN_SECONDS: \${SWITCHYARD_DRAIN_SECONDS:-}

x-probe: &probe
  test: [CMD, node, -e, "fetch('http://127.0.0.1:${HTTP_PORT}/-/readiness').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
  interval: 5s
  start_period: 30s

${SERVICES.map(template).join('\n')}
services:
  postgres:
    image: postgres:18
    restart: unless-stopped
    environment:
      POSTGRES_PASSWORD: \${SWITCHYARD_DATABASE_PASSWORD:?}
${indented(
  6,
  owners.map((service) => `${passwordVariable(service)}: \${${passwordVariable(service)}:?}`),
)}
    command: [postgres, -c, max_connections=200]
    volumes:
      - postgres:/var/lib/postgresql
      - ./databases.sh:/docker-entrypoint-initdb.d/databases.sh:ro
    healthcheck:
      # Over TCP: the server that runs the init script listens on the socket alone.
      test: [CMD, pg_isready, --host=127.0.0.1, --username=postgres]
      interval: 2s
      retries: 30

  kafka:
    image: apache/kafka:3.9.1
    restart: unless-stopped
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@localhost:9093
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: 1
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: 1
      KAFKA_LOG_DIRS: /var/lib/kafka/data
    volumes: [kafka:/var/lib/kafka/data]
    healthcheck:
      # Its own tools start a JVM each time.
      test: [CMD, bash, -c, 'exec 3<>/dev/tcp/127.0.0.1/9092']
      interval: 5s
      retries: 24

  # Makes the keys, and hands each process its own.
  keys:
    <<: *service
    restart: 'no'
    # Volumes begin as root's.
    user: root
    environment:
      SWITCHYARD_SECRET: \${SWITCHYARD_SECRET:?}
    volumes:
      - data:/data
      - keys:${KEYS}
${indented(
  6,
  SERVICES.map(({ name }) => `- keys-${name}:/shares/${name}`),
)}
    command: [sh, -c, 'node deploy/docker/keys.mjs ${KEYS} /shares && chown -R node:node /shares /data && chmod -R go= /data ${KEYS}']

${[...owners.map(migration), ...SERVICES.map(container)].join('\n')}
  # docker compose --profile monitoring up
${indented(2, monitoring)}

configs:
${indented(
  2,
  Object.entries(monitoringConfigs).map(([name, config]) => `${name}: ${JSON.stringify(config)}`),
)}

volumes:
${indented(
  2,
  ['data', 'keys', ...SERVICES.map(({ name }) => `keys-${name}`), 'kafka', 'postgres', ...monitoringVolumes].map(
    (volume) => `${volume}:`,
  ),
)}
`;

writeFileSync(file, text);
process.stdout.write(`${file}\n`);
