import { badRequest } from '@switchyard/errors';
import type { Problems } from '../../rules';

/** A service account (api.md 2, G-2-26). */
export interface ServiceAccountRow {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly public_email: string;
  /** The address that becomes the e-mail once it is confirmed. */
  readonly unconfirmed_email: string | null;
}

/** A user, as far as it is decided whether they are an account of a group. */
export interface AccountFacts extends ServiceAccountRow {
  readonly user_type: string;
  /** Its group; null for an account of the instance. */
  readonly group_id: number | null;
}

/** Whose accounts: of a top-level group, or of the instance. */
export type AccountOwner = { readonly groupId: number } | 'instance';

/** Name of an account that was given none. */
export const defaultName = 'Service account user';

/** Refuses users who are no service account (G-4.5-3). @throws AppError bad_request */
export function requireAccount({ user_type }: AccountFacts): void {
  if (user_type !== 'service_account') throw badRequest('User is not of type Service Account');
}

/** Whether an account belongs to an owner. */
export const isOf = (owner: AccountOwner, { group_id }: AccountFacts): boolean =>
  group_id === (owner === 'instance' ? null : owner.groupId);

/**
 * Username that an account gets by default (G-4.5-9).
 * @param random 32 hexadecimal digits
 */
export const generatedUsername = (owner: AccountOwner, random: string): string =>
  owner === 'instance' ? `service_account_${random}` : `service_account_group_${owner.groupId}_${random}`;

/** Texts by field as whole sentences, as this endpoint joins them (G-4.5-2). */
export const sentencesOf = (problems: Problems): string[] =>
  Object.entries(problems).flatMap(([field, texts]) =>
    texts.map((text) => `${field.charAt(0).toUpperCase()}${field.slice(1)} ${text}`),
  );
