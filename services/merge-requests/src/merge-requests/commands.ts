import { mergeRequestEvents, publishStates } from '@switchyard/events';
import { command } from '@switchyard/service';
import { mergeRequestStates } from './storage/merge-request.events';

/** The sub-command `publish-merge-request-states`: publishes the present states of all merge requests. */
export const publishMergeRequestStates = command({
  async run({ db, write }) {
    const published = await publishStates({ db, event: mergeRequestEvents, read: mergeRequestStates });
    write(`${published} merge requests published`);
  },
});
