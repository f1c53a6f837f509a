import type { Tx } from '@switchyard/database';
import { type AnySubscription, integrationMailEvents, subscription } from '@switchyard/events';
import { headerLine, type Mail } from '../domain/mail';

/** Where a subscription puts mails to bare addresses. */
type QueueToAddresses = (tx: Tx, mail: Mail, addresses: readonly string[]) => Promise<unknown>;

/** An id as a part of a Message-ID: what may not stand there becomes `_`. */
const idPart = (id: string): string => id.replace(/[^A-Za-z0-9.\-_:]/g, '_');

/**
 * Queues the mails of integrations to the addresses that their settings name, each event once (D6). The mails of one
 * thread refer to the same Message-ID, which no mail has.
 * @param domain what stands behind the `@` of Message-IDs
 */
export const integrationMailSubscription = (queue: QueueToAddresses, domain: string): AnySubscription =>
  subscription({
    event: integrationMailEvents,
    async handle({ integrationId, projectId, recipients, subject, text, thread }, tx, { id }) {
      const root = thread === '' ? undefined : `<${idPart(thread)}@${domain}>`;
      const mail: Mail = {
        cause: idPart(id),
        event: 'integration_mail',
        projectId,
        accessLevel: 0,
        subject: headerLine(subject),
        body: text.toWellFormed().replaceAll('\0', '\uFFFD'),
        headers: {
          'X-Switchyard-Integration-Id': String(integrationId),
          'X-Switchyard-Project-Id': String(projectId),
          ...(root === undefined ? {} : { 'In-Reply-To': root, References: root }),
        },
      };
      await queue(tx, mail, recipients);
    },
  });
