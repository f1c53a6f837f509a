import { openDatabase } from '@switchyard/database';
import { mergeRequestEvents, tellStates } from '@switchyard/events';
import { mergeRequestStates } from './storage/merge-request.events';

/** Tells other services how all merge requests stand now, and says how many. */
async function main(): Promise<string> {
  const url = process.env.DATABASE_URL;
  if (url === undefined) throw new Error('usage: node services/merge-requests/dist/tell-command.js   (DATABASE_URL)');
  const db = openDatabase({ url, applicationName: 'merge-requests tell', poolSize: 2 });
  try {
    return `${await tellStates({ db, event: mergeRequestEvents, read: mergeRequestStates })} merge requests told of`;
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
