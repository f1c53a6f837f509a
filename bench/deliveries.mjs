import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../libs/machine/src/embedded-postgres.mjs';
import { cpuMs, processCpu } from './cpu.mjs';
import { root, temporaryFolder } from './installation.mjs';

const rounds = 3;
const receivers = 10;
const changes = 500;
/** Changes in one transaction, as the feed gives them. */
const batch = 50;
const probes = 20;
const firstSilent = 1_000;

/** Receivers of one address each: a silent one never answers. */
async function startReceivers() {
  const keys = new Map();
  const waiting = new Set();
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (Number(request.url.slice(1)) >= firstSilent) return;
      const key = request.headers['idempotency-key'];
      keys.set(key, (keys.get(key) ?? 0) + 1);
      response.end('ok');
      for (const look of waiting) look();
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    keys,
    /** Until so many deliveries have come. */
    until: (count) =>
      new Promise((settle) => {
        const look = () => {
          if (keys.size < count) return;
          waiting.delete(look);
          settle();
        };
        waiting.add(look);
        look();
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Deliveries a second to receivers on this machine, from the first transaction that queues them until the last has
 * come, none of them twice; and how long one to a healthy receiver takes beside ten that never answer.
 */
export async function deliveries(report) {
  const folder = temporaryFolder('deliveries');
  const server = await startEmbeddedPostgres({ dataDir: join(folder.path, 'postgres') });
  const received = await startReceivers();
  let child;
  try {
    const client = new pg.Client({ connectionString: server.url('postgres') });
    await client.connect();
    await client.query('create database deliveries');
    await client.end();
    const env = { ...process.env, DATABASE_URL: server.url('deliveries'), RECEIVER: received.url, LOG_LEVEL: 'warn' };
    child = fork(join(root, 'bench/deliveries-process.mjs'), { env });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the process of deliveries ended with ${code}`);
    });
    // Waited for beside each message; at the end of the bench nobody waits.
    ended.catch(() => undefined);
    const message = () => Promise.race([once(child, 'message'), ended]);
    await message();
    let from = 1;
    const queue = async (count, targets) => {
      const queued = message();
      child.send({ from, changes: count, receivers: targets });
      from += count;
      await queued;
    };
    const all = Array.from({ length: receivers }, (_, at) => at + 1);
    const rates = [];
    const parts = {
      process: () => cpuMs(child.pid),
      postgres: () => processCpu(server.pid).reduce((sum, { milliseconds }) => sum + milliseconds, 0),
      receiver: () => cpuMs(process.pid),
    };
    const used = Object.fromEntries(Object.keys(parts).map((part) => [part, []]));
    for (let round = 0; round <= rounds; round += 1) {
      const began = performance.now();
      const before = Object.fromEntries(Object.entries(parts).map(([part, look]) => [part, look()]));
      const expected = received.keys.size + changes * receivers;
      for (let sent = 0; sent < changes; sent += batch) await queue(batch, all);
      await received.until(expected);
      const rate = (changes * receivers * 1_000) / (performance.now() - began);
      // What is recorded of the last ones belongs to them.
      await sleep(500);
      // The first round warms up.
      if (round === 0) continue;
      rates.push(rate);
      for (const [part, look] of Object.entries(parts))
        used[part].push((look() - before[part]) / (changes * receivers));
    }
    report.figure('deliveries: a second, to 10 receivers', rates, { unit: '/s', digits: 0, atLeast: 1_000 });
    for (const [part, each] of Object.entries(used)) {
      report.figure(`    CPU of one, ${part}`, each, { unit: 'ms', digits: 3 });
    }

    const measure = async () => {
      const times = [];
      for (let at = 0; at < probes; at += 1) {
        const expected = received.keys.size + 1;
        const began = performance.now();
        await queue(1, [1]);
        await received.until(expected);
        times.push(performance.now() - began);
        await sleep(50);
      }
      return times.sort((a, b) => a - b)[probes >> 1];
    };
    const alone = await measure();
    await queue(
      100,
      Array.from({ length: 10 }, (_, at) => firstSilent + at),
    );
    await sleep(1_000);
    const beside = await measure();
    report.figure('deliveries: one to a healthy receiver', [alone], { unit: 'ms', digits: 1 });
    report.figure('deliveries: what ten silent receivers add', [beside - alone], {
      unit: 'ms',
      digits: 1,
      target: 100,
    });
    const doubled = [...received.keys.values()].filter((count) => count > 1).length;
    report.figure('deliveries: that came twice', [doubled], { digits: 0, target: 0 });
  } finally {
    if (child?.connected) {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    }
    received.close();
    await server.remove();
    folder.remove();
  }
}
