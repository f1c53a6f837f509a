import { join } from 'node:path';
import type { Area } from '@switchyard/service';
import { counter, gauge, logger } from '@switchyard/telemetry';
import type { Edges } from '../edges';
import { type MailSending, sendMails } from './application/send-mails';
import type { GatheredMail, Made } from './domain/mail';
import { mailStore } from './storage/mail.store';
import { emailConfirmation } from './transport/email-confirmation.client';
import { emailConfirmationSubscription } from './transport/email-confirmation.subscription';
import { integrationMailSubscription } from './transport/integration-mail.subscription';
import { fileMailer, senderOf, smtpMailer } from './transport/mailer';

const count = {
  sent: counter({ name: 'switchyard_mails_sent_total', help: 'Mails that were sent' }),
  dead: counter({ name: 'switchyard_mails_dead_total', help: 'Mails that were given up' }),
};

/** Consumer group of e-mails that are to be confirmed. */
const confirmationGroup = 'collaboration.email-confirmations';

/** Consumer group of what integrations mail. */
const integrationGroup = 'collaboration.integration-mails';

/** Builds what sends mails: to the mail server that is configured, else into files of the data folder. */
export const composeMail = (
  { config, db, peer }: Pick<Edges, 'config' | 'db' | 'peer'>,
  {
    gather,
    unsubscribe,
  }: { readonly gather: (mail: GatheredMail, domain: string) => Promise<Made> } & Pick<MailSending, 'unsubscribe'>,
): Area => {
  const sender = senderOf(config.SWITCHYARD_EXTERNAL_URL, config.SMTP_FROM);
  return {
    consumers: [
      { group: confirmationGroup, subscriptions: [emailConfirmationSubscription(mailStore.queueConfirmation)] },
      {
        group: integrationGroup,
        subscriptions: [integrationMailSubscription(mailStore.queueToAddresses, sender.domain)],
      },
    ],
    start() {
      const mailer =
        config.SMTP_URL === undefined
          ? fileMailer(join(config.SWITCHYARD_DATA, 'mails'), sender)
          : smtpMailer(config.SMTP_URL, sender);
      const unread = gauge({ name: 'switchyard_mails_waiting', help: 'Mails that wait, at most 10,001' }, async () => [
        { value: await mailStore.waiting(db) },
      ]);
      return [
        sendMails({
          db,
          mails: mailStore,
          mailer,
          confirmation: emailConfirmation(peer('groups-admin')),
          gather: (mail) => gather(mail, sender.domain),
          unsubscribe,
          log: logger,
          count,
        }),
        { close: async () => unread() },
      ];
    },
  };
};
