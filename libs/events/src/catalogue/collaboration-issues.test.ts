import { decodeBody, encodeBody } from '../event';
import { issueEventId, issueEvents } from './collaboration-issues';

/** What has been published and may still lie in a log: these texts never change. */
const golden: [string, string][] = [
  [
    'created',
    '{"issue":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T","confidential":true,"issueType":"issue","assigneeIds":[2],"version":1},"actorId":1,"occurredAt":"2026-01-02T03:04:05.678Z","directorySequence":17,"created":{"assigneeIds":[2],"mentions":{"usernames":["ada"],"directlyAddressedUsernames":["bob"]},"labelIds":[4]}}',
  ],
  [
    'updated',
    '{"issue":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T","issueType":"task","version":4},"actorId":2,"occurredAt":"2026-01-02T03:04:05.678Z","updated":{"addedAssigneeIds":[2],"changedFields":["assignees","due_date"],"changes":[{"field":"due_date","new":"2026-02-01"}]}}',
  ],
  [
    'closed',
    '{"issue":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T","issueType":"issue","version":2},"actorId":2,"closed":{"byMergeRequestId":7}}',
  ],
  [
    'reopened',
    '{"issue":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T","issueType":"issue","version":3,"state":"opened","labelIds":[4,5]},"actorId":2,"reopened":{}}',
  ],
];

describe('events of issues', () => {
  it.each(golden)('%s is read as it was written', (fact, body) => {
    const event = decodeBody(issueEvents, body);
    expect(event.fact?.$case).toBe(fact);
    expect(encodeBody(issueEvents, event)).toBe(body);
    expect(issueEvents.key(event)).toBe('9');
  });

  it('have a topic, and ids that derive from what happened', () => {
    expect(issueEvents.topic).toBe('collaboration.issue.v1');
    expect(issueEventId('created', 9)).toBe('issue.created:9:1');
    expect(issueEventId('updated', 9, 4)).toBe('issue.updated:9:4');
  });
});
