import { type AnySubscription, gistImportEvents, subscription } from '@switchyard/events';
import type { mailStore } from '../../mail';
import { gistImportMail } from '../domain/gist-import-mail';

/** Queues a mail to whose gists were imported in part, once (D6). */
export const gistImportSubscription = (mails: Pick<typeof mailStore, 'queue'>): AnySubscription =>
  subscription({
    event: gistImportEvents,
    handle: ({ occurredAt: _, ...ended }, tx) => mails.queue(tx, gistImportMail(ended), [ended.authorId]),
  });
