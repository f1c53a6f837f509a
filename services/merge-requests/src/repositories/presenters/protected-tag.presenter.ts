import type { ProtectedTag } from '../domain/protected-tag';
import { accessLevels } from './protected-branch.presenter';

/** A protected tag or wildcard. */
export const protectedTagObject = (rule: ProtectedTag) => ({
  name: rule.name,
  create_access_levels: accessLevels(rule.id, rule.createAccessLevel),
});
