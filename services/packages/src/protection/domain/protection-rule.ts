import { wildcard, wildcardProblem } from '@switchyard/patterns';
import { levels } from '@switchyard/rights';
import { pythonName } from '@switchyard/texts';

/** Level of an administrator, above every role. */
const adminLevel = 60;

/** Roles that a rule can require, and their levels. */
export const requiredLevels = { maintainer: levels.maintainer, owner: levels.owner, admin: adminLevel } as const;

/** A role that a rule can require. */
export type RequiredRole = keyof typeof requiredLevels;

/** What a rule says. */
export interface ProtectionFields {
  /** Name of packages, in which `*` matches any text. */
  readonly namePattern: string;
  readonly format: string;
  /** Role from which on one may publish; undefined for the role of every publication. */
  readonly push: RequiredRole | undefined;
  /** Role from which on one may delete; undefined for the role of every deletion. */
  readonly delete: RequiredRole | undefined;
}

/** A rule of a project. */
export interface ProtectionRule extends ProtectionFields {
  readonly id: number;
  readonly projectId: number;
}

/** What can be protected. */
export type ProtectedAct = 'push' | 'delete';

/** A caller's level in a project, administrators above all. */
export const effectiveLevel = (actor: { readonly admin: boolean } | undefined, level: number | undefined): number =>
  actor?.admin === true ? adminLevel : (level ?? levels.none);

/** A name, or a pattern of names, as names of the format are compared: those that mean one package are one. */
const compared = (format: string, text: string): string => (format === 'pypi' ? pythonName(text) : text);

/** Whether rules of the package's format allow a level to act on a package: every rule that matches its name has to. */
export const allows = (
  rules: readonly Pick<ProtectionRule, 'namePattern' | ProtectedAct>[],
  act: ProtectedAct,
  { format, name }: { readonly format: string; readonly name: string },
  level: number,
): boolean =>
  rules.every((rule) => {
    const role = rule[act];
    const isMeant = () => wildcard(compared(format, rule.namePattern))(compared(format, name));
    return role === undefined || requiredLevels[role] <= level || !isMeant();
  });

/** Why a rule is none; empty when it is one. */
export function protectionProblems({ namePattern, push, delete: removal }: ProtectionFields): string[] {
  const wildcards = wildcardProblem(namePattern);
  return [
    ...(namePattern === '' ? ["Package name pattern can't be blank"] : []),
    ...(namePattern.length > 255 ? ['Package name pattern is too long (maximum is 255 characters)'] : []),
    ...(wildcards === undefined ? [] : [`Package name pattern ${wildcards}`]),
    ...(push === undefined && removal === undefined
      ? ['A rule requires at least a minimum access role for push or a minimum access role for delete.']
      : []),
  ];
}
