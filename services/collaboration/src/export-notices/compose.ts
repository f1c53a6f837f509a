import type { Area } from '@switchyard/service';
import { mailStore } from '../mail';
import { exportSubscription } from './transport/export.subscription';

/** Consumer group of exports: separate from the others, so that none waits for another. */
const exportGroup = 'collaboration.exports';

/** Builds the mails about exports of dependency lists that have ended. */
export const composeExportNotices = (): Area => ({
  consumers: [{ group: exportGroup, subscriptions: [exportSubscription(mailStore)] }],
});
