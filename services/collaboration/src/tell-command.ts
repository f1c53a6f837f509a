import { openDatabase } from '@switchyard/database';
import { issueEvents, tellStates } from '@switchyard/events';
import { issueStates } from './storage/issue.events';

/** Tells other services how all issues stand now, and says how many. */
async function main(): Promise<string> {
  const url = process.env.DATABASE_URL;
  if (url === undefined) throw new Error('usage: node services/collaboration/dist/tell-command.js   (DATABASE_URL)');
  const db = openDatabase({ url, applicationName: 'collaboration tell', poolSize: 2 });
  try {
    return `${await tellStates({ db, event: issueEvents, read: issueStates })} issues told of`;
  } finally {
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
