import { fullPath, hookUser } from '@switchyard/directory';
import type { AccessRequestEvent } from '@switchyard/protos/groups_admin/events/v1/access_request_event';
import type { MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import { levels } from '@switchyard/rights';
import type { HookDraft } from '../domain/hook-draft';
import type {
  HookFacts,
  HookGroupFacts,
  HookMembershipFacts,
  HookProjectFacts,
  HookUserFacts,
} from '../domain/hook-facts';
import { accessName } from './access-name';

/** What a body says of a member, or of one who wants to be. */
interface Member {
  readonly user: HookUserFacts;
  readonly level: number | undefined;
  readonly membership: HookMembershipFacts | undefined;
  readonly at: Date | undefined;
}

/** Names of the event in a group and in a project, as system hooks of GitLab have them. */
interface EventNames {
  readonly group: string;
  readonly project: string;
}

const memberNames: Readonly<Record<'add' | 'update' | 'remove', EventNames>> = {
  add: { group: 'user_add_to_group', project: 'user_add_to_team' },
  update: { group: 'user_update_for_group', project: 'user_update_for_team' },
  remove: { group: 'user_remove_from_group', project: 'user_remove_from_team' },
};

const requestNames: Readonly<Record<'request' | 'revoke', EventNames>> = {
  request: { group: 'user_access_request_to_group', project: 'user_access_request_to_project' },
  revoke: { group: 'user_access_request_revoked_for_group', project: 'user_access_request_revoked_for_project' },
};

const userPart = (user: HookUserFacts) => ({
  user_username: user.username,
  user_name: user.name,
  user_email: hookUser(user, '').email,
  user_id: user.id,
});

const datesOf = ({ membership, at }: Member) => ({
  created_at: membership?.created_at ?? at,
  updated_at: membership?.updated_at ?? at,
});

const ofGroup = (group: HookGroupFacts, member: Member, names: EventNames) => ({
  ...datesOf(member),
  group_name: group.name,
  group_path: group.path,
  group_id: group.id,
  ...userPart(member.user),
  group_access: accessName(member.level),
  group_plan: null,
  expires_at: member.membership?.expires_at ?? null,
  event_name: names.group,
});

const ofProject = (project: HookProjectFacts, member: Member, names: EventNames) => ({
  ...datesOf(member),
  project_name: project.name,
  project_path: project.path,
  project_path_with_namespace: fullPath(project),
  project_id: project.id,
  ...userPart(member.user),
  access_level: accessName(member.level),
  project_visibility: project.visibility,
  event_name: names.project,
});

/** A body about a member; none where the user, the group or the project is gone. */
function memberDraft(
  { groupId, projectId }: { readonly groupId: number; readonly projectId: number },
  facts: HookFacts,
  member: Omit<Member, 'user'> & { readonly userId: number },
  names: EventNames,
): Pick<HookDraft, 'projectId' | 'groupId' | 'body'> | undefined {
  const user = facts.users.get(member.userId);
  const project = facts.projects.get(projectId);
  const group = facts.groups.get(groupId);
  if (user === undefined) return undefined;
  if (project !== undefined) return { projectId, body: ofProject(project, { ...member, user }, names) };
  return group === undefined ? undefined : { groupId, body: ofGroup(group, { ...member, user }, names) };
}

const membershipActions = { added: 'add', changed: 'update', removed: 'remove' } as const;

/** Bodies of a change of a membership (G-6-3, Member Hook). */
export function memberBodies(event: MembershipEvent, facts: HookFacts): HookDraft[] {
  const { fact, userId, membershipId, occurredAt: at } = event;
  if (fact === undefined) return [];
  const action = membershipActions[fact.$case];
  const level = fact.$case === 'removed' ? undefined : fact.value.accessLevel;
  const member = { userId, level, membership: facts.memberships.get(membershipId), at };
  const draft = memberDraft(event, facts, member, memberNames[action]);
  return draft === undefined ? [] : [{ kind: 'member', action, objectKey: `member:${membershipId}`, ...draft }];
}

/** Bodies of an access request: its approval is the addition of a member, and has a body of its own. */
export function accessRequestBodies(event: AccessRequestEvent, facts: HookFacts): HookDraft[] {
  const { fact, userId, requestId, occurredAt: at } = event;
  if (fact?.$case !== 'requested' && fact?.$case !== 'denied' && fact?.$case !== 'withdrawn') return [];
  const action = fact.$case === 'requested' ? 'request' : 'revoke';
  const member = { userId, level: undefined, membership: undefined, at };
  const draft = memberDraft(event, facts, member, requestNames[action]);
  if (draft === undefined) return [];
  return [
    { kind: 'member', action, objectKey: `access_request:${requestId}`, leastLevel: levels.maintainer, ...draft },
  ];
}
