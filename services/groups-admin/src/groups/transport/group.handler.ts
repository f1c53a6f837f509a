import { badRequest } from '@switchyard/errors';
import {
  type GetGroupRequest,
  GroupServiceService,
  type DefaultBranchProtection as WireProtection,
  type GroupSettings as WireSettings,
} from '@switchyard/protos/groups_admin/v1/group';
import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { levels } from '@switchyard/rights';
import {
  type CallContext,
  entity,
  implement,
  page,
  pageRequest,
  type ServiceImplementation,
  viewerOf,
} from '@switchyard/rpc';
import { toAvatarChange } from '../../avatars';
import type { Viewer } from '../../directory';
import { parentOf } from '../../parents';
import { type Instance, type ProjectRow, presentProject, presentSimpleProject } from '../../projects';
import { type BranchProtection, protectionOf, type Visibility } from '../../rules';
import { given, some } from '../../wire';
import type { createGroup } from '../application/create-group';
import type { deleteGroup, restoreGroup } from '../application/delete-group';
import type { GroupDetails, readGroups } from '../application/read-groups';
import type { transferGroup } from '../application/transfer-group';
import type { transferProjectToGroup } from '../application/transfer-project';
import type { updateGroup } from '../application/update-group';
import type { GroupExtras, GroupRow } from '../domain/group-row';
import type { GroupSettingsChange } from '../domain/group-settings';
import { presentGroup, presentGroupItem, presentLocation } from '../presenters/group.presenter';

/** Use cases behind GroupService. */
export interface GroupUseCases {
  createGroup: ReturnType<typeof createGroup>;
  updateGroup: ReturnType<typeof updateGroup>;
  transferGroup: ReturnType<typeof transferGroup>;
  deleteGroup: ReturnType<typeof deleteGroup>;
  restoreGroup: ReturnType<typeof restoreGroup>;
  listGroups: ReturnType<typeof readGroups>['list'];
  getGroup: ReturnType<typeof readGroups>['get'];
  sharedWith: ReturnType<typeof readGroups>['sharedWith'];
  transferProjectToGroup: ReturnType<typeof transferProjectToGroup>;
  listTransferLocations: ReturnType<typeof readGroups>['transferLocations'];
}

/** A group as its Owner sees it after a change. */
export type ShowGroup = (context: CallContext, groupId: number) => Promise<Representation>;

const orNull = <T extends string | number>(value: T | undefined, empty: T): T | null | undefined =>
  value === empty ? null : value;

/** The part of a protection that was sent; `number` is the short form of a whole one. */
function toProtection(
  protection: WireProtection | undefined,
  number: number | undefined,
): Partial<BranchProtection> | undefined {
  if (protection === undefined) return number === undefined ? undefined : protectionOf(number);
  const levelsOf = (allowed: number[]) => some(allowed.map((level) => ({ access_level: level })));
  return defined({
    allowed_to_push: levelsOf(protection.allowedToPush),
    allow_force_push: protection.allowForcePush,
    allowed_to_merge: levelsOf(protection.allowedToMerge),
    developer_can_initial_push: protection.developerCanInitialPush,
  });
}

/** What is set, without what is undefined. */
const defined = <T extends object>(values: { [K in keyof T]: T[K] | undefined }): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

/** The settings that were sent, by their public names. */
const toSettings = (wire: WireSettings | undefined): GroupSettingsChange =>
  wire === undefined
    ? {}
    : defined<GroupSettingsChange>({
        share_with_group_lock: wire.shareWithGroupLock,
        project_creation_level: wire.projectCreationLevel,
        subgroup_creation_level: wire.subgroupCreationLevel,
        emails_enabled: wire.emailsEnabled,
        mentions_disabled: wire.mentionsDisabled,
        request_access_enabled: wire.requestAccessEnabled,
        default_branch: orNull(wire.defaultBranch, ''),
        default_branch_protection_defaults: toProtection(
          wire.defaultBranchProtectionDefaults,
          wire.defaultBranchProtection,
        ),
        enabled_git_access_protocol: wire.enabledGitAccessProtocol,
        membership_lock: wire.membershipLock,
        prevent_sharing_groups_outside_hierarchy: wire.preventSharingGroupsOutsideHierarchy,
        ip_restriction_ranges: orNull(wire.ipRestrictionRanges, ''),
        allowed_email_domains_list: orNull(wire.allowedEmailDomainsList, ''),
      });

/** What the viewer gets of what was requested: administrators alone see it. */
const extrasFor = (
  viewer: Viewer,
  request: Pick<GetGroupRequest, 'withStatistics' | 'withCustomAttributes'>,
): GroupExtras => ({
  statistics: viewer.admin && request.withStatistics === true,
  customAttributes: viewer.admin && request.withCustomAttributes === true,
});

const accepted = () => entity({ message: '202 Accepted' }, 202);

/** How a single group is shown; `runnersToken` gives the registration token of a group's runners. */
export function groupViews(useCases: GroupUseCases, instance: Instance, runnersToken: (groupId: number) => string) {
  /** A group as its Owner sees it after a change. */
  const owned = async (viewer: Viewer, group: GroupRow): Promise<Representation> => {
    const sharedWith = await useCases.sharedWith(viewer, group.id);
    const hidden = { projects: undefined, sharedProjects: undefined };
    const view = { administers: true, runnersToken: runnersToken(group.id), sharedWith, ...hidden };
    return entity(presentGroup(group, view, instance));
  };

  const shown = (viewer: Viewer, administers: boolean, details: GroupDetails): Representation => {
    const { group, sharedWith, projects, sharedProjects } = details;
    const present = viewer.userId === 0 ? presentSimpleProject : presentProject;
    const rendered = (rows: ProjectRow[] | undefined) => rows?.map((project) => present(project, instance));
    return entity(
      presentGroup(
        group,
        {
          administers,
          runnersToken: runnersToken(group.id),
          sharedWith,
          projects: rendered(projects),
          sharedProjects: rendered(sharedProjects),
        },
        instance,
      ),
    );
  };

  const showGroup: ShowGroup = async (context, groupId) => {
    const viewer = viewerOf(context);
    return shown(viewer, true, await useCases.getGroup(viewer, groupId, true));
  };

  return { owned, shown, showGroup };
}

/** GroupService. */
export function groupHandler(
  useCases: GroupUseCases,
  instance: Instance,
  { owned, shown }: ReturnType<typeof groupViews>,
): ServiceImplementation {
  return implement(GroupServiceService, {
    listGroups: async (request, context) => {
      const asked = pageRequest(request.page, { orderBy: 'name' });
      const viewer = viewerOf(context);
      const inTree = request.parentId > 0 || request.ancestorId > 0;
      const byShares = request.sharedWithGroupId > 0 || request.invitedTo !== undefined;
      const { rows, page: info } = await useCases.listGroups(
        viewer,
        {
          parentId: given(request.parentId),
          ancestorId: given(request.ancestorId),
          skip: some(request.skipGroups),
          allAvailable: request.allAvailable ?? (viewer.admin || viewer.userId === 0 || inTree || byShares),
          search: given(request.search),
          visibility: given(request.visibility),
          minLevel: request.owned ? 50 : given(request.minAccessLevel),
          topLevelOnly: request.topLevelOnly,
          sharedWith: given(request.sharedWithGroupId),
          invitedTo: request.invitedTo && { ...request.invitedTo, source: parentOf(request.invitedTo.source) },
          markedOn: request.markedForDeletionOn,
          repositoryStorage: request.repositoryStorage,
          customAttributes: viewer.admin ? request.customAttributes?.values : undefined,
          extras: extrasFor(viewer, request),
        },
        asked,
      );
      return page(
        rows.map((group) => presentGroupItem(group, instance)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    getGroup: async (request, context) => {
      const viewer = viewerOf(context);
      const administers = viewer.admin || (context.access?.level ?? 0) >= levels.owner;
      const found = await useCases.getGroup(viewer, request.groupId, request.withProjects, extrasFor(viewer, request));
      return shown(viewer, administers, found);
    },

    createGroup: async (request, context) => {
      const settings = request.settings;
      const viewer = viewerOf(context);
      const group = await useCases.createGroup(viewer, {
        parentId: given(request.parentId),
        name: settings?.name ?? '',
        path: settings?.path ?? '',
        description: settings?.description ?? '',
        visibility: settings?.visibility as Visibility | undefined,
        settings: toSettings(settings),
        avatar: toAvatarChange(settings?.avatar),
      });
      return owned(viewer, group);
    },

    updateGroup: async (request, context) => {
      const settings = request.settings;
      const viewer = viewerOf(context);
      const group = await useCases.updateGroup(viewer, {
        id: request.groupId,
        name: settings?.name,
        path: settings?.path,
        description: settings?.description,
        visibility: settings?.visibility as Visibility | undefined,
        settings: toSettings(settings),
        tier: orNull(request.tier, ''),
        avatar: toAvatarChange(settings?.avatar),
      });
      return owned(viewer, group);
    },

    deleteGroup: async (request) => {
      if (request.permanentlyRemove && request.fullPath === '') throw badRequest('"full_path" not given');
      await useCases.deleteGroup(request.groupId, {
        confirmed: request.permanentlyRemove ? { fullPath: request.fullPath } : undefined,
        unmodifiedSince: request.ifUnmodifiedSince,
      });
      return accepted();
    },

    restoreGroup: async (request, context) => owned(viewerOf(context), await useCases.restoreGroup(request.groupId)),

    transferGroup: async (request, context) => {
      const viewer = viewerOf(context);
      return owned(viewer, await useCases.transferGroup(viewer, request.groupId, given(request.parentId)));
    },

    transferProjectToGroup: async ({ group, project }, context) => {
      const viewer = viewerOf(context);
      return owned(viewer, await useCases.transferProjectToGroup(viewer, { group, project }));
    },

    listTransferLocations: async ({ moving, search, page: wanted }, context) => {
      if (moving === undefined) throw badRequest();
      const asked = pageRequest(wanted, { orderBy: 'name' });
      const what = { kind: moving.$case === 'projectId' ? 'project' : 'group', id: moving.value } as const;
      const { rows, page: info } = await useCases.listTransferLocations(viewerOf(context), what, given(search), asked);
      return page(
        rows.map((group) => presentLocation(group, instance)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },
  });
}
