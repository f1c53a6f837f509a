import type { DirectoryProjectRow } from '@switchyard/directory';
import type { DeploymentHappening } from '../domain/hook-event';
import {
  commitUrl,
  type HookRendering,
  hookTime,
  isProtected,
  projectParts,
  type RenderedHook,
  userPart,
  userUrl,
} from './hook-parts';

/** A deployment that was made or has another status (G-6-4). No job of this product makes it: there is no `deployable`. */
export function presentDeploymentHook(
  { deployment, occurredAt }: DeploymentHappening,
  project: DirectoryProjectRow,
  rendering: HookRendering,
): RenderedHook {
  const { facts, externalUrl } = rendering;
  const { id, sha, ref, tag, status, environment, environmentSlug, environmentTier, environmentUrl, userId } =
    deployment;
  const user = facts.users.get(userId);
  return {
    kind: 'deployment',
    action: status,
    ref,
    objectKey: `deployment:${id}`,
    feature: 'repository',
    json: {
      object_kind: 'deployment',
      status,
      status_changed_at: hookTime(occurredAt),
      deployment_id: id,
      deployable_id: null,
      deployable_url: null,
      environment,
      environment_tier: environmentTier,
      environment_slug: environmentSlug,
      environment_external_url: environmentUrl || null,
      project: projectParts(project, externalUrl).project,
      short_sha: sha.slice(0, 8),
      user: userPart(rendering, userId),
      user_url: user === undefined ? null : userUrl(user, externalUrl),
      commit_url: commitUrl(sha, project, externalUrl),
      commit_title: facts.commits.get(project.id)?.commits.get(sha)?.title ?? null,
      ref,
      tag,
      ref_protected: isProtected(rendering, project.id, ref, tag),
    },
  };
}
