import { fullPath, membersAtLevel, projectById } from '@switchyard/directory';
import { type AnySubscription, importPlaceholderEvents, subscription } from '@switchyard/events';
import { levels } from '@switchyard/rights';
import type { mailStore } from '../../mail';
import { importPlaceholderMail } from '../domain/import-placeholder-mail';

/** Queues a mail to who is asked to take the place of a placeholder, once for each (D6). */
export const importPlaceholderSubscription = (mails: Pick<typeof mailStore, 'queue'>): AnySubscription =>
  subscription({
    event: importPlaceholderEvents,
    async handle({ userId, ...asked }, tx) {
      const project = await projectById(tx, asked.projectId);
      if (project === undefined) return;
      const isMember = (await membersAtLevel(tx, asked.projectId, levels.guest)).includes(userId);
      await mails.queue(tx, importPlaceholderMail(asked, isMember ? fullPath(project) : undefined), [userId]);
    },
  });
