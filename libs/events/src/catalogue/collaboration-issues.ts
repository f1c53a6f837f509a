import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { defineEvent } from '../event';

/** What happened to issues, in order per issue (see the proto for the facts and the ids of events). */
export const issueEvents = defineEvent({
  stream: 'collaboration.issue',
  version: 1,
  type: 'issue.changed',
  message: IssueEvent,
  key: (event) => String(event.issue?.id ?? 0),
});

/** Names of the facts of `issueEvents`. */
export type IssueFact = NonNullable<IssueEvent['fact']>['$case'];

/**
 * Id of an event of `issueEvents`: the same happening always gives the same id.
 * @param cause what made it happen, by the table in the proto
 */
export const issueEventId = (fact: IssueFact, issueId: number, cause: string | number = 1): string =>
  `issue.${fact}:${issueId}:${cause}`;
