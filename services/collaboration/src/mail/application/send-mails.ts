import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@switchyard/database';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Logger } from '@switchyard/telemetry';
import {
  type ClaimedMail,
  type Confirmation,
  confirmationMail,
  type GatheredMail,
  type Made,
  mailAttempts,
  mailPause,
  type OutgoingMail,
} from '../domain/mail';
import type { MailQueue } from './mail.ports';

faultPoints.push('mail.claimed', 'mail.sent');

/** Brings mails out of the house. */
export interface Mailer {
  /** Settles when the mail has been taken over. Fails with a `MailRefused` where another try would fail as well. */
  send(mail: OutgoingMail): Promise<void>;
  /** Removes what it keeps of mails of long ago; bounded work. */
  sweep(): Promise<void>;
  close(): void;
}

/** A mail that its server will never take. */
export class MailRefused extends Error {}

/** Mails taken at once, and sent side by side. */
const batch = 5;

/**
 * Seconds a claimed mail is left to its process: longer than a mail server may take for a whole batch (`mailer.ts`).
 */
const lease = 300;

/** Milliseconds between two looks for mails that have become due; those just asked for are seen at once. */
const interval = 5_000;

/**
 * Milliseconds without a try after a server did not answer, so that a long queue does not wear its tries out on it at
 * once.
 */
const afterFailure = 5_000;

/** Milliseconds that sends under way have left when the process ends. */
const closing = 2_000;

/** Milliseconds between two sweeps of what was settled long ago. */
const sweepInterval = 3_600_000;

/** What sending works with. */
export interface MailSending {
  readonly db: Database;
  readonly mails: MailQueue;
  readonly mailer: Mailer;
  /** What is to be said of the confirmation of an e-mail; undefined when nothing waits for it any more. */
  readonly confirmation: (emailId: number) => Promise<Confirmation | undefined>;
  /** Makes a mail of what it gathered, for what its recipient may read now. */
  readonly gather: (mail: GatheredMail) => Promise<Made>;
  /** Headers with the link that ends the mail of a user about a project. */
  readonly unsubscribe: (ended: NonNullable<ClaimedMail['ends']>) => Readonly<Record<string, string>>;
  readonly log: Logger;
  /** Told of each mail that was sent, and of each that was given up. */
  readonly count: { sent(): void; dead(): void };
}

/** What is sent: the claimed mail, or one that holds a secret and is therefore made now. */
async function outgoing({ confirmation, gather, unsubscribe }: MailSending, claimed: ClaimedMail): Promise<Made> {
  const { id, confirms, gathered, mail, ends, dropped = 'access' } = claimed;
  if (gathered !== undefined) return gather(gathered);
  if (confirms === undefined) {
    if (mail === undefined) return { dropped };
    return { mail: ends === undefined ? mail : { ...mail, headers: { ...mail.headers, ...unsubscribe(ends) } } };
  }
  const found = await confirmation(confirms.emailId);
  return found === undefined
    ? { dropped: 'confirmed' }
    : { mail: confirmationMail({ id, messageId: confirms.messageId }, found) };
}

/** Tries one mail; false when it is to be tried again. */
async function trySending(edges: MailSending, claimed: ClaimedMail): Promise<boolean> {
  const { db, mails, mailer, log, count } = edges;
  const { id, attempts } = claimed;
  try {
    const made = await outgoing(edges, claimed);
    if ('dropped' in made) {
      await mails.settle(db, id, 'dropped', made.dropped);
      return true;
    }
    await mailer.send(made.mail);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (attempts < mailAttempts && !(error instanceof MailRefused)) {
      await mails.putOff(db, id, mailPause(attempts), text);
      log.warn({ err: error, mail: id, attempts }, 'a mail could not be sent and is tried again');
      return false;
    }
    await mails.settle(db, id, 'dead', text);
    count.dead();
    log.error({ err: error, mail: id, attempts }, 'a mail was given up');
    return true;
  }
  faultPoint('mail.sent');
  await mails.settle(db, id, 'sent');
  count.sent();
  return true;
}

/**
 * Sends what waits, over and over, beside everything else. A process that dies between a mail's way out and the note of
 * it sends it once more when its lease has ended, under the same Message-ID.
 */
export function sendMails(edges: MailSending): { close(): Promise<void> } {
  const { db, mails, mailer, log } = edges;
  const stopping = new AbortController();
  const { signal } = stopping;
  const rest = (milliseconds: number) => pause(milliseconds, undefined, { signal }).catch(() => undefined);
  let asked = false;
  let wake = (): void => undefined;
  const unlisten = mails.onMails(db, () => {
    asked = true;
    wake();
  });
  const restUnlessAsked = async (): Promise<void> => {
    if (asked || signal.aborted) return;
    const woken = new AbortController();
    wake = () => woken.abort();
    await pause(interval, undefined, { signal: woken.signal }).catch(() => undefined);
  };
  let swept = 0;
  const work = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        asked = false;
        const claimed = await mails.claim(db, batch, lease);
        if (claimed.length > 0) faultPoint('mail.claimed');
        const settled = await Promise.all(claimed.map((one) => trySending(edges, one)));
        if (Date.now() - swept > sweepInterval && (await mails.forget(db, 1_000)) < 1_000) {
          swept = Date.now();
          await mailer.sweep();
        }
        if (settled.includes(false)) await rest(afterFailure);
        else if (claimed.length < batch) await restUnlessAsked();
      } catch (error) {
        log.warn({ err: error }, 'mails could not be looked for');
        await rest(afterFailure);
      }
    }
  };
  const running = work();
  return {
    async close() {
      unlisten();
      stopping.abort();
      wake();
      // A mail server that does not answer must not delay the end of the process: its mails are retried when their
      // lease has ended.
      await Promise.race([running, pause(closing, undefined, { ref: false })]);
      mailer.close();
    },
  };
}
