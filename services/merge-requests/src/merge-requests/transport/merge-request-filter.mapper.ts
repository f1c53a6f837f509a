import { reactionMatch, titleMatch, userMatch } from '@switchyard/messages';
import type {
  MergeRequestExclusion as WireExclusion,
  MergeRequestFilter as WireFilter,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import { searchMatch } from '@switchyard/texts';
import type { MergeRequestState } from '../domain/merge-request';
import type { DeploymentMatch, MergeRequestExclusion, MergeRequestFilter } from '../domain/merge-request-filter';

const toExclusion = (wire: WireExclusion): MergeRequestExclusion => ({
  labels: titleMatch(wire.labels),
  milestone: titleMatch(wire.milestone),
  author: userMatch(wire.author),
  assignee: userMatch(wire.assignee),
  reviewer: userMatch(wire.reviewer),
  sourceBranch: wire.sourceBranch || undefined,
  targetBranch: wire.targetBranch || undefined,
  reaction: reactionMatch(wire.reaction),
});

/** Undefined where nothing is asked of a deployment. */
function toDeployment(wire: WireFilter['deployment']): DeploymentMatch | undefined {
  if (wire === undefined) return undefined;
  const { after, before, environment, deploymentId } = wire;
  if (after === undefined && before === undefined && environment === '' && deploymentId === 0) return undefined;
  return { after, before, environment: environment || undefined, id: deploymentId || undefined };
}

/** A filter as the domain has it. */
export function toMergeRequestFilter(wire: WireFilter | undefined): MergeRequestFilter {
  if (wire === undefined) return {};
  return {
    state: (wire.state || undefined) as MergeRequestState | undefined,
    scope: (wire.scope || undefined) as MergeRequestFilter['scope'],
    iids: wire.iids.length > 0 ? wire.iids : undefined,
    sourceBranch: wire.sourceBranch || undefined,
    targetBranch: wire.targetBranch || undefined,
    author: userMatch(wire.author),
    assignee: userMatch(wire.assignee),
    reviewer: userMatch(wire.reviewer),
    mergeUser: userMatch(wire.mergeUser),
    approved: wire.approved,
    approvedBy: userMatch(wire.approvedBy),
    approver: userMatch(wire.approver),
    labels: titleMatch(wire.labels),
    milestone: titleMatch(wire.milestone),
    milestoneId: wire.milestoneId || undefined,
    search: searchMatch(wire),
    createdAfter: wire.createdAfter,
    createdBefore: wire.createdBefore,
    updatedAfter: wire.updatedAfter,
    updatedBefore: wire.updatedBefore,
    draft: wire.draft,
    sourceProjectId: wire.sourceProjectId || undefined,
    reaction: reactionMatch(wire.reaction),
    nonArchived: wire.nonArchived || undefined,
    not: wire.not === undefined ? undefined : toExclusion(wire.not),
    deployment: toDeployment(wire.deployment),
  };
}
