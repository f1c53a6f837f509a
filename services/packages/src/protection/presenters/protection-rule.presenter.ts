import type { ProtectionRule } from '../domain/protection-rule';

/** The public rule. */
export const presentProtectionRule = (rule: ProtectionRule) => ({
  id: rule.id,
  project_id: rule.projectId,
  package_name_pattern: rule.namePattern,
  package_type: rule.format,
  minimum_access_level_for_push: rule.push ?? null,
  minimum_access_level_for_delete: rule.delete ?? null,
});
