import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Keys } from '@switchyard/secrets';

/** What a link is about. A new request is a new e-mail, so its id makes the link of each request another one. */
export interface Confirmation {
  readonly id: number;
  readonly user_id: number;
  readonly email: string;
}

/** Makes and checks the secrets of links. They are derived and stored nowhere. */
export interface ConfirmationTokens {
  /** The secret of the link for an e-mail: its id and a code. */
  sign(confirmation: Confirmation): string;
  /** Id of the e-mail that a secret names; undefined for what cannot be one. */
  emailId(token: string): number | undefined;
  /** Whether a secret is that of an e-mail. */
  isOf(token: string, confirmation: Confirmation): boolean;
}

const form = /^(\d{1,15})-[A-Za-z0-9_-]{43}$/;

/**
 * Secrets with a key that the database does not hold (D3).
 * @param keys the first signs, and all are accepted
 */
export function confirmationTokens(keys: () => Keys): ConfirmationTokens {
  const signWith = (key: Buffer, { id, user_id, email }: Confirmation): string =>
    `${id}-${createHmac('sha256', key).update(`${id}:${user_id}:${email}`).digest('base64url')}`;
  return {
    sign: (confirmation) => signWith(keys()[0], confirmation),
    emailId: (token) => {
      const id = form.exec(token)?.[1];
      return id === undefined ? undefined : Number(id);
    },
    isOf(token, confirmation) {
      const given = Buffer.from(token);
      return keys().some((key) => {
        const expected = Buffer.from(signWith(key, confirmation));
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}
