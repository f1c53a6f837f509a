import { issueEvents, runTellCommand } from '@switchyard/events';
import { issueStates } from './storage/issue.events';

// Tells other services how all issues stand now.
void runTellCommand({ service: 'collaboration', things: 'issues', event: issueEvents, read: issueStates });
