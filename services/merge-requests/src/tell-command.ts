import { mergeRequestEvents, runTellCommand } from '@switchyard/events';
import { mergeRequestStates } from './merge-requests/storage/merge-request.events';

// Tells other services how all merge requests stand now.
void runTellCommand({
  service: 'merge-requests',
  things: 'merge requests',
  event: mergeRequestEvents,
  read: mergeRequestStates,
});
