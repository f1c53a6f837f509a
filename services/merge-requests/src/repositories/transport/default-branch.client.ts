import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import type { Peer } from '@switchyard/rpc';
import type { AnnounceDefaultBranch } from '../application/follow-default-branch';

/** Reports to groups-admin which branch the first push has made the default. */
export function defaultBranchOf(groupsAdmin: Peer): AnnounceDefaultBranch {
  const projects = groupsAdmin.client(ProjectServiceService);
  return async (projectId, branch) => {
    const requestId = `default-branch-${projectId}`;
    await projects.setDefaultBranch({ projectId, branch }, { requestId, idempotent: true, timeoutMs: 5_000 });
  };
}
