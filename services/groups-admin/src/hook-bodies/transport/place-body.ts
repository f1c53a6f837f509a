import { fullPath, hookUser } from '@switchyard/directory';
import type { GroupEvent, GroupState } from '@switchyard/protos/groups_admin/events/v1/group_event';
import type { ProjectEvent, ProjectState } from '@switchyard/protos/groups_admin/events/v1/project_event';
import { levels } from '@switchyard/rights';
import type { HookDraft } from '../domain/hook-draft';
import type { HookFacts, HookProjectFacts, HookUserFacts } from '../domain/hook-facts';

/** Level from which what was private or internal is shown where nothing else decides any more. */
const levelFor = (visibility: string): number => (visibility === 'public' ? 0 : levels.guest);

const ownerPart = (owner: HookUserFacts | undefined) => ({
  owner_email: owner === undefined ? null : hookUser(owner, '').email,
  owner_name: owner?.name ?? null,
  owners: owner === undefined ? [] : [{ name: owner.name, email: hookUser(owner, '').email }],
});

const projectBody = (
  project: HookProjectFacts,
  owner: HookUserFacts | undefined,
  eventName: string,
  oldFullPath?: string,
) => ({
  created_at: project.created_at,
  updated_at: project.updated_at,
  event_name: eventName,
  name: project.name,
  ...ownerPart(owner),
  path: project.path,
  path_with_namespace: fullPath(project),
  project_id: project.id,
  project_namespace_id: project.namespace_id,
  project_visibility: project.visibility,
  ...(oldFullPath === undefined ? {} : { old_path_with_namespace: oldFullPath }),
});

const goneProjectBody = (
  id: number,
  project: ProjectState,
  owner: HookUserFacts | undefined,
  at: Date | undefined,
) => ({
  created_at: at,
  updated_at: at,
  event_name: 'project_destroy',
  name: project.name,
  ...ownerPart(owner),
  path: project.path,
  path_with_namespace: project.fullPath,
  project_id: id,
  project_namespace_id: project.namespaceId,
  project_visibility: project.visibility,
});

/** Action and name of the facts of a project that is still there. */
const projectActions = {
  created: ['create', 'project_create'],
  renamed: ['rename', 'project_rename'],
  transferred: ['transfer', 'project_transfer'],
  updated: ['update', 'project_update'],
} as const;

/** Bodies of a change of a project (G-6-3, Project Hook). */
export function projectBodies({ projectId, fact, occurredAt }: ProjectEvent, facts: HookFacts): HookDraft[] {
  const objectKey = `project:${projectId}`;
  if (fact === undefined || fact.$case === 'forkUnlinked' || fact.$case === 'restored') return [];
  if (fact.$case === 'deleted') {
    const { project } = fact.value;
    if (project === undefined) return [];
    const body = goneProjectBody(projectId, project, facts.users.get(project.creatorId), occurredAt);
    const place = project.inGroup ? { groupId: project.namespaceId } : {};
    return [
      { kind: 'project', action: 'destroy', objectKey, ...place, leastLevel: levelFor(project.visibility), body },
    ];
  }
  const project = facts.projects.get(projectId);
  if (project === undefined) return [];
  const [action, eventName] = projectActions[fact.$case];
  const oldFullPath = 'oldFullPath' in fact.value ? fact.value.oldFullPath : undefined;
  const owner = facts.users.get(project.owner_id ?? 0);
  return [{ kind: 'project', action, objectKey, projectId, body: projectBody(project, owner, eventName, oldFullPath) }];
}

const groupBody = (
  id: number,
  group: GroupState,
  dates: { created_at: unknown; updated_at: unknown },
  name: string,
) => ({
  created_at: dates.created_at,
  updated_at: dates.updated_at,
  event_name: name,
  name: group.name,
  path: group.path,
  full_path: group.fullPath,
  group_id: id,
});

const parentPart = (group: GroupState) => ({
  parent_group_id: group.parentId,
  parent_name: group.parentName,
  parent_path: group.parentPath,
  parent_full_path: group.parentFullPath,
});

/**
 * Bodies of a change of a group: one for the hooks of the instance and, where it lies in another group, one for the hooks
 * of that (G-6-3, Subgroup Hook).
 */
export function groupBodies({ groupId, fact, group, occurredAt }: GroupEvent, facts: HookFacts): HookDraft[] {
  if (fact === undefined || group === undefined) return [];
  const dates = facts.groups.get(groupId) ?? { created_at: occurredAt, updated_at: occurredAt };
  const objectKey = `group:${groupId}`;
  const ofInstance = (action: string, old: Readonly<Record<string, string>> = {}): HookDraft => ({
    kind: 'group',
    action,
    objectKey,
    body: { ...groupBody(groupId, group, dates, `group_${action}`), ...old },
  });
  if (fact.$case === 'renamed')
    return [ofInstance('rename', { old_path: fact.value.oldPath, old_full_path: fact.value.oldFullPath })];
  if (fact.$case === 'moved') return [];
  const action = fact.$case === 'created' ? 'create' : 'destroy';
  if (group.parentId === 0) return [ofInstance(action)];
  const body = { ...groupBody(groupId, group, dates, `subgroup_${action}`), ...parentPart(group) };
  const leastLevel = levelFor(group.visibility);
  return [ofInstance(action), { kind: 'subgroup', action, objectKey, groupId: group.parentId, leastLevel, body }];
}
