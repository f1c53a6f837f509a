import { isDeepStrictEqual } from 'node:util';
import { levels } from '@switchyard/rights';

/** Protection of the default branches of new projects, under its public names (G-4.15-5). */
export interface BranchProtection {
  allowed_to_push: { access_level: number }[];
  allow_force_push: boolean;
  allowed_to_merge: { access_level: number }[];
  developer_can_initial_push: boolean;
}

const developers = [{ access_level: levels.developer }];
const maintainers = [{ access_level: levels.maintainer }];

/** What the numbers of `default_branch_protection` mean in full, from 0: none, against force pushes, full … */
const numbered: readonly BranchProtection[] = [
  [developers, developers, true, false] as const,
  [developers, developers, false, false] as const,
  [maintainers, maintainers, false, false] as const,
  [maintainers, developers, false, false] as const,
  [maintainers, maintainers, false, true] as const,
].map(([push, merge, force, initial]) => ({
  allowed_to_push: push,
  allow_force_push: force,
  allowed_to_merge: merge,
  developer_can_initial_push: initial,
}));

/** The number of full protection: what holds where no one has set any. */
const fullProtection = 2;

/** What a number from 0 to 4 means in full. */
export const protectionOf = (number: number): BranchProtection => (numbered[number] ?? numbered[fullProtection])!;

/** Protection where no one has set any. */
export const defaultProtection = protectionOf(fullProtection);

/** The number of a protection; that of full protection where none means the same. */
export function numberOf(protection: BranchProtection): number {
  const number = numbered.findIndex((one) => isDeepStrictEqual(one, protection));
  return number < 0 ? fullProtection : number;
}
