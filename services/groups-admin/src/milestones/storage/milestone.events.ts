import type { SqlExecutor } from '@switchyard/database';
import { appendAllToOutbox, milestoneEvents } from '@switchyard/events';
import type { MilestoneFact } from '../domain/milestone-change';
import type { MilestoneRow } from '../domain/milestone-row';

/** Facts of which a milestone has one at most, so that their event ids need no timestamp. */
const once = new Set<MilestoneFact>(['created', 'deleted']);

/** Publishes what happened to a milestone, in this order; its row is locked. */
export function publishMilestone(
  tx: SqlExecutor,
  milestone: Pick<MilestoneRow, 'id' | 'iid' | 'project_id' | 'namespace_id' | 'title'>,
  actorId: number,
  facts: readonly MilestoneFact[],
): Promise<void> {
  const occurredAt = new Date();
  return appendAllToOutbox(
    tx,
    milestoneEvents,
    facts.map(($case) => ({
      id: `milestone_${$case}:${milestone.id}${once.has($case) ? '' : `:${occurredAt.getTime()}`}`,
      payload: {
        milestoneId: milestone.id,
        iid: milestone.iid,
        projectId: milestone.project_id ?? 0,
        groupId: milestone.namespace_id ?? 0,
        title: milestone.title,
        actorId,
        occurredAt,
        fact: { $case, value: {} },
      },
    })),
  );
}
