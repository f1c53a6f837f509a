import { dataFolder, decimalNumber, wholeNumber, z } from '@switchyard/config';
import type { ServiceEdges } from '@switchyard/service';
import type { PrismaClient } from './generated/prisma/client';

/** Options of nodemailer that are on or off. */
const smtpSwitches = new Set(['secure', 'requireTLS', 'ignoreTLS', 'pool', 'tls.rejectUnauthorized']);

/** Variables of the service; see docs/operations.md. */
export const variables = {
  /** The data folder; mails go to its `mails/` where no mail server is configured. */
  SWITCHYARD_DATA: dataFolder(),
  /**
   * Server for outgoing mail, as nodemailer reads it: credentials in it, options such as `?requireTLS=true` behind it.
   */
  SMTP_URL: z
    .string()
    .refine((url) => /^smtps?:\/\/[^/]+/.test(url) && URL.canParse(url), 'must be an smtp:// or smtps:// address')
    .superRefine((url, context) => {
      const options = URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
      for (const [name, value] of options) {
        // What is neither would count as true.
        if (smtpSwitches.has(name) && !/^(?:true|false)$/.test(value))
          context.addIssue({ code: 'custom', message: `its ${name} must be true or false` });
      }
      if (options.get('requireTLS') === 'true' && options.get('ignoreTLS') === 'true')
        context.addIssue({ code: 'custom', message: 'its requireTLS and ignoreTLS exclude each other' });
    })
    .optional(),
  /** Address that mails come from. */
  SMTP_FROM: z.email().optional(),
  /** What becomes of a note that is nothing but an emoji (G-4.6-8, G-13-5). */
  SWITCHYARD_EMOJI_NOTES: z.enum(['reaction', 'note']).default('reaction'),
  /** Comments a minute and user (G-4.6-10); 0: no limit. */
  SWITCHYARD_NOTES_PER_MINUTE: wholeNumber(0, 1_000_000).default(300),
  /** Usernames whom that limit does not hold, with commas between them. */
  SWITCHYARD_NOTES_UNLIMITED: z
    .string()
    .default('')
    .transform((names) => new Set(names.split(',').flatMap((name) => name.trim().toLowerCase() || []))),
  /** Seconds for which a mail gathers what happens to one thing; 0: each event has a mail of its own, at once. */
  SWITCHYARD_MAIL_WINDOW: wholeNumber(0, 3_600).default(60),
  /** File with the key of the links in mails, 32 bytes in hexadecimal digits; derived from the instance's secret. */
  SWITCHYARD_MAIL_LINKS_KEY_FILE: z.string(),
  /** Factor on every application limit; 0 turns them off. */
  SWITCHYARD_APPLICATION_LIMITS: decimalNumber(0, 1_000).default(1),
};

/** What each area of the service is built from. */
export type Edges = ServiceEdges<
  typeof variables,
  'groups-admin' | 'merge-requests' | 'alerts',
  { directory: true; prisma: new (options: never) => PrismaClient }
>;
