import type { HookEvent } from '../domain/hook-event';
import { presentDeploymentHook } from './deployment-hook.presenter';
import type { HookRendering, RenderedHook } from './hook-parts';
import { presentMergeRequestHook } from './merge-request-hook.presenter';
import { presentJobHook, presentPipelineHook } from './pipeline-hook.presenter';
import { presentPushHook } from './push-hook.presenter';
import { presentReleaseHook } from './release-hook.presenter';

/** The body of what an event tells; undefined once its project is deleted, whose hooks are deleted with it. */
export function presentHook(event: HookEvent, rendering: HookRendering): RenderedHook | undefined {
  const project = rendering.facts.projects.get(event.projectId);
  if (project === undefined) return undefined;
  switch (event.kind) {
    case 'push':
      return presentPushHook(event, project, rendering);
    case 'merge_request':
      return presentMergeRequestHook(event, project, rendering);
    case 'pipeline':
      return presentPipelineHook(event, project, rendering);
    case 'job':
      return presentJobHook(event, project, rendering);
    case 'deployment':
      return presentDeploymentHook(event, project, rendering);
    case 'release':
      return presentReleaseHook(event, project, rendering);
  }
}
