import { z } from '@switchyard/config';
import { wildcardProblem } from '@switchyard/patterns';
import { recordFields } from '@switchyard/service';
import type { ProtectedBranch } from '../domain/protected-branch';
import type { ProtectedTag } from '../domain/protected-tag';

/** A name, or a wildcard that a rule can have. */
const name = recordFields
  .text(2_000)
  .min(1)
  .refine((given) => wildcardProblem(given) === undefined, 'has too many wildcards');

const level = z.literal([0, 30, 40, 60]);

/** A protected branch as an archive has it (ADR 60). */
export const protectedBranchRecord = z.object({
  name,
  push_access_level: level,
  merge_access_level: level,
  allow_force_push: z.boolean(),
});

/** A protected branch of an archive. */
export const toProtectedBranch = (
  given: z.infer<typeof protectedBranchRecord>,
): Omit<ProtectedBranch, 'id' | 'projectId'> => ({
  name: given.name,
  pushAccessLevel: given.push_access_level,
  mergeAccessLevel: given.merge_access_level,
  allowForcePush: given.allow_force_push,
});

/** A protected tag as an archive has it (ADR 60). */
export const protectedTagRecord = z.object({ name, create_access_level: level });

/** A protected tag of an archive. */
export const toProtectedTag = (given: z.infer<typeof protectedTagRecord>): Omit<ProtectedTag, 'id' | 'projectId'> => ({
  name: given.name,
  createAccessLevel: given.create_access_level,
});
