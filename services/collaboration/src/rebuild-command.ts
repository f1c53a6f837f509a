import { openDatabase } from '@switchyard/database';
import { openBus } from '@switchyard/events';
import { rebuildActivity } from './activity';
import { reportOf } from './rebuilds';
import { rebuildTodos } from './todos';

const rebuilds = { activity: rebuildActivity, todos: rebuildTodos };

const usage =
  'usage: node services/collaboration/dist/rebuild-command.js activity|todos   (DATABASE_URL, and KAFKA_BROKERS or LOG_DATABASE_URL)';

/** Rebuilds one projection of a running installation and says what changed. */
async function main(): Promise<string> {
  const [, , name = ''] = process.argv;
  const url = process.env.DATABASE_URL;
  if (!Object.hasOwn(rebuilds, name) || url === undefined) throw new Error(usage);
  const db = openDatabase({ url, applicationName: 'collaboration rebuild', poolSize: 2 });
  const bus = openBus({
    kafkaBrokers: process.env.KAFKA_BROKERS?.split(',').filter(Boolean),
    logDatabaseUrl: process.env.LOG_DATABASE_URL,
    clientId: 'collaboration-rebuild',
  });
  try {
    return reportOf(name, await rebuilds[name as keyof typeof rebuilds]({ db, bus }));
  } finally {
    await bus.close();
    await db.close();
  }
}

main().then(
  (report) => process.stdout.write(`${report}\n`),
  (error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  },
);
