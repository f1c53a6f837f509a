import { mkdir, opendir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { type Mailer, MailRefused } from '../application/send-mails';
import { headerLine, htmlOfText, type OutgoingMail } from '../domain/mail';

/** Milliseconds a mail server may take for each step; all steps of a batch end long before the lease of its mails. */
const patience = 10_000;

/** Connections to the mail server. */
const connections = 3;

/** Who sends, and under which name Message-IDs are made. */
export interface Sender {
  readonly address: string;
  /** What stands behind the `@` of Message-IDs. */
  readonly domain: string;
}

/** The sender of an installation: the configured address, else `noreply@` its host. */
export function senderOf(externalUrl: string, from: string | undefined): Sender {
  const { hostname } = new URL(externalUrl);
  const domain = isIP(hostname.replace(/^\[|\]$/g, '')) > 0 ? 'localhost' : hostname;
  return { address: from ?? `noreply@${domain}`, domain };
}

/** Bytes of text in an encoded word, which has 75 characters at the most. */
const wordBytes = 45;

/**
 * A subject that holds what could be read as an encoded word (RFC 2047), in encoded words as a whole: nodemailer leaves
 * ASCII as it is, and a title may be written so that readers decode another one from it.
 */
function encodedSubject(subject: string): string {
  if (!subject.includes('=?')) return subject;
  const words = [''];
  for (const character of subject) {
    const last = words.length - 1;
    if (Buffer.byteLength(words[last] + character) > wordBytes) words.push(character);
    else words[last] += character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(' ');
}

function messageOf(
  { messageId, to, subject, body, html, answers, headers }: OutgoingMail,
  { address, domain }: Sender,
) {
  const root = answers === undefined ? undefined : `<${answers}@${domain}>`;
  return {
    from: { name: 'Switchyard', address },
    to: { name: headerLine(to.name), address: to.address },
    subject: encodedSubject(headerLine(subject)),
    text: body,
    html: html ?? htmlOfText(body),
    messageId: `<${messageId}@${domain}>`,
    ...(root === undefined ? {} : { inReplyTo: root, references: root }),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, headerLine(value)])),
    },
  };
}

// The texts of a mail are a stranger's: none of them may name a file or an address to be read into it.
const nothingFetched = { disableFileAccess: true, disableUrlAccess: true } as const;

/** What nodemailer says of a message that its server refused. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
}

/** Sends mails through the server of `SMTP_URL`. */
export function smtpMailer(url: string, sender: Sender): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: connections,
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    dnsTimeout: patience,
    ...nothingFetched,
  });
  return {
    async send(mail) {
      try {
        await transport.sendMail(messageOf(mail, sender));
      } catch (error) {
        const { code, responseCode = 0, message } = error as SmtpError;
        // Of this recipient or this message; what is wrong with the server or its credentials may be mended.
        const refused = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
        throw refused ? new MailRefused(message, { cause: error }) : error;
      }
    },
    sweep: async () => undefined,
    close: () => transport.close(),
  };
}

/** Milliseconds that a file of a mail is kept: a week. */
const keptFor = 7 * 24 * 3_600_000;

/** Files of mails that are kept: a folder that a person can still list. */
const maxFiles = 10_000;

/** Files that one sweep looks at; what is left is for the next. */
const maxSeen = 50_000;

/** Removes the files of mails that are older than a week, and the oldest of more than `most`. */
async function sweepFiles(folder: string, most: number): Promise<void> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  const found: { readonly file: string; readonly at: number }[] = [];
  for await (const { name } of entries ?? []) {
    // A part that a killed process left is a file like the others.
    if (!/^\d+\.eml(\.part)?$/.test(name)) continue;
    const file = join(folder, name);
    const about = await stat(file).catch(() => undefined);
    if (about !== undefined) found.push({ file, at: about.mtimeMs });
    if (found.length === maxSeen) break;
  }
  const oldest = Date.now() - keptFor;
  const kept = found
    .sort((one, other) => other.at - one.at)
    .filter(({ at }) => at >= oldest)
    .slice(0, most);
  const keeping = new Set(kept.map(({ file }) => file));
  for (const { file } of found) if (!keeping.has(file)) await rm(file, { force: true });
}

/**
 * Writes mails to files `<id>.eml` of a folder, which it makes: for an installation without a mail server.
 * @param most files that a sweep leaves; those older than a week go in any case
 */
export function fileMailer(folder: string, sender: Sender, most = maxFiles): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows', ...nothingFetched });
  return {
    async send(mail) {
      const { message } = await transport.sendMail(messageOf(mail, sender));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${mail.id}.eml`);
      // Readers of the folder find whole mails only; a mail that is written twice is the same file.
      await writeFile(`${file}.part`, message as Buffer, { mode: 0o600 });
      await rename(`${file}.part`, file);
    },
    sweep: () => sweepFiles(folder, most),
    close: () => transport.close(),
  };
}
