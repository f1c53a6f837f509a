import { decodeBody, encodeBody } from '../event';
import { releaseEventId, releaseEvents } from './releases';

/** What has been published and may still lie in a log: these texts never change. */
const golden: [string, string][] = [
  [
    'created',
    '{"release":{"id":9,"projectId":5,"tag":"v1","name":"First","description":"- all","createdAt":"2026-01-02T03:04:05.678Z","releasedAt":"2026-01-02T03:04:05.678Z","links":[{"id":2,"name":"app","url":"https://example.com","linkType":"other"}]},"actorId":1,"occurredAt":"2026-01-02T03:04:05.678Z","directorySequence":17,"created":{}}',
  ],
  ['deleted', '{"release":{"id":9,"projectId":5,"tag":"v1","name":"First"},"actorId":2,"deleted":{}}'],
];

test.each(golden)('%s is read as it was written', (fact, body) => {
  const event = decodeBody(releaseEvents, body);
  expect(event.fact?.$case).toBe(fact);
  expect(encodeBody(releaseEvents, event)).toBe(body);
  expect([releaseEvents.key(event), releaseEvents.topic]).toEqual(['9', 'merge-requests.release.v1']);
});

test('ids derive from what happened', () => {
  expect(releaseEventId('updated', 9, 3)).toBe('release.updated:9:3');
});
