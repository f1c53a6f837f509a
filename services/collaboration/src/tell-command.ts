import { issueEvents, noteEvents, runTellCommand } from '@switchyard/events';
import { issueStates } from './issues';
import { noteStates } from './notes';

/** Sends the other services the present states of all issues, and the counts of merge requests. */
async function tell(): Promise<void> {
  await runTellCommand({ service: 'collaboration', things: 'issues', event: issueEvents, read: issueStates });
  await runTellCommand({ service: 'collaboration', things: 'notes', event: noteEvents, read: noteStates });
}

void tell();
