import { join } from 'node:path';
import type { Database } from '@switchyard/database';
import { counter, gauge, type Logger } from '@switchyard/telemetry';
import { sendMails } from './application/send-mails';
import type { Config } from './config';
import { mailStore } from './storage/mail.store';
import { fileMailer, senderOf, smtpMailer } from './transport/mailer';

const count = {
  sent: counter({ name: 'switchyard_mails_sent_total', help: 'Mails that were sent' }),
  dead: counter({ name: 'switchyard_mails_dead_total', help: 'Mails that were given up' }),
};

/** Builds what sends mails: to the mail server that is configured, else into files of the data folder. */
export function composeMail(
  db: Database,
  config: Pick<Config, 'SMTP_URL' | 'SMTP_FROM' | 'SWITCHYARD_DATA' | 'SWITCHYARD_EXTERNAL_URL'>,
  log: Logger,
): { start(): { close(): Promise<void> } } {
  return {
    start() {
      const sender = senderOf(config.SWITCHYARD_EXTERNAL_URL, config.SMTP_FROM);
      const mailer =
        config.SMTP_URL === undefined
          ? fileMailer(join(config.SWITCHYARD_DATA, 'mails'), sender)
          : smtpMailer(config.SMTP_URL, sender);
      const sending = sendMails({ db, mails: mailStore, mailer, log, count });
      const unread = gauge({ name: 'switchyard_mails_waiting', help: 'Mails that wait, at most 10,001' }, async () => [
        { value: await mailStore.waiting(db) },
      ]);
      return {
        async close() {
          unread();
          await sending.close();
        },
      };
    },
  };
}
