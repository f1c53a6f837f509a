import { badRequest } from '@switchyard/errors';

/** An e-mail of a user beside the primary one. */
export interface EmailRow {
  readonly id: number;
  readonly email: string;
  readonly confirmed_at: Date | null;
}

/** An e-mail as its confirmation finds it, under the lock of its user. */
export interface LockedEmail {
  readonly id: number;
  readonly user_id: number;
  readonly email: string;
  readonly becomes_primary: boolean;
  readonly confirmed_at: Date | null;
  readonly confirmation_sent_at: Date | null;
}

/** The result of adding an address. */
export type AddedEmail = { readonly id: number } | 'taken' | 'no_user';

/** Days for which a link confirms. */
export const confirmationDays = 3;

const dayMs = 86_400_000;

/** When the link that was requested at `sentAt` ends. */
export const confirmationEnd = (sentAt: Date): Date => new Date(sentAt.getTime() + confirmationDays * dayMs);

/** Whether the e-mail waits for a confirmation that its link still gives. */
export const isWaiting = ({ confirmed_at, confirmation_sent_at }: LockedEmail, now: Date): boolean =>
  confirmed_at === null && confirmation_sent_at !== null && now < confirmationEnd(confirmation_sent_at);

/** The refusal of a link that confirms nothing: of an unknown one, and of one for another address. */
export const invalidConfirmation = () => badRequest('Confirmation token is invalid');

/**
 * Refuses a link that was used, or is too old.
 * @throws AppError bad_request
 */
export function requireWaiting(email: LockedEmail, now: Date): void {
  if (email.confirmed_at !== null) throw badRequest('Email was already confirmed');
  if (!isWaiting(email, now))
    throw badRequest(`Email needs to be confirmed within ${confirmationDays} days, please request a new link`);
}

/** What the choice of a primary e-mail depends on. */
export interface PrimaryEmailFacts {
  readonly email: string;
  /** Whether the present primary e-mail is confirmed. */
  readonly confirmed: boolean;
  /** Whether the wanted address is a confirmed one of the user. */
  readonly ownsWanted: boolean;
}

/**
 * Whether a wanted primary e-mail counts at once, or waits for its confirmation.
 * @param skips the caller says that it needs none
 */
export function choosePrimaryEmail(user: PrimaryEmailFacts, wanted: string, skips: boolean): 'set' | 'wait' {
  const isSame = wanted.toLowerCase() === user.email.toLowerCase();
  return skips || user.ownsWanted || (isSame && user.confirmed) ? 'set' : 'wait';
}
