import { parseArgs } from 'node:util';
import { busVariables, parseEnvironment } from '@switchyard/config';
import { replayDeadLetters } from './consumer';
import { openBus } from './open-bus';

const usage =
  'usage: node libs/events/dist/replay-command.js --group <group> --topic <topic>   (with KAFKA_BROKERS or LOG_DATABASE_URL)';

/** Publishes the parked events of one topic to one group again, and prints how many there were. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { group: { type: 'string' }, topic: { type: 'string' } } });
  const { group, topic } = values;
  if (!group || !topic) throw new Error(usage);
  const bus = openBus(parseEnvironment(busVariables), 'replay');
  try {
    return await replayDeadLetters({ bus, group, topic });
  } finally {
    await bus.close();
  }
}

main().then(
  (count) => process.stdout.write(`${count} given back\n`),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
