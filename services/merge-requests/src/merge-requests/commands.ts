import { mergeRequestEvents, tellStates } from '@switchyard/events';
import { command } from '@switchyard/service';
import { mergeRequestStates } from './storage/merge-request.events';

/** The sub-command `publish-merge-request-states`: tells other services how all merge requests stand now. */
export const publishMergeRequestStates = command({
  async run({ db, write }) {
    const told = await tellStates({ db, event: mergeRequestEvents, read: mergeRequestStates });
    write(`${told} merge requests told of`);
  },
});
