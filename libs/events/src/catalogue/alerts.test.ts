import { decodeBody, encodeBody } from '../event';
import { alertEventId, alertEvents } from './alerts';

/** What has been published and may still lie in a log: these texts never change. */
const golden: [string, string][] = [
  [
    'raised',
    '{"alert":{"id":9,"iid":3,"projectId":5,"title":"T","severity":"critical","status":"triggered","version":1},"occurredAt":"2026-01-02T03:04:05.678Z","directorySequence":17,"raised":{"openIncident":true,"details":{"startedAt":"2026-01-02T03:04:00.000Z","hosts":["h1"],"attributes":[{"name":"a/b","value":"c"}]}}}',
  ],
  [
    'statusChanged',
    '{"alert":{"id":9,"iid":3,"projectId":5,"title":"T","severity":"low","status":"resolved","version":2,"incidentIid":4},"occurredAt":"2026-01-02T03:04:05.678Z","statusChanged":{"previous":"triggered","cause":"CAUSE_PAYLOAD","closeIncident":true}}',
  ],
  [
    'assigned',
    '{"alert":{"id":9,"iid":3,"projectId":5,"title":"T","severity":"low","status":"triggered","version":2},"actorId":2,"assigned":{"addedAssigneeIds":[7]}}',
  ],
];

describe('events of alerts', () => {
  it.each(golden)('%s is read as it was written', (fact, body) => {
    const event = decodeBody(alertEvents, body);
    expect(event.fact?.$case).toBe(fact);
    expect(encodeBody(alertEvents, event)).toBe(body);
    expect(alertEvents.key(event)).toBe('9');
  });

  it('have a topic, and ids that derive from what happened', () => {
    expect(alertEvents.topic).toBe('alerts.alert.v1');
    expect(alertEventId('raised', 9)).toBe('alert.raised:9:1');
    expect(alertEventId('statusChanged', 9, 4)).toBe('alert.statusChanged:9:4');
  });
});
