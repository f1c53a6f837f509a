import { GroupServiceService } from '@switchyard/protos/groups_admin/v1/group';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { MemberServiceService } from '@switchyard/protos/groups_admin/v1/member';
import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import { ProjectServiceService, type ProjectSettings } from '@switchyard/protos/groups_admin/v1/project';
import { ShareServiceService } from '@switchyard/protos/groups_admin/v1/share';
import { type RunningGroups, shown, type TestUser } from './running-groups';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Json = any;

/** Clients of the services of groups and projects, and calls that many tests make. */
export const groupClients = (running: () => RunningGroups) => {
  const groups = (user?: TestUser) => running().as(user, GroupServiceService);
  const projects = (user?: TestUser) => running().as(user, ProjectServiceService);
  const members = (user?: TestUser) => running().as(user, MemberServiceService);
  const labels = (user?: TestUser) => running().as(user, LabelServiceService);
  const milestones = (user?: TestUser) => running().as(user, MilestoneServiceService);
  const shares = (user?: TestUser) => running().as(user, ShareServiceService);
  return {
    groups,
    projects,
    members,
    shares,
    labels,
    milestones,

    newGroup: (
      user: TestUser,
      path: string,
      { parentId = 0, visibility, name = path }: { parentId?: number; visibility?: string; name?: string } = {},
    ): Promise<Json> => shown('Group', groups(user).createGroup({ parentId, settings: { name, path, visibility } })),

    newProject: (
      user: TestUser,
      namespaceId: number,
      path: string,
      settings: Partial<ProjectSettings> = {},
    ): Promise<Json> =>
      shown(
        'Project',
        projects(user).createProject({
          namespaceId,
          userId: 0,
          initializeWithReadme: false,
          settings: { path, featureAccessLevels: {}, ...settings },
        }),
      ),

    addMember: (
      by: TestUser,
      source: { group: number } | { project: number },
      user: TestUser,
      accessLevel: number,
      expiresAt = '',
    ): Promise<Json> =>
      shown(
        'AddedMembers',
        members(by).addMembers(
          {
            source:
              'group' in source ? { groupId: source.group, projectId: 0 } : { groupId: 0, projectId: source.project },
            userIds: [user.userId],
            usernames: [],
            accessLevel,
            expiresAt,
          },
          source,
        ),
      ),
  };
};

/** Kind and public body of the refusal that a call ends in. */
export async function refusal(call: Promise<unknown>): Promise<{ kind: string; message: Json }> {
  const error = await call.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (error === undefined) throw new Error('the call was not refused');
  const { kind, body } = error as { kind?: string; body?: { message: Json } };
  if (kind === undefined) throw error;
  return { kind, message: body?.message };
}
