import type { AccessRequestEvent } from '@switchyard/protos/groups_admin/events/v1/access_request_event';
import type { GroupEvent } from '@switchyard/protos/groups_admin/events/v1/group_event';
import type { MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import type { MilestoneEvent } from '@switchyard/protos/groups_admin/events/v1/milestone_event';
import type { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import type { SshKeyEvent } from '@switchyard/protos/groups_admin/events/v1/ssh_key_event';
import type { UserEvent } from '@switchyard/protos/groups_admin/events/v1/user_event';
import type { NamedIds } from '../domain/hook-facts';

/** An event of this service that can lead to hooks. */
export type HookEvent =
  | { readonly of: 'membership'; readonly event: MembershipEvent }
  | { readonly of: 'access_request'; readonly event: AccessRequestEvent }
  | { readonly of: 'project'; readonly event: ProjectEvent }
  | { readonly of: 'group'; readonly event: GroupEvent }
  | { readonly of: 'milestone'; readonly event: MilestoneEvent }
  | { readonly of: 'user'; readonly event: UserEvent }
  | { readonly of: 'key'; readonly event: SshKeyEvent };

/** Whom and what a body of an event needs. */
export function namedIn(given: HookEvent): NamedIds {
  switch (given.of) {
    case 'membership': {
      const { userId, groupId, projectId, membershipId } = given.event;
      return { users: [userId], groups: [groupId], projects: [projectId], memberships: [membershipId] };
    }
    case 'access_request': {
      const { userId, groupId, projectId } = given.event;
      return { users: [userId], groups: [groupId], projects: [projectId] };
    }
    case 'project': {
      const { projectId, fact } = given.event;
      return {
        projects: [projectId],
        users: fact?.$case === 'deleted' ? [fact.value.project?.creatorId ?? 0] : [],
      };
    }
    case 'milestone': {
      const { milestoneId, actorId, groupId, projectId } = given.event;
      return { milestones: [milestoneId], users: [actorId], groups: [groupId], projects: [projectId] };
    }
    case 'group':
      return { groups: [given.event.groupId] };
    case 'user':
    case 'key':
      return { users: [given.event.userId] };
  }
}
