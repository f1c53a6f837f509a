import { wildcard } from '@switchyard/patterns';
import { maintainer, type ProjectAccess, reaches } from './protected-branch';

/** A rule on one tag, or on every tag that matches a wildcard. */
export interface ProtectedTag {
  readonly id: number;
  readonly projectId: number;
  /** Tag name, or a wildcard in which `*` means any text, slashes included. */
  readonly name: string;
  /** Least level that may create such a tag: 0 (no one), 30, 40, or 60 (administrators). */
  readonly createAccessLevel: number;
}

/** The rules that hold for `tag`; none: the tag is not protected. */
export const rulesOfTag = (rules: readonly ProtectedTag[], tag: string): ProtectedTag[] =>
  rules.filter((rule) => wildcard(rule.name)(tag));

/** True when a rule holds for `tag`. */
export const isProtectedTag = (rules: readonly ProtectedTag[], tag: string): boolean =>
  rulesOfTag(rules, tag).length > 0;

/** Why this user may not create `tag`; undefined when they may. */
export function refusalOfTag(rules: readonly ProtectedTag[], tag: string, access: ProjectAccess): string | undefined {
  const holding = rulesOfTag(rules, tag);
  return holding.length === 0 || holding.some((rule) => reaches(access, rule.createAccessLevel))
    ? undefined
    : 'You are not allowed to create this tag as it is protected.';
}

/** Why `tag` is not to be removed by the API; undefined when it may be. */
export function refusalOfTagRemoval(
  rules: readonly ProtectedTag[],
  tag: string,
  access: ProjectAccess,
): string | undefined {
  if (!isProtectedTag(rules, tag) || access.admin || access.level >= maintainer) return undefined;
  return 'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.';
}

/** Why a push may not do this to `tag`; undefined when it may. */
export function refusalOfTagPush(
  rules: readonly ProtectedTag[],
  tag: string,
  action: 'create' | 'update' | 'delete',
  access: ProjectAccess,
): string | undefined {
  if (action === 'create') return refusalOfTag(rules, tag, access);
  if (!isProtectedTag(rules, tag)) return undefined;
  if (action === 'update') return 'Protected tags cannot be updated.';
  return refusalOfTagRemoval(rules, tag, access) ?? 'You can only delete protected tags using the API.';
}
