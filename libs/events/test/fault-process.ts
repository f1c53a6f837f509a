import { busVariables, parseEnvironment } from '@switchyard/config';
import { openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendToOutbox, defineEvent, openBus, startConsumer, startRelay, subscription } from '../src';

// One process that publishes and consumes, for the tests that kill it. Arguments: its database, number of events,
// stream, `log` or `kafka`, and the address of that.
const [databaseUrl = '', count = '0', stream = '', kind = '', address = ''] = process.argv.slice(2);

const counted = defineEvent<{ amount: number }>({
  stream,
  version: 1,
  type: 'account.counted',
  message: { toJSON: (payload) => payload, fromJSON: (json) => ({ amount: Number(json.amount) }) },
  key: () => 'one',
});

async function main(): Promise<void> {
  const db = openDatabase({ url: databaseUrl, applicationName: 'fault' });
  const variable = kind === 'kafka' ? 'KAFKA_BROKERS' : 'LOG_DATABASE_URL';
  const bus = openBus(parseEnvironment(busVariables, { [variable]: address }));
  for (let amount = 1; amount <= Number(count); amount += 1) {
    await db.transaction((tx) => appendToOutbox(tx, counted, { amount }, { id: `counted:${amount}` }));
  }
  startRelay({ db, bus });
  await startConsumer({
    bus,
    db,
    group: `reader-of-${stream}`,
    subscriptions: [
      subscription({
        event: counted,
        async handle({ amount }, tx) {
          await tx.query(sql`insert into effects (account, amount) values ('a', ${amount})`);
        },
      }),
    ],
  });
}

void main();
