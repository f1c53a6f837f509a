import { issueEvents, noteEvents, runTellCommand } from '@switchyard/events';
import { issueStates } from './storage/issue.events';
import { noteStates } from './storage/note.events';

/** Tells other services how all issues stand now, and what is counted on merge requests. */
async function tell(): Promise<void> {
  await runTellCommand({ service: 'collaboration', things: 'issues', event: issueEvents, read: issueStates });
  await runTellCommand({ service: 'collaboration', things: 'notes', event: noteEvents, read: noteStates });
}

void tell();
