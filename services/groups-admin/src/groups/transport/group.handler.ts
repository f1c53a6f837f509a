import { badRequest } from '@switchyard/errors';
import { GroupServiceService, type GroupSettings as WireSettings } from '@switchyard/protos/groups_admin/v1/group';
import { levels } from '@switchyard/rights';
import { entity, implement, page, pageRequest, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import type { Instance } from '../../projects';
import { presentProject, presentSimpleProject } from '../../projects';
import type { Visibility } from '../../rules';
import { given, some } from '../../wire';
import type { createGroup } from '../application/create-group';
import type { deleteGroup, restoreGroup } from '../application/delete-group';
import type { readGroups } from '../application/read-groups';
import type { transferGroup } from '../application/transfer-group';
import type { updateGroup } from '../application/update-group';
import type { GroupSettings } from '../domain/group';
import { protectionOf } from '../domain/group';
import { presentGroup, presentGroupItem } from '../presenters/group.presenter';

/** Use cases behind GroupService. */
export interface GroupUseCases {
  createGroup: ReturnType<typeof createGroup>;
  updateGroup: ReturnType<typeof updateGroup>;
  transferGroup: ReturnType<typeof transferGroup>;
  deleteGroup: ReturnType<typeof deleteGroup>;
  restoreGroup: ReturnType<typeof restoreGroup>;
  listGroups: ReturnType<typeof readGroups>['list'];
  getGroup: ReturnType<typeof readGroups>['get'];
}

const orNull = <T extends string | number>(value: T | undefined, empty: T): T | null | undefined =>
  value === empty ? null : value;

/** The settings that were sent, by their public names. */
function toSettings(wire: WireSettings | undefined): Partial<GroupSettings> {
  if (wire === undefined) return {};
  const protection = wire.defaultBranchProtectionDefaults;
  const settings: { [K in keyof GroupSettings]: GroupSettings[K] | undefined } = {
    share_with_group_lock: wire.shareWithGroupLock,
    require_two_factor_authentication: wire.requireTwoFactorAuthentication,
    two_factor_grace_period: wire.twoFactorGracePeriod,
    project_creation_level: wire.projectCreationLevel,
    auto_devops_enabled: wire.autoDevopsEnabled,
    subgroup_creation_level: wire.subgroupCreationLevel,
    emails_enabled: wire.emailsEnabled,
    mentions_disabled: wire.mentionsDisabled,
    lfs_enabled: wire.lfsEnabled,
    request_access_enabled: wire.requestAccessEnabled,
    default_branch: orNull(wire.defaultBranch, ''),
    default_branch_protection: wire.defaultBranchProtection,
    default_branch_protection_defaults:
      protection !== undefined
        ? {
            allowed_to_push: protection.allowedToPush.map((level) => ({ access_level: level })),
            allow_force_push: protection.allowForcePush,
            allowed_to_merge: protection.allowedToMerge.map((level) => ({ access_level: level })),
            developer_can_initial_push: protection.developerCanInitialPush,
          }
        : wire.defaultBranchProtection !== undefined
          ? protectionOf(wire.defaultBranchProtection)
          : undefined,
    enabled_git_access_protocol: wire.enabledGitAccessProtocol,
    membership_lock: wire.membershipLock,
    shared_runners_minutes_limit: orNull(wire.sharedRunnersMinutesLimit, -1),
    extra_shared_runners_minutes_limit: orNull(wire.extraSharedRunnersMinutesLimit, -1),
    wiki_access_level: wire.wikiAccessLevel,
    experiment_features_enabled: wire.experimentFeaturesEnabled,
    assistant_availability: wire.assistantAvailability,
    assistant_features_enabled: wire.assistantFeaturesEnabled,
    lock_assistant_features_enabled: wire.lockAssistantFeaturesEnabled,
    prevent_sharing_groups_outside_hierarchy: wire.preventSharingGroupsOutsideHierarchy,
    shared_runners_setting: wire.sharedRunnersSetting,
    file_template_project_id: orNull(wire.fileTemplateProjectId, 0),
    ip_restriction_ranges: orNull(wire.ipRestrictionRanges, ''),
    allowed_email_domains_list: orNull(wire.allowedEmailDomainsList, ''),
    math_rendering_limits_enabled: wire.mathRenderingLimitsEnabled,
    lock_math_rendering_limits_enabled: wire.lockMathRenderingLimitsEnabled,
    max_artifacts_size: wire.maxArtifactsSize,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

const accepted = () => entity({ message: '202 Accepted' }, 202);

/** GroupService; `runnersToken` gives the registration token of a group's runners. */
export function groupHandler(
  useCases: GroupUseCases,
  instance: Instance,
  runnersToken: (groupId: number) => string,
): ServiceImplementation {
  /** A group as its Owner sees it after a change. */
  const ownedGroup = (group: Parameters<typeof presentGroup>[0]) =>
    presentGroup(group, { administers: true, runnersToken: runnersToken(group.id), projects: undefined }, instance);
  return implement(GroupServiceService, {
    listGroups: async (request, context) => {
      const asked = pageRequest(request.page, { orderBy: 'name' });
      const viewer = viewerOf(context);
      const inTree = request.parentId > 0 || request.ancestorId > 0;
      const { rows, page: info } = await useCases.listGroups(
        viewer,
        {
          parentId: given(request.parentId),
          ancestorId: given(request.ancestorId),
          skip: some(request.skipGroups),
          allAvailable: request.allAvailable ?? (viewer.admin || viewer.userId === 0 || inTree),
          search: given(request.search),
          visibility: given(request.visibility),
          minLevel: request.owned ? 50 : given(request.minAccessLevel),
          topLevelOnly: request.topLevelOnly,
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
      const { group, projects } = await useCases.getGroup(viewer, request.groupId, request.withProjects);
      const present = viewer.userId === 0 ? presentSimpleProject : presentProject;
      return entity(
        presentGroup(
          group,
          {
            administers: viewer.admin || (context.access?.level ?? 0) >= levels.owner,
            runnersToken: runnersToken(group.id),
            projects: projects?.map((project) => present(project, instance)),
          },
          instance,
        ),
      );
    },

    createGroup: async (request, context) => {
      const settings = request.settings;
      const group = await useCases.createGroup(viewerOf(context), {
        parentId: given(request.parentId),
        name: settings?.name ?? '',
        path: settings?.path ?? '',
        description: settings?.description ?? '',
        visibility: settings?.visibility as Visibility | undefined,
        settings: toSettings(settings),
      });
      return entity(ownedGroup(group));
    },

    updateGroup: async (request, context) => {
      const settings = request.settings;
      const group = await useCases.updateGroup(viewerOf(context), {
        id: request.groupId,
        name: settings?.name,
        path: settings?.path,
        description: settings?.description,
        visibility: settings?.visibility as Visibility | undefined,
        settings: toSettings(settings),
        tier: orNull(request.tier, ''),
      });
      return entity(ownedGroup(group));
    },

    deleteGroup: async (request) => {
      if (request.permanentlyRemove && request.fullPath === '') throw badRequest('"full_path" not given');
      await useCases.deleteGroup(request.groupId, {
        confirmed: request.permanentlyRemove ? { fullPath: request.fullPath } : undefined,
        unmodifiedSince: request.ifUnmodifiedSince,
      });
      return accepted();
    },

    restoreGroup: async (request, context) =>
      entity(ownedGroup(await useCases.restoreGroup(viewerOf(context), request.group))),

    transferGroup: async (request, context) =>
      entity(ownedGroup(await useCases.transferGroup(viewerOf(context), request.groupId, given(request.parentId)))),
  });
}
