// A process with a service's manners: migrates, answers its probe, leaves on SIGTERM and when its launcher dies.
const { createServer } = require('node:http');
const { appendFileSync, existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const name = require('node:path').basename(join(__dirname, '..'));
const migrations = join(__dirname, 'migrations.js');
// Not every process gets the path of the data folder.
const journal = join(process.cwd(), 'journal');
async function migrateLog(connectionString) {
  const log = new (require('pg').Client)({ connectionString });
  await log.connect();
  await log.query(`
    create schema if not exists log;
    create table if not exists log.records ();
    create table if not exists log._prisma_migrations ();
    create table if not exists log._additive_migrations ();
  `);
  await log.end();
}

const note = (what) => appendFileSync(journal, `${name} ${what}\n`);

if (process.argv[2] === 'migrate') {
  note('migrate');
  if (existsSync(migrations)) {
    require('@switchyard/service/migrate').migrateService(process.env, require(migrations).migrationSets);
  } else if (process.env.LOG_DATABASE_URL) migrateLog(process.env.LOG_DATABASE_URL);
} else {
  writeFileSync(join(process.cwd(), `${name}.json`), JSON.stringify(process.env));
  const server = createServer((request, response) => {
    if (request.url === '/environment') return response.end(JSON.stringify({ pid: process.pid, env: process.env }));
    if (request.url === '/die') process.kill(process.pid, 'SIGKILL');
    response.end('ready');
  });
  server.listen(Number(name === 'gateway' ? process.env.PORT : process.env.HTTP_PORT), process.env.HOST, () =>
    note('start'),
  );
  const leave = (why) => {
    note(why);
    process.exit(0);
  };
  process.once('SIGTERM', () => leave('stop'));
  process.once('disconnect', () => leave('disconnect'));
}
