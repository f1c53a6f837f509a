import { MergeRequestActed_Kind } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { decodeBody, encodeBody } from '../event';
import { mergeRequestEventId, mergeRequestEvents } from './merge-requests';

const mergeRequest = {
  id: 9,
  iid: 3,
  projectId: 5,
  authorId: 1,
  title: 'Faster „tests“',
  state: 'opened',
  labelIds: [4],
  version: 2,
};

/** What has been published and may still lie in a log: these texts never change. */
const golden: [string, string][] = [
  [
    'created',
    '{"mergeRequest":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T"},"actorId":1,"occurredAt":"2026-01-02T03:04:05.678Z","directorySequence":17,"created":{"assigneeIds":[2],"reviewerIds":[3],"mentions":{"usernames":["ada"],"directlyAddressedUsernames":["bob"]}}}',
  ],
  [
    'acted',
    '{"mergeRequest":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T"},"actorId":2,"occurredAt":"2026-01-02T03:04:05.678Z","acted":{"kind":"KIND_APPROVED"}}',
  ],
  [
    'acted',
    '{"mergeRequest":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T"},"actorId":2,"occurredAt":"2026-01-02T03:04:05.678Z","acted":{"kind":"KIND_UNAPPROVED","approved":true,"lostApprovalUserIds":[2]}}',
  ],
  [
    'updated',
    '{"mergeRequest":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T"},"actorId":2,"occurredAt":"2026-01-02T03:04:05.678Z","updated":{"changedFields":["title","labels"],"changes":[{"field":"title","old":"S","new":"T"},{"field":"labels","oldIds":[1],"newIds":[1,2]}]}}',
  ],
  [
    'deleted',
    '{"mergeRequest":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T"},"actorId":2,"imported":true,"deleted":{}}',
  ],
];

describe('events of merge requests', () => {
  it.each(golden)('%s is read as it was written', (fact, body) => {
    const event = decodeBody(mergeRequestEvents, body);
    expect(event.fact?.$case).toBe(fact);
    expect(encodeBody(mergeRequestEvents, event)).toBe(body);
  });

  it('survive the way there and back, unknown fields ignored', () => {
    const event = {
      mergeRequest,
      actorId: 4,
      occurredAt: new Date('2026-01-02T03:04:05.678Z'),
      imported: true,
      directorySequence: 12,
      issueReferences: undefined,
      fact: {
        $case: 'acted' as const,
        value: {
          kind: MergeRequestActed_Kind.KIND_PUSHED,
          push: undefined,
          approved: undefined,
          lostApprovalUserIds: [],
        },
      },
    };
    const body = JSON.stringify({ ...JSON.parse(encodeBody(mergeRequestEvents, event)), later: 1 });
    expect(decodeBody(mergeRequestEvents, body)).toEqual(event);
    expect(mergeRequestEvents.key(event)).toBe('9');
    expect(mergeRequestEvents.topic).toBe('merge-requests.merge-request.v1');
  });

  it('have ids that derive from what happened', () => {
    expect(mergeRequestEventId('created', 9)).toBe('merge_request.created:9:1');
    expect(mergeRequestEventId('becameUnmergeable', 9, 'a:b')).toBe('merge_request.becameUnmergeable:9:a:b');
  });
});
