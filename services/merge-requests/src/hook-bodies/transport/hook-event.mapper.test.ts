import { hookEventsOf } from './hook-event.mapper';

const mergeRequest =
  '"mergeRequest":{"id":9,"iid":3,"projectId":5,"authorId":1,"title":"T","state":"opened","labelIds":[4]}';
const pipeline = '"pipeline":{"iid":3,"sha":"a1","ref":"main","status":"failed","userId":2,"mergeRequestId":9}';
const of = (type: string, body: string) => hookEventsOf({ id: 'e1', type, body: `{${body}}` });
const ofRequest = (fact: string) => of('merge_request.changed', `${mergeRequest},"actorId":2,${fact}`);
const ofPipeline = (fact: string) => of('pipeline.changed', `"pipelineId":7,"projectId":5,${pipeline},${fact}`);

/** What is told, as kinds and actions. */
const told: [string, ReturnType<typeof hookEventsOf>, string[]][] = [
  ['an opened merge request', ofRequest('"created":{}'), ['merge_request open']],
  ['an imported one', ofRequest('"imported":true,"created":{}'), []],
  ['an edited one', ofRequest('"updated":{"changedFields":["title"]}'), ['merge_request update']],
  ['a deleted one', ofRequest('"deleted":{}'), []],
  ['the present state of one', of('merge_request.changed', mergeRequest), []],
  ['a failed head pipeline', ofRequest('"pipelineFailed":{"pipelineId":7}'), []],
  ['a comment', ofRequest('"acted":{"kind":"KIND_COMMENTED"}'), []],
  [
    'a push that ends approvals',
    ofRequest('"acted":{"kind":"KIND_PUSHED","push":{"oldSha":"a","newSha":"b"},"lostApprovalUserIds":[2]}'),
    ['merge_request update', 'merge_request unapproved'],
  ],
  ['a car', ofRequest('"mergeTrainEntryAdded":{"entryId":1,"position":2}'), ['merge_request update']],
  ['another car of a train that stops', ofRequest('"mergeTrainStateChanged":{"state":"STATE_PAUSED"}'), []],
  ['a new pipeline', ofPipeline('"created":{}'), ['pipeline failed']],
  ['another status', ofPipeline('"statusChanged":{"oldStatus":"running"}'), ['pipeline failed']],
  ['a job', ofPipeline('"jobChanged":{"jobId":11,"status":"running"}'), ['job running']],
  ['the end of a run', of('pipeline.changed', '"pipelineId":7,"projectId":5,"runEnded":{"run":1}'), []],
  ['a branch', of('repository.pushed', '"projectId":5,"refType":"branch","action":"pushed"'), ['push pushed']],
  ['a tag', of('repository.pushed', '"projectId":5,"refType":"tag","action":"removed"'), ['push removed']],
  [
    'a deployment',
    of('deployment.changed', '"deployment":{"id":9,"status":"success"},"created":{}'),
    ['deployment success'],
  ],
  ['a release', of('release.changed', '"release":{"id":9,"tag":"v1"},"updated":{}'), ['release update']],
  ['what is not ours', of('issue.changed', '"issue":{"id":1}'), []],
];

test.each(told)('%s (G-6-4)', (_, events, expected) => {
  const actionOf = (event: (typeof events)[number]): string => {
    switch (event.kind) {
      case 'push':
      case 'release':
        return event.action;
      case 'merge_request':
        return event.hook.action;
      case 'deployment':
        return event.deployment.status;
      case 'job':
        return event.job.status;
      case 'pipeline':
        return event.pipeline.status;
    }
  };
  expect(events.map((event) => `${event.kind} ${actionOf(event)}`)).toEqual(expected);
});

test('a removed car is told with its reason and what it failed on', () => {
  const evidence = '{"baseSha":"b","pipelineId":7,"statuses":[{"name":"build"}],"reruns":1}';
  const [event] = ofRequest(
    `"mergeTrainEntryRemoved":{"entryId":4,"targetBranch":"main","addedById":2,"reason":"REASON_PIPELINE_FAILED","evidence":${evidence}}`,
  );
  expect(event).toMatchObject({
    ...{ eventId: 'e1', projectId: 5, actorId: 2, mergeRequest: { id: 9, labelIds: [4] } },
    hook: {
      train: {
        ...{ event: 'removed', entryId: 4, targetBranch: 'main', addedById: 2, reason: 'pipeline_failed' },
        pipelineId: undefined,
        evidence: { testedSha: undefined, baseSha: 'b', pipelineId: 7, statuses: [{ name: 'build' }], reruns: 1 },
      },
    },
  });
});

test('a body that is no event is refused by name', () => {
  expect(() => hookEventsOf({ id: 'e1', type: 'pipeline.changed', body: '[]' })).toThrow(/e1/);
  expect(() => ofRequest('"acted":{"kind":"KIND_OF_LATER"}')).toThrow(/e1/);
});
