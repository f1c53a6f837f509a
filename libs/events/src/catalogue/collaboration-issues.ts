import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { defineEvent } from '../event';
import { factEventId } from './fact-event';

/** Changes of issues, in order per issue (see the proto for the facts and the ids of events). */
export const issueEvents = defineEvent({
  stream: 'collaboration.issue',
  version: 1,
  type: 'issue.changed',
  message: IssueEvent,
  key: (event) => String(event.issue?.id ?? 0),
});

/** Id of an event of `issueEvents`. */
export const issueEventId = factEventId<IssueEvent>('issue');
