import { badRequest } from '@switchyard/errors';
import {
  type GetProjectRequest,
  GroupProjects,
  type ListProjectsRequest,
  ProjectServiceService,
  type ProjectSettings,
} from '@switchyard/protos/groups_admin/v1/project';
import { entity, implement, page, pageRequest, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { displayText } from '@switchyard/texts';
import { toAvatarChange } from '../../avatars';
import type { Viewer } from '../../directory';
import type { Visibility } from '../../rules';
import { given, some } from '../../wire';
import type { createProject } from '../application/create-project';
import type { deleteProject, restoreProject } from '../application/delete-project';
import type { OfUser, readProjects } from '../application/read-projects';
import type { transferProject } from '../application/transfer-project';
import type { archiveProject, setDefaultBranch, updateProject } from '../application/update-project';
import type { ProjectChange } from '../domain/project';
import type { ProjectExtras } from '../domain/project-row';
import { presentApprovalSettings } from '../presenters/approval-settings.presenter';
import { type Instance, presentProject, presentSimpleProject } from '../presenters/project.presenter';

/** Use cases behind ProjectService. */
export interface ProjectUseCases {
  createProject: ReturnType<typeof createProject>;
  updateProject: ReturnType<typeof updateProject>;
  archiveProject: ReturnType<typeof archiveProject>;
  setDefaultBranch: ReturnType<typeof setDefaultBranch>;
  transferProject: ReturnType<typeof transferProject>;
  deleteProject: ReturnType<typeof deleteProject>;
  restoreProject: ReturnType<typeof restoreProject>;
  listProjects: ReturnType<typeof readProjects>['list'];
  getProject: ReturnType<typeof readProjects>['get'];
}

const sharedOf = {
  [GroupProjects.GROUP_PROJECTS_UNSPECIFIED]: 'without',
  [GroupProjects.GROUP_PROJECTS_WITH_SHARED]: 'with',
  [GroupProjects.GROUP_PROJECTS_SHARED]: 'only',
} as const;

const orNull = (text: string | undefined): string | null | undefined => (text === '' ? null : text);

/** The columns a request sets. */
function toChange(wire: ProjectSettings | undefined): ProjectChange {
  if (wire === undefined) return {};
  const { issues, merge_requests, repository, ...others } = wire.featureAccessLevels;
  return {
    name: wire.name,
    path: wire.path,
    description: orNull(wire.description),
    visibility: wire.visibility as Visibility | undefined,
    default_branch: wire.defaultBranch === '' ? undefined : wire.defaultBranch,
    topics:
      wire.topics === undefined
        ? undefined
        : [...new Set(wire.topics.names.map(displayText).filter((name) => name !== ''))],
    merge_method: wire.mergeMethod,
    squash_option: wire.squashOption,
    only_allow_merge_if_pipeline_succeeds: wire.onlyAllowMergeIfPipelineSucceeds,
    allow_merge_on_skipped_pipeline: wire.allowMergeOnSkippedPipeline,
    only_allow_merge_if_all_discussions_are_resolved: wire.onlyAllowMergeIfAllDiscussionsAreResolved,
    remove_source_branch_after_merge: wire.removeSourceBranchAfterMerge,
    merge_pipelines_enabled: wire.mergePipelinesEnabled,
    merge_trains_enabled: wire.mergeTrainsEnabled,
    merge_trains_skip_train_allowed: wire.mergeTrainsSkipTrainAllowed,
    merge_train_required_statuses: wire.mergeTrainRequiredStatuses?.names,
    merge_train_timeout: wire.mergeTrainTimeout,
    merge_train_parallel_cars: wire.mergeTrainParallelCars,
    merge_train_retries: wire.mergeTrainRetries,
    merge_train_batch_size: wire.mergeTrainBatchSize,
    merge_train_required_status_count: wire.mergeTrainRequiredStatusCount,
    merge_train_settling_seconds: wire.mergeTrainSettlingSeconds,
    merge_commit_template: orNull(wire.mergeCommitTemplate),
    squash_commit_template: orNull(wire.squashCommitTemplate),
    suggestion_commit_message: orNull(wire.suggestionCommitMessage),
    resolve_outdated_diff_discussions: wire.resolveOutdatedDiffDiscussions,
    autoclose_referenced_issues: wire.autocloseReferencedIssues,
    approvals_before_merge: wire.approvalsBeforeMerge,
    issues_access_level: issues,
    merge_requests_access_level: merge_requests,
    repository_access_level: repository,
    feature_access_levels: Object.keys(others).length === 0 ? undefined : others,
    request_access_enabled: wire.requestAccessEnabled,
    emails_enabled: wire.emailsEnabled,
    mr_default_target_self: wire.mrDefaultTargetSelf,
  };
}

/** What the viewer gets of what was requested. */
const extrasFor = (
  viewer: Viewer,
  request: Pick<GetProjectRequest, 'withStatistics' | 'withCustomAttributes'>,
): ProjectExtras => ({
  statistics: viewer.userId > 0 && request.withStatistics === true,
  customAttributes: viewer.admin && request.withCustomAttributes === true,
});

/** The user whose projects are listed; undefined for no one's in particular. */
const ofUser = ({ user, starredBy }: ListProjectsRequest): OfUser | undefined => {
  if (user !== '') return { user, are: 'owned' };
  return starredBy ? { user: starredBy, are: 'starred' } : undefined;
};

/** ProjectService. */
export const projectHandler = (useCases: ProjectUseCases, instance: Instance): ServiceImplementation =>
  implement(
    ProjectServiceService,
    {
      listProjects: async (request, context) => {
        const asked = pageRequest(request.page, { orderBy: 'created_at', descending: true });
        const viewer = viewerOf(context);
        // The position of a keyset page may be given by an id alone (G-1-32).
        const { rows, page: info } = await useCases.listProjects(
          viewer,
          {
            group:
              request.groupId === 0
                ? undefined
                : {
                    id: request.groupId,
                    below: request.includeSubgroups,
                    above: request.includeAncestorGroups,
                    shared: sharedOf[request.groupProjects],
                  },
            archived: request.archived,
            visibility: given(request.visibility),
            search: given(request.search),
            searchNamespaces: request.searchNamespaces,
            membership: request.membership || undefined,
            starred: request.starred || undefined,
            minLevel: request.owned ? 50 : given(request.minAccessLevel),
            withIssues: request.withIssuesEnabled || undefined,
            withMergeRequests: request.withMergeRequestsEnabled || undefined,
            topics: some(request.topics),
            topicId: given(request.topicId),
            idAfter: given(request.idAfter),
            idBefore: given(request.idBefore),
            lastActivityAfter: request.lastActivityAfter,
            lastActivityBefore: request.lastActivityBefore,
            updatedAfter: request.updatedAfter,
            updatedBefore: request.updatedBefore,
            active: request.active,
            markedOn: request.markedForDeletionOn,
            repositoryStorage: request.repositoryStorage,
            forksOf: given(request.forksOf),
            customAttributes: viewer.admin ? request.customAttributes?.values : undefined,
          },
          asked,
          ofUser(request),
          extrasFor(viewer, request),
        );
        const present = request.simple || viewer.userId === 0 ? presentSimpleProject : presentProject;
        return page(
          rows.map((project) => present(project, instance)),
          { ...info, keyset: asked.mode === 'keyset' },
        );
      },

      getProject: async (request, context) => {
        const viewer = viewerOf(context);
        const present = viewer.userId === 0 ? presentSimpleProject : presentProject;
        return entity(
          present(await useCases.getProject(viewer, request.projectId, extrasFor(viewer, request)), instance),
        );
      },

      createProject: async (request, context) =>
        entity(
          presentProject(
            await useCases.createProject(viewerOf(context), {
              namespaceId: given(request.namespaceId),
              userId: given(request.userId),
              initializeWithReadme: request.initializeWithReadme,
              settings: toChange(request.settings),
              avatar: toAvatarChange(request.settings?.avatar),
            }),
            instance,
          ),
        ),

      updateProject: async (request, context) =>
        entity(
          presentProject(
            await useCases.updateProject(
              viewerOf(context),
              request.projectId,
              toChange(request.settings),
              toAvatarChange(request.settings?.avatar),
            ),
            instance,
          ),
        ),

      getApprovalSettings: async ({ projectId }, context) =>
        entity(
          presentApprovalSettings(
            await useCases.getProject(viewerOf(context), projectId, extrasFor(viewerOf(context), {})),
          ),
        ),

      setApprovalSettings: async ({ projectId, ...settings }, context) =>
        entity(
          presentApprovalSettings(
            await useCases.updateProject(viewerOf(context), projectId, {
              approvals_before_merge: settings.approvalsBeforeMerge,
              reset_approvals_on_push: settings.resetApprovalsOnPush,
              disable_overriding_approvers_per_merge_request: settings.disableOverridingApproversPerMergeRequest,
              merge_requests_author_approval: settings.mergeRequestsAuthorApproval,
              merge_requests_disable_committers_approval: settings.mergeRequestsDisableCommittersApproval,
            }),
          ),
        ),

      archiveProject: async (request, context) =>
        entity(
          presentProject(
            await useCases.archiveProject(viewerOf(context), request.projectId, request.archived),
            instance,
          ),
        ),

      deleteProject: async (request, { actor }) => {
        const { projectId: id, fullPath = '', permanentlyRemove, ifUnmodifiedSince: unmodifiedSince } = request;
        if (permanentlyRemove && fullPath === '') throw badRequest('"full_path" not given');
        const confirmed = permanentlyRemove ? { fullPath } : undefined;
        await useCases.deleteProject(actor.userId, { id, confirmed, unmodifiedSince });
        return entity({ message: '202 Accepted' }, 202);
      },

      restoreProject: async (request, context) =>
        entity(presentProject(await useCases.restoreProject(viewerOf(context), request.projectId), instance)),

      transferProject: async (request, context) =>
        entity(
          presentProject(
            await useCases.transferProject(viewerOf(context), request.projectId, request.namespace),
            instance,
          ),
        ),

      setDefaultBranch: async ({ projectId, branch }) => {
        await useCases.setDefaultBranch(projectId, branch);
        return {};
      },
    },
    { setDefaultBranch: { callers: ['merge-requests'] } },
  );
