import type { Route } from '../../http/route';
import { approvalRuleRoutes } from './approval-rules.routes';
import { approvalRoutes } from './approvals.routes';
import { branchRoutes } from './branches.routes';
import { commitRoutes } from './commits.routes';
import { deploymentRoutes } from './deployments.routes';
import { environmentRoutes } from './environments.routes';
import { fileRoutes } from './files.routes';
import { jobRoutes } from './jobs.routes';
import { mergeRequestBlockRoutes } from './merge-request-blocks.routes';
import { mergeRequestListRoutes } from './merge-request-lists.routes';
import { mergeRequestRoutes } from './merge-requests.routes';
import { mergeTrainRoutes } from './merge-trains.routes';
import { pipelineRoutes } from './pipelines.routes';
import { protectedBranchRoutes } from './protected-branches.routes';
import { protectedTagRoutes } from './protected-tags.routes';
import { releaseLinkRoutes } from './release-links.routes';
import { releaseRoutes } from './releases.routes';
import { repositoryRoutes } from './repository.routes';
import { statusRoutes } from './statuses.routes';
import { tagRoutes } from './tags.routes';

/** Some routes forward to the internal HTTP server of the service. */
export const forwards = true;

/** What the service merge-requests serves. */
export const routes: readonly Route[] = [
  ...branchRoutes,
  ...commitRoutes,
  ...fileRoutes,
  ...protectedBranchRoutes,
  ...protectedTagRoutes,
  ...repositoryRoutes,
  ...tagRoutes,
  ...releaseRoutes,
  ...releaseLinkRoutes,
  ...mergeRequestListRoutes,
  ...mergeRequestRoutes,
  ...approvalRoutes,
  ...approvalRuleRoutes,
  ...mergeRequestBlockRoutes,
  ...mergeTrainRoutes,
  ...pipelineRoutes,
  ...statusRoutes,
  ...jobRoutes,
  ...environmentRoutes,
  ...deploymentRoutes,
];
