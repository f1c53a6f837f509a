import { JobTokenServiceService } from '@switchyard/protos/groups_admin/v1/job_token';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { JobTokens } from '../application/job-tokens';

/** JobTokenService. */
export const jobTokenHandler = (tokens: Pick<JobTokens, 'issue'>): ServiceImplementation =>
  implement(
    JobTokenServiceService,
    { issueJobToken: (request) => tokens.issue(request) },
    { issueJobToken: { callers: ['merge-requests'] } },
  );
