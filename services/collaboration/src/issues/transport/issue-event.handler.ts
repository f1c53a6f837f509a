import { resourceEvent, resourceEventKind } from '@switchyard/directory';
import { IssueEventServiceService } from '@switchyard/protos/collaboration/v1/issue_event';
import { entity, fixedOrder, implement, page, type ServiceImplementation } from '@switchyard/rpc';
import { callerOf } from '../application/caller';
import type { listEventsOfIssue, readEventOfIssue } from '../application/issue-events';
import type { IssueView } from '../domain/issue-view';

/** Use cases behind the service. */
export interface IssueEventUseCases {
  readonly listEventsOfIssue: ReturnType<typeof listEventsOfIssue>;
  readonly readEventOfIssue: ReturnType<typeof readEventOfIssue>;
}

/** Serves `IssueEventService`. */
export function issueEventHandler(
  useCases: IssueEventUseCases,
  { externalUrl, clock }: { readonly externalUrl: string; readonly clock: () => Date },
): ServiceImplementation {
  const rendering = ({ issue, project }: IssueView) => ({
    type: 'Issue' as const,
    ownerId: issue.id,
    project,
    externalUrl,
    now: clock(),
  });
  return implement(IssueEventServiceService, {
    async listIssueEvents({ kind, page: wanted, ...key }, context) {
      const request = fixedOrder(wanted, 'id', 'asc');
      const found = await useCases.listEventsOfIssue(callerOf(context), key, resourceEventKind(kind), request);
      return page(
        found.rows.map((event) => resourceEvent(event, rendering(found.view))),
        { ...found.page, keyset: request.mode === 'keyset' },
      );
    },
    async getIssueEvent({ kind, eventId, ...key }, context) {
      const { view, event } = await useCases.readEventOfIssue(callerOf(context), key, resourceEventKind(kind), eventId);
      return entity(resourceEvent(event, rendering(view)));
    },
  });
}
