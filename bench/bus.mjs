import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../libs/machine/src/embedded-postgres.mjs';
import { root, temporaryFolder } from './installation.mjs';

const rounds = 3;
const single = { count: 300, atOnce: 1, pauseMs: 20 };
const many = { count: 5_000, atOnce: 16, pauseMs: 0 };
const timeoutMs = 120_000;

const quantile = (values, share) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)];

/** A process of the bus, as a service would be one, and what it says. */
async function startProcess(role, env) {
  const child = fork(join(root, 'bench/bus-process.mjs'), { env: { ...process.env, ...env, ROLE: role } });
  await once(child, 'message');
  return {
    child,
    async ask(order) {
      const answer = once(child, 'message');
      child.send(order);
      return (await answer)[0];
    },
    async stop() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

/** Databases of two services and of the embedded log, migrated. */
async function prepare(server) {
  const require = createRequire(import.meta.url);
  const { migrate } = require('@switchyard/database');
  const { eventMigrations, logMigrations } = require('@switchyard/events');
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  for (const name of ['writer', 'reader', 'log']) await client.query(`create database ${name}`);
  await client.end();
  for (const name of ['writer', 'reader']) await migrate({ url: server.url(name), sets: [eventMigrations] });
  await migrate({ url: server.url('log'), sets: [logMigrations] });
}

/** Has a publisher write events, and waits until the reader has committed the effect of each. */
async function measure(publisher, reader, run, order) {
  const latencies = [];
  const began = performance.now();
  const all = new Promise((settle, reject) => {
    const late = setTimeout(() => reject(new Error(`${latencies.length} of ${order.count} events`)), timeoutMs);
    reader.child.on('message', function take({ received, latency }) {
      if (received !== run || latencies.push(latency) < order.count) return;
      clearTimeout(late);
      reader.child.off('message', take);
      settle();
    });
  });
  publisher.child.send({ run, ...order });
  await all;
  return { latencies, seconds: (performance.now() - began) / 1_000 };
}

/**
 * Latency of an event from the start of the writing transaction to the commit of its effect in another service's database, and events per
 * second; over Kafka where `KAFKA_BROKERS` is set. Writer, its replica and reader are processes of their own.
 */
export async function bus(report) {
  const folder = temporaryFolder('bus');
  const server = await startEmbeddedPostgres({ dataDir: join(folder.path, 'postgres') });
  const processes = [];
  const start = async (role, database) => {
    const env = { DATABASE_URL: server.url(database), LOG_DATABASE_URL: server.url('log'), LOG_LEVEL: 'warn' };
    processes.push(await startProcess(role, env));
    return processes.at(-1);
  };
  try {
    await prepare(server);
    const publisher = await start('publisher', 'writer');
    while (!(await publisher.ask({})).active) await sleep(50);
    const standby = await start('publisher', 'writer');
    const reader = await start('reader', 'reader');
    await measure(publisher, reader, 'warm', { ...many, count: 1_000 });
    const kinds = { 'one at a time': publisher, 'one at a time, by a replica that does not publish': standby };
    for (const [kind, writer] of Object.entries(kinds)) {
      const found = { p50: [], p99: [] };
      for (let round = 0; round < rounds; round += 1) {
        await sleep(1_000);
        const { latencies } = await measure(writer, reader, `${kind} ${round}`, single);
        found.p50.push(quantile(latencies, 0.5));
        found.p99.push(quantile(latencies, 0.99));
      }
      for (const [name, values] of Object.entries(found))
        report.figure(`bus: event, ${kind}: ${name}`, values, { unit: 'ms', digits: 1 });
    }
    const rates = [];
    for (let round = 0; round < rounds; round += 1) {
      const { seconds } = await measure(publisher, reader, `many ${round}`, many);
      rates.push(many.count / seconds);
    }
    report.figure('bus: events from end to end, 16 writers', rates, { unit: '/s', digits: 0 });
  } finally {
    for (const one of processes) await one.stop();
    await server.remove();
    folder.remove();
  }
}
