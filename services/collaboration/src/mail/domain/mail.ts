import { formatTimestamp, shortened } from '@switchyard/texts';
import type { NewLedgerEntry } from '../../ledger';
import type { MailRecipient } from './recipient';

/** A mail as it is asked for, the same for each of its recipients. */
export interface Mail {
  /** What it is about, in letters, digits and `.-_:`: the same event makes the same mail. */
  readonly cause: string;
  /** Name of the event in the ledger. */
  readonly event: string;
  /** What the ledger says it is about; absent for nothing. */
  readonly target?: NewLedgerEntry['target'];
  /** 0 for none. */
  readonly projectId: number;
  /** Group it is about where it is about no project; absent for none: then it is its recipient's own. */
  readonly groupId?: number;
  /** Least access level a recipient must still have in the project or group when it is sent. */
  readonly accessLevel: number;
  /** Whether recipients at the level `disabled` do without it; absent: it is for all of them. */
  readonly heedsLevel?: boolean;
  readonly subject: string;
  /** Plain text. */
  readonly body: string;
  /** The same as HTML; absent: it is made of the text. */
  readonly html?: string;
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail on its way to one recipient. */
export interface OutgoingMail {
  readonly id: number;
  /** The part of the Message-ID before the `@`. */
  readonly messageId: string;
  readonly to: MailRecipient;
  readonly subject: string;
  readonly body: string;
  /** Absent: it is made of the text. */
  readonly html?: string | undefined;
  /** The part before the `@` of the Message-ID that it answers; absent for none. */
  readonly answers?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail that is made when it is sent: of what it gathered. */
export interface GatheredMail {
  readonly id: number;
  readonly messageId: string;
  readonly userId: number;
  /** What it gathers. */
  readonly thread: string;
}

/** What became of making a mail: the mail, or the rule by which it is not sent. */
export type Made = { readonly mail: OutgoingMail } | { readonly dropped: string };

/** Attempts after which a mail is dropped; they take some four hours. */
export const mailAttempts = 13;

/** Seconds until the next try after some have failed. */
export const mailPause = (attempts: number): number => Math.min(10 * 2 ** (attempts - 1), 3_600);

/** Most characters of a header's line: more is not shown in a list of mails. */
const maxLineLength = 250;

/**
 * A text as one line of a header: what would begin another line, and what turns the direction of writing, becomes a
 * blank. A title is whatever a stranger's payload says.
 */
export const headerLine = (text: string): string => {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069\s]+/gu, ' ')
    .trim();
  return shortened(line, maxLineLength);
};

/** A mail that somebody has taken to send it. */
export interface ClaimedMail {
  readonly id: number;
  /** This try included. */
  readonly attempts: number;
  /** Undefined when its recipient is gone or blocked, has no address, or may not know of it any more. */
  readonly mail: OutgoingMail | undefined;
  /** Why there is no mail: a rule of the ledger. */
  readonly dropped?: string | undefined;
  /** The mail heeds the level of its recipient in this project, which its link therefore ends. */
  readonly ends?: { readonly userId: number; readonly projectId: number } | undefined;
  /** A mail that is made of its parts: `mail` is undefined. */
  readonly gathered?: GatheredMail | undefined;
  /** A mail that asks to confirm an e-mail: `mail` is undefined, and is made of what the owner of the e-mail says. */
  readonly confirms?: { readonly emailId: number; readonly messageId: string } | undefined;
}

/** What the owner of an e-mail says of its confirmation. */
export interface Confirmation {
  readonly address: string;
  /** Holds a secret: it is never stored or logged. */
  readonly link: string;
  readonly expiresAt: Date | undefined;
}

/** The mail that asks to confirm an e-mail. It names no user: anyone may have typed the address, under any name. */
export const confirmationMail = (
  { id, messageId }: { readonly id: number; readonly messageId: string },
  { address, link, expiresAt }: Confirmation,
): OutgoingMail => ({
  id,
  messageId,
  to: { name: '', address },
  subject: 'Confirm your e-mail address',
  body: [
    'This address was given for an account. Open the link to confirm that it is yours:',
    '',
    link,
    '',
    `The link is good until ${expiresAt === undefined ? 'it was used' : formatTimestamp(expiresAt)}. If you did not ask for it, do nothing.`,
    '',
  ].join('\n'),
  headers: { 'X-Switchyard-Reason': 'own_account' },
});

/** A text as markup shows it. */
export const escapedText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** A plain text as HTML: its lines as they are, and its addresses as links. */
export const htmlOfText = (text: string): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"></head><body>',
    `<pre style="font-family: inherit; white-space: pre-wrap">${escapedText(text).replace(
      /https?:\/\/[^\s<>&]+(?:&amp;[^\s<>&]+)*/g,
      (url) => `<a href="${url}">${url}</a>`,
    )}</pre>`,
    '</body></html>',
    '',
  ].join('\n');
