import { mergeRequestEvents, runTellCommand } from '@switchyard/events';
import { mergeRequestStates } from './merge-requests';

// Does what `main.js publish-merge-request-states` does, for the launcher.
void runTellCommand({
  service: 'merge-requests',
  things: 'merge requests',
  event: mergeRequestEvents,
  read: mergeRequestStates,
});
