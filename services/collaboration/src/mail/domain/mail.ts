/** A mail as it is asked for, the same for each of its recipients. */
export interface Mail {
  /** What it is about, in letters, digits and `.-_:`: the same event makes the same mail. */
  readonly cause: string;
  readonly projectId: number;
  /** Least access level a recipient must still have in the project when it is sent. */
  readonly accessLevel: number;
  readonly subject: string;
  /** Plain text. */
  readonly body: string;
  /** Further headers by name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A mail on its way to one recipient. */
export interface OutgoingMail {
  readonly id: number;
  /** The part of the Message-ID before the `@`. */
  readonly messageId: string;
  readonly to: { readonly name: string; readonly address: string };
  readonly subject: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

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
  const characters = [...line];
  return characters.length <= maxLineLength ? line : `${characters.slice(0, maxLineLength - 1).join('')}…`;
};

/** A mail that somebody has taken to send it. */
export interface ClaimedMail {
  readonly id: number;
  /** This try included. */
  readonly attempts: number;
  /** Undefined when its recipient is gone or blocked, has no address, or may not know of it any more. */
  readonly mail: OutgoingMail | undefined;
}
