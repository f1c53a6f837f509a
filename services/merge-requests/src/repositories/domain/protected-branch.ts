import { wildcard } from '@switchyard/patterns';
import { levels } from '@switchyard/rights';

/** A rule on one branch, or on every branch that matches a wildcard (G §10 Protected branches). */
export interface ProtectedBranch {
  readonly id: number;
  readonly projectId: number;
  /** Branch name, or a wildcard in which `*` means any text, slashes included. */
  readonly name: string;
  /** Least level that may push: 0 (no one), 30, 40, or 60 (administrators). */
  readonly pushAccessLevel: number;
  /** Least level that may merge, of the same values. */
  readonly mergeAccessLevel: number;
  /** Users who may push may also rewrite history. */
  readonly allowForcePush: boolean;
}

/** Rights of a user: their level in the project, and whether they administer the instance. */
export interface ProjectAccess {
  /** 0 to 50 (G-5-14). */
  readonly level: number;
  readonly admin: boolean;
}

/** Levels of users who write code, and of users who maintain the project. */
export const { developer, maintainer } = levels;

const administrators = 60;

/** True when the rule holds for `branch`. */
export const covers = (rule: ProtectedBranch, branch: string): boolean => wildcard(rule.name)(branch);

/** The rules that hold for `branch`; none: the branch is not protected. */
export const rulesOf = (rules: readonly ProtectedBranch[], branch: string): ProtectedBranch[] =>
  rules.filter((rule) => covers(rule, branch));

/** True when this user has what a level of a rule demands; 0 lets no one through. */
export function reaches(access: ProjectAccess, needed: number): boolean {
  if (needed === 0) return false;
  if (access.admin) return true;
  return needed !== administrators && access.level >= needed;
}

/**
 * True when this user may push to `branch`: Developers everywhere, and on a protected branch those whom one of its
 * rules allows (G-4.2-7).
 */
export function mayPush(rules: readonly ProtectedBranch[], branch: string, access: ProjectAccess): boolean {
  if (access.level < developer) return false;
  const holding = rulesOf(rules, branch);
  return holding.length === 0 || holding.some((rule) => reaches(access, rule.pushAccessLevel));
}

/** The rights of one who is no member. */
export const nobody: ProjectAccess = { level: 0, admin: false };

/**
 * True when this user may push to a branch that is there: by their level, or, where it is not protected, as one of those
 * who may merge it elsewhere.
 * @param collaboratesOn the branches that are open to this user in that way
 */
export const mayPushTo = (
  rules: readonly ProtectedBranch[],
  branch: string,
  access: ProjectAccess,
  collaboratesOn: ReadonlySet<string>,
): boolean => mayPush(rules, branch, access) || (collaboratesOn.has(branch) && rulesOf(rules, branch).length === 0);

/** True when this user may merge into `branch`: by push right or by merge right (G-4.2-7). */
export function mayMerge(rules: readonly ProtectedBranch[], branch: string, access: ProjectAccess): boolean {
  if (access.level < developer) return false;
  const holding = rulesOf(rules, branch);
  return (
    holding.length === 0 ||
    holding.some((rule) => reaches(access, rule.pushAccessLevel) || reaches(access, rule.mergeAccessLevel))
  );
}

/** True when history of `branch` may be rewritten by those who may push to it. */
export function allowsForcePush(rules: readonly ProtectedBranch[], branch: string): boolean {
  const holding = rulesOf(rules, branch);
  return holding.length === 0 || holding.some((rule) => rule.allowForcePush);
}

/** True when Developers may push to `branch`. */
export const developersCanPush = (rules: readonly ProtectedBranch[], branch: string): boolean =>
  rulesOf(rules, branch).some((rule) => rule.pushAccessLevel === developer);

/** True when Developers may merge into `branch`. */
export const developersCanMerge = (rules: readonly ProtectedBranch[], branch: string): boolean =>
  rulesOf(rules, branch).some((rule) => rule.mergeAccessLevel === developer);
