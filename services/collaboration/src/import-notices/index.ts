import type { Area } from '@switchyard/service';
import { mailStore } from '../mail';
import { gistImportSubscription } from './transport/gist-import.subscription';
import { importPlaceholderSubscription } from './transport/import-placeholder.subscription';

/** Consumer group of imports: separate from the others, so that none waits for another. */
const importGroup = 'collaboration.imports';

/** Builds the mails about imports of gists that have ended, and to who is asked to take the place of a placeholder. */
export const composeImportNotices = (): Area => ({
  consumers: [
    {
      group: importGroup,
      subscriptions: [gistImportSubscription(mailStore), importPlaceholderSubscription(mailStore)],
    },
  ],
});
