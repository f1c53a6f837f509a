import { displayTextProblems } from '@switchyard/texts';
import { lengthProblems } from '../../rules';
import { expiryProblem, type LifetimeRule } from './token-lifetime';

/** A new token, as it is requested. */
export interface TokenRequest {
  name: string;
  description: string;
  scopes: readonly string[];
  /** `YYYY-MM-DD`; empty for the longest lifetime. */
  expiresAt: string;
}

/**
 * What is wrong with a requested token; empty when it can be made.
 * @param available scopes that its owner may give it
 * @param expiresAt `YYYY-MM-DD`, with the default in place of none
 */
export function tokenProblems(
  { name, description, scopes }: TokenRequest,
  {
    available,
    expiresAt,
    ...rule
  }: LifetimeRule & { readonly available: readonly string[]; readonly expiresAt: string },
): string[] {
  const tooLong = lengthProblems(name, 255).concat(lengthProblems(description, 255));
  const areAvailable = scopes.length > 0 && scopes.every((scope) => available.includes(scope));
  return [
    ...displayTextProblems(name, Number.POSITIVE_INFINITY).map((text) => `Name ${text}`),
    ...(tooLong.length > 0 ? [`Name or description ${tooLong[0]}`] : []),
    ...(areAvailable ? [] : ['Scopes can only contain available scopes']),
    ...[expiryProblem(expiresAt, rule)].filter((problem) => problem !== undefined),
  ];
}
