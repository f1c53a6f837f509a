const { randomBytes } = require('node:crypto');
const pg = require('pg');
const { IMAGES, containerEngine } = require('./containers.cjs');
const { startServer } = require('./server.cjs');

const prefix = 'switchyard_test_';
const leftoverAfterSeconds = 24 * 3600;

/**
 * One PostgreSQL for the run, in this order: TEST_DATABASE_URL, a container where an engine gives one, the embedded server.
 * Tests reach it through `testDatabase` of @switchyard/testkit.
 */
module.exports = async () => {
  const stops = [];
  globalThis.testServers = stops;
  const engine = await usableEngine();
  process.env.TEST_OWN_KAFKA = await ownKafkaSource(engine);
  process.env.TEST_KAFKA_IMAGE = IMAGES.kafka;
  process.env.TEST_RUN_PREFIX = `${prefix}${Math.floor(Date.now() / 1000)}_${randomBytes(3).toString('hex')}_`;
  if (process.env.TEST_DATABASE_URL) {
    await dropLeftovers(process.env.TEST_DATABASE_URL);
    const ours = process.env.TEST_RUN_PREFIX;
    stops.push(() => dropDatabases(process.env.TEST_DATABASE_URL, (name) => name.startsWith(ours)));
    return;
  }
  if (engine) {
    const { PostgreSqlContainer } = require('@testcontainers/postgresql');
    const { Wait } = require('testcontainers');
    const container = await new PostgreSqlContainer(IMAGES.postgres)
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'max_connections=300'])
      // Once for the server that makes the database. Health checks want systemd of some engines.
      .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2))
      .start();
    process.env.TEST_DATABASE_URL = container.getConnectionUri();
    stops.push(() => container.stop());
    return;
  }
  const server = await startServer('jest/postgres.mjs');
  process.env.TEST_DATABASE_URL = server.answer.url;
  stops.push(server.stop);
};

/** Whether containers are used; one that cannot give what tests need is named. With `REQUIRE_CONTAINERS=1` that is a failure. */
async function usableEngine() {
  const engine = await containerEngine();
  if (engine.usable) return true;
  if (process.env.REQUIRE_CONTAINERS === '1') {
    throw new Error(`containers are required (REQUIRE_CONTAINERS=1): ${engine.reason}`);
  }
  if (engine.answers) process.stdout.write(`${engine.reason}: tests use the embedded servers\n`);
  return false;
}

/** Where a broker of one test alone comes from: `container`, `java`, or `none: <reason>`. */
async function ownKafkaSource(engine) {
  if (engine) return 'container';
  const { kafkaClasspath } = await import('../kafka/java.mjs');
  const { reason } = kafkaClasspath();
  return reason === undefined ? 'java' : `none: ${reason}`;
}

/** A run that was killed could not drop its databases on a server that is not ours; a later one does. */
function dropLeftovers(url) {
  const now = Date.now() / 1000;
  return dropDatabases(url, (name) => {
    const started = Number(name.slice(prefix.length).split('_')[0]);
    return now - started > leftoverAfterSeconds;
  });
}

async function dropDatabases(url, which) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    for (const { datname } of rows) {
      if (which(datname)) await client.query(`drop database if exists "${datname}" with (force)`);
    }
  } finally {
    await client.end();
  }
}
