import type { Tx } from '@switchyard/database';
import { appendAllToOutbox, integrationMailEvents } from '@switchyard/events';
import type { OutgoingMail } from '../domain/senders/outgoing';

/** Publishes mails that integrations have sent, in one statement. */
export const publishMails = (
  tx: Tx,
  mails: readonly (OutgoingMail & {
    readonly id: string;
    readonly integrationId: number;
    readonly projectId: number;
  })[],
): Promise<void> =>
  appendAllToOutbox(
    tx,
    integrationMailEvents,
    mails.map(({ id, recipients, ...mail }) => ({
      id: `integration_mail:${id}`,
      payload: { ...mail, recipients: [...recipients], occurredAt: new Date() },
    })),
  );
