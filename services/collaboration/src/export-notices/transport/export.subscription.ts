import { type AnySubscription, dependencyListExportEvents, subscription } from '@switchyard/events';
import type { mailStore } from '../../mail';
import { exportMail } from '../domain/export-mail';

/** Queues a mail to the author of an export that has ended, once (D6). */
export const exportSubscription = (mails: Pick<typeof mailStore, 'queue'>): AnySubscription =>
  subscription({
    event: dependencyListExportEvents,
    handle: ({ occurredAt: _, ...ended }, tx) => mails.queue(tx, exportMail(ended), [ended.authorId]),
  });
