import { hookGroup, hookProject, hookUser } from '@switchyard/directory';
import type { MilestoneEvent } from '@switchyard/protos/groups_admin/events/v1/milestone_event';
import type { HookDraft } from '../domain/hook-draft';
import type { HookFacts } from '../domain/hook-facts';

/** What hooks call the facts that they carry, and the state after each. */
const actions: Readonly<Record<string, readonly [action: string, state: 'active' | 'closed']>> = {
  created: ['create', 'active'],
  closed: ['close', 'closed'],
  activated: ['reopen', 'active'],
};

/**
 * The body of a change of a milestone (G-6-3, Milestone Hook): it was made, closed or opened again. None for what is gone.
 */
export function milestoneBodies(
  { milestoneId, projectId, groupId, actorId, title, fact }: MilestoneEvent,
  facts: HookFacts,
  externalUrl: string,
): HookDraft[] {
  const [action, state] = actions[fact?.$case ?? ''] ?? [];
  const milestone = facts.milestones.get(milestoneId);
  const project = facts.projects.get(projectId);
  const group = facts.groups.get(groupId);
  if (action === undefined || milestone === undefined || (project ?? group) === undefined) return [];
  const user = facts.users.get(actorId);
  const body = {
    object_kind: 'milestone',
    event_type: 'milestone',
    user: user === undefined ? null : hookUser(user, externalUrl),
    ...(project === undefined ? {} : { project: hookProject(project, externalUrl) }),
    ...(group === undefined ? {} : { group: hookGroup(group) }),
    object_attributes: { ...milestone, title, state },
    action,
  };
  return [{ kind: 'milestone', action, objectKey: `milestone:${milestoneId}`, projectId, groupId, body }];
}
