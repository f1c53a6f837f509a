import { deployScopes } from '@switchyard/rights';
import { displayTextProblems } from '@switchyard/texts';
import { lengthProblems, note, type Problems } from '../../rules';

/** A deploy token as it is printed. */
export interface DeployTokenRecord {
  id: number;
  name: string;
  username: string;
  scopes: string[];
  expired: boolean;
  expires_at: Date | null;
  last_used_at: Date | null;
}

/** A deploy token, as it is requested. */
export interface DeployTokenRequest {
  readonly name: string;
  readonly scopes: readonly string[];
  /** Undefined for never. */
  readonly expiresAt: Date | undefined;
  /** Empty for the default. */
  readonly username: string;
}

/** Longest name and username, characters. */
const maxLength = 255;

/** What is wrong with a requested deploy token, by field; empty when it can be made. */
export function deployTokenProblems({ name, scopes, expiresAt, username }: DeployTokenRequest, now: Date): Problems {
  const problems: Problems = {};
  note(problems, 'name', displayTextProblems(name, Number.POSITIVE_INFINITY).concat(lengthProblems(name, maxLength)));
  if (scopes.length === 0 || !scopes.every((scope) => deployScopes.includes(scope)))
    note(problems, 'scopes', ['can only contain available scopes']);
  if (expiresAt !== undefined && expiresAt <= now) note(problems, 'expires_at', ['must be in the future']);
  if (username !== '' && !/^[A-Za-z0-9._+-]+$/.test(username))
    note(problems, 'username', ["can contain only letters, digits, '_', '-', '+', and '.'"]);
  note(problems, 'username', lengthProblems(username, maxLength));
  return problems;
}
