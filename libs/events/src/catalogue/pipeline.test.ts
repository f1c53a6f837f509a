import { decodeBody, encodeBody } from '../event';
import { deploymentEventId, deploymentEvents } from './deployment';
import { pipelineEventId, pipelineEvents, pipelineRunEndedId } from './pipeline';
import { repositoryPushed } from './repository';

const pipeline =
  '"pipeline":{"iid":3,"sha":"a1","ref":"main","source":"external","userId":2,"status":"failed","createdAt":"2026-01-02T03:04:05.678Z","startedAt":"2026-01-02T03:04:06.000Z","finishedAt":"2026-01-02T03:04:09.000Z","duration":3,"queuedDuration":0}';

/** What has been published and may still lie in a log: these texts never change. */
const golden: [string, string][] = [
  ['runEnded', '{"pipelineId":7,"projectId":5,"occurredAt":"2026-01-02T03:04:05.678Z","runEnded":{"run":1}}'],
  [
    'created',
    `{"pipelineId":7,"projectId":5,"occurredAt":"2026-01-02T03:04:05.678Z",${pipeline},"actorId":2,"created":{}}`,
  ],
  [
    'statusChanged',
    `{"pipelineId":7,"projectId":5,"occurredAt":"2026-01-02T03:04:09.000Z",${pipeline},"actorId":2,"statusChanged":{"oldStatus":"running"}}`,
  ],
  [
    'jobChanged',
    `{"pipelineId":7,"projectId":5,"occurredAt":"2026-01-02T03:04:09.000Z",${pipeline},"actorId":2,"jobChanged":{"jobId":11,"name":"build","oldStatus":"running","status":"failed","allowFailure":true,"userId":2,"createdAt":"2026-01-02T03:04:05.678Z","finishedAt":"2026-01-02T03:04:09.000Z"}}`,
  ],
];

describe('events of pipelines', () => {
  it.each(golden)('%s is read as it was written', (fact, body) => {
    const event = decodeBody(pipelineEvents, body);
    expect(event.fact?.$case).toBe(fact);
    expect(encodeBody(pipelineEvents, event)).toBe(body);
    expect(pipelineEvents.key(event)).toBe('7');
  });

  it('have ids that derive from what happened', () => {
    expect(pipelineRunEndedId(7, 1)).toBe('pipeline_run_ended:7:1');
    expect(pipelineEventId('created', 7)).toBe('pipeline.created:7:1');
    expect(pipelineEventId('statusChanged', 7, 4)).toBe('pipeline.statusChanged:7:4');
    expect(pipelineEventId('jobChanged', 11, 'failed')).toBe('pipeline.jobChanged:11:failed');
  });
});

test.each([
  ['created', '"created":{}'],
  ['statusChanged', '"statusChanged":{"oldStatus":"running"}'],
])('a deployment that is %s is read as it was written, in order with its environment', (fact, text) => {
  const body = `{"deployment":{"id":9,"iid":1,"projectId":5,"userId":2,"sha":"a1","ref":"v1","tag":true,"status":"success","environmentId":4,"environment":"production","environmentSlug":"production","environmentTier":"production","environmentUrl":"https://x.test"},"actorId":2,"occurredAt":"2026-01-02T03:04:05.678Z",${text}}`;
  const event = decodeBody(deploymentEvents, body);
  expect(event.fact?.$case).toBe(fact);
  expect(encodeBody(deploymentEvents, event)).toBe(body);
  expect(deploymentEvents.key(event)).toBe('4');
  expect(deploymentEventId('statusChanged', 9, 'success')).toBe('deployment.statusChanged:9:success');
});

test('a push says since when its commits are new', () => {
  const body =
    '{"projectId":5,"authorId":2,"ref":"refs/heads/fix","refName":"fix","refType":"branch","action":"created","before":"00","after":"a1","commitCount":1,"commitTitle":"T","source":"push","refCount":1,"since":"b2"}';
  expect(encodeBody(repositoryPushed, decodeBody(repositoryPushed, body))).toBe(body);
});
