import { addressFor, type EffectiveSetting } from '../../notification-settings';

/** A user as far as mail depends on it. */
export interface MailUser {
  readonly name: string;
  readonly active: boolean;
  readonly bot: boolean;
  /** Primary address; empty for none. */
  readonly email: string;
  readonly confirmed: readonly string[];
}

/** What decides whom a mail that was asked for goes to, as it is when the mail is sent. */
export interface RecipientFacts {
  /** The mail of its project or group is switched off, there or above. */
  readonly silenced: boolean;
  /** Bare address that it goes to; undefined: to its user. */
  readonly address: string | undefined;
  /** Undefined when the user is gone. */
  readonly user: MailUser | undefined;
  /** Whether the user has the access level that it is for. */
  readonly allowed: boolean;
  /** Whether users at the level `disabled` do without it. */
  readonly heedsLevel: boolean;
  /** What the user chose for its project or group. */
  readonly setting: Pick<EffectiveSetting, 'level' | 'email'>;
}

/** Whom a mail goes to. */
export interface MailRecipient {
  readonly name: string;
  readonly address: string;
}

/** Whom a mail goes to now, or the rule of the ledger by which it goes to nobody. */
export function recipientOf({
  silenced,
  address,
  user,
  allowed,
  heedsLevel,
  setting,
}: RecipientFacts): { readonly to: MailRecipient } | { readonly dropped: string } {
  if (silenced) return { dropped: 'emails_disabled' };
  if (address !== undefined) return { to: { name: '', address } };
  if (user?.active !== true || user.bot) return { dropped: 'inactive' };
  if (!allowed) return { dropped: 'access' };
  if (heedsLevel && setting.level === 'disabled') return { dropped: 'level' };
  const chosen = addressFor(user, setting.email);
  return chosen === '' ? { dropped: 'no_address' } : { to: { name: user.name, address: chosen } };
}
