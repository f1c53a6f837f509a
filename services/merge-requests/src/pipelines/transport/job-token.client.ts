import { JobTokenServiceService } from '@switchyard/protos/groups_admin/v1/job_token';
import type { Peer } from '@switchyard/rpc';
import type { JobTokenIssuer } from '../application/pipeline.edges';

/** Job tokens of groups-admin. */
export function jobTokensOf(groupsAdmin: Peer): JobTokenIssuer {
  const tokens = groupsAdmin.client(JobTokenServiceService);
  return async (run, requestId) => {
    const { token, expiresAt } = await tokens.issueJobToken(run, { requestId, timeoutMs: 5_000 });
    if (expiresAt === undefined) throw new Error('a job token has no end');
    return { token, expiresAt };
  };
}
