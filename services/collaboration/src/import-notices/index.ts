import type { Area } from '@switchyard/service';
import { mailStore } from '../mail';
import { gistImportSubscription } from './transport/gist-import.subscription';

/** Consumer group of imports: separate from the others, so that none waits for another. */
const importGroup = 'collaboration.imports';

/** Builds the mails about imports that have ended. */
export const composeImportNotices = (): Area => ({
  consumers: [{ group: importGroup, subscriptions: [gistImportSubscription(mailStore)] }],
});
