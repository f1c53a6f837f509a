import type { SqlExecutor } from '@switchyard/database';
import { appendAllToOutbox, milestoneEvents } from '@switchyard/events';
import type { MilestoneRow } from '../domain/milestone-row';

type MilestoneEvent = Parameters<typeof milestoneEvents.key>[0];

/** What can happen to a milestone. */
export type MilestoneFact = NonNullable<MilestoneEvent['fact']>['$case'];

const once = new Set<MilestoneFact>(['created', 'deleted']);

/** Appends what happened to a milestone, in this order; its row is locked. */
export function noteMilestone(
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
