import type { ProtectedBranch } from '../domain/protected-branch';

const descriptions: Readonly<Record<number, string>> = {
  0: 'No one',
  30: 'Developers + Maintainers',
  40: 'Maintainers',
  60: 'Administrators',
};

/** Who a level lets through. A rule has one level of each kind, so the rule's own id serves for all. */
export const accessLevels = (id: number, level: number) => [
  {
    id,
    access_level: level,
    access_level_description: descriptions[level] ?? String(level),
    deploy_key_id: null,
    user_id: null,
    group_id: null,
  },
];

/** A protected branch or wildcard (G §10 Protected branches). */
export const protectedBranchObject = (rule: ProtectedBranch) => ({
  id: rule.id,
  name: rule.name,
  push_access_levels: accessLevels(rule.id, rule.pushAccessLevel),
  merge_access_levels: accessLevels(rule.id, rule.mergeAccessLevel),
  allow_force_push: rule.allowForcePush,
  unprotect_access_levels: [],
  code_owner_approval_required: false,
  inherited: false,
});
