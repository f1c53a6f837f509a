import { createRequire } from 'node:module';

// One process of the benchmark `bus`: a service that publishes, or one that receives, as its role says.
const require = createRequire(import.meta.url);
const { busVariables, parseEnvironment } = require('@switchyard/config');
const { openDatabase } = require('@switchyard/database');
const { sql } = require('@switchyard/database/sql');
const { appendToOutbox, defineEvent, openBus, startConsumer, startRelay, subscription } = require('@switchyard/events');

const { ROLE, DATABASE_URL } = process.env;

const event = defineEvent({
  stream: 'bench.thing',
  version: 1,
  type: 'thing.happened',
  message: { toJSON: (payload) => payload, fromJSON: (json) => json },
  key: ({ number }) => String(number % 16),
});

/** Milliseconds on a clock that all processes of this machine share. */
const now = () => performance.timeOrigin + performance.now();

const db = openDatabase({ url: DATABASE_URL, applicationName: `bench ${ROLE}`, poolSize: 20 });
const bus = openBus(parseEnvironment(busVariables), ROLE);

async function write({ run, number }) {
  const began = now();
  await db.transaction(async (tx) => {
    await tx.query(sql`insert into things (run, number) values (${run}, ${number})`);
    await appendToOutbox(tx, event, { run, number, began }, { id: `thing:${run}:${number}` });
  });
}

/** Writes `count` events, `atOnce` at a time, each writer pausing `pauseMs` after each. */
async function writeAll({ run, count, atOnce, pauseMs }) {
  let next = 0;
  const writer = async () => {
    while (next < count) {
      const number = next;
      next += 1;
      await write({ run, number });
      if (pauseMs > 0) await new Promise((settle) => setTimeout(settle, pauseMs * (0.5 + Math.random())));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
}

const roles = {
  publisher() {
    const relay = startRelay({ db, bus });
    process.on('message', (order) => {
      if (order.run !== undefined) void writeAll(order).then(() => process.send({ written: order.run }));
      else process.send({ active: relay.active });
    });
    return relay;
  },
  reader: () =>
    startConsumer({
      bus,
      db,
      group: 'bench',
      subscriptions: [
        subscription({
          event,
          async handle({ run, number, began }, tx) {
            await tx.query(sql`insert into things (run, number) values (${run}, ${number})`);
            tx.afterCommit(() => process.send({ received: run, latency: now() - began }));
          },
        }),
      ],
    }),
};

await db.query(sql`create table if not exists things (run text, number int)`);
const running = await roles[ROLE]();
process.send({ ready: true });
process.on('disconnect', async () => {
  await running.close();
  await bus.close();
  await db.close();
});
