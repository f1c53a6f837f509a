import { timelog } from '@switchyard/directory';
import { IssueTimelogServiceService } from '@switchyard/protos/collaboration/v1/issue_timelog';
import { fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import { callerOf } from '../application/caller';
import type { deleteTimelogOfIssue, listTimelogsOfIssue } from '../application/issue-timelogs';

/** Use cases behind the service. */
export interface IssueTimelogUseCases {
  readonly listTimelogsOfIssue: ReturnType<typeof listTimelogsOfIssue>;
  readonly deleteTimelogOfIssue: ReturnType<typeof deleteTimelogOfIssue>;
}

/** Serves `IssueTimelogService`. */
export const issueTimelogHandler = (useCases: IssueTimelogUseCases, externalUrl: string): ServiceImplementation =>
  implement(IssueTimelogServiceService, {
    async listIssueTimelogs({ page: wanted, ...key }, context) {
      const request = fixedOrder(wanted, 'spent_at', 'desc');
      const found = await useCases.listTimelogsOfIssue(callerOf(context), key, request);
      return page(
        found.rows.map((log) => timelog(log, externalUrl)),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
    async deleteIssueTimelog({ timelogId, ...key }, context) {
      await useCases.deleteTimelogOfIssue(callerOf(context), key, timelogId);
      return nothing(204);
    },
  });
