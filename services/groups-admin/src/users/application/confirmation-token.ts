import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

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

/** Secrets with a key derived from the instance's secret, which the database does not hold (D3). */
export function confirmationTokens(secret: string): ConfirmationTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'switchyard e-mail confirmation', 32));
  const sign = ({ id, user_id, email }: Confirmation): string =>
    `${id}-${createHmac('sha256', key).update(`${id}:${user_id}:${email}`).digest('base64url')}`;
  return {
    sign,
    emailId: (token) => {
      const id = form.exec(token)?.[1];
      return id === undefined ? undefined : Number(id);
    },
    isOf(token, confirmation) {
      const [given, expected] = [Buffer.from(token), Buffer.from(sign(confirmation))];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
