import type { Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { ruleOfDefault } from '../domain/default-protection';
import type { NewDefault } from '../domain/settlement';

/** Gives a new default branch its rule, where it is protected and has none. */
export async function protectDefault(tx: Tx, projectId: number, { branch, protection }: NewDefault): Promise<void> {
  const rule = ruleOfDefault(protection);
  if (rule === undefined) return;
  await tx.query(sql`
    insert into protected_branches (project_id, name, push_access_level, merge_access_level, allow_force_push)
    values (${projectId}, ${branch}, ${rule.pushAccessLevel}, ${rule.mergeAccessLevel}, ${rule.allowForcePush})
    on conflict (project_id, name) do nothing`);
}
