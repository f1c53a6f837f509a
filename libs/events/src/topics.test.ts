import { issueEvents } from './catalogue/collaboration-issues';
import { pipelineEvents } from './catalogue/pipeline';
import { environmentEvents } from './catalogue/repository';
import { checkReaders, topicsOf } from './topics';

describe('the consumers of a service against the printed topics', () => {
  const issues = { group: 'alerts.issues', topics: [issueEvents.topic, issueEvents.topic] };
  const environments = { group: 'alerts.environments', topics: [environmentEvents.topic] };
  const check =
    (...consumers: Parameters<typeof checkReaders>[1][number][]) =>
    () =>
      checkReaders('alerts', consumers);

  it('pass where both are equal', () => {
    expect(check(issues, environments)).not.toThrow();
    expect(() => checkReaders('packages', [])).not.toThrow();
  });

  it.each<[string, () => void, string]>([
    [
      'a topic that is not printed',
      check({ ...issues, topics: [issueEvents.topic, pipelineEvents.topic] }, environments),
      `libs/events/src/topics.ts does not say that alerts.issues reads ${pipelineEvents.topic}`,
    ],
    [
      'a group that is not printed',
      check(issues, environments, { group: 'alerts.other', topics: [issueEvents.topic] }),
      `libs/events/src/topics.ts does not say that alerts.other reads ${issueEvents.topic}`,
    ],
    [
      'a topic that nobody receives',
      check({ ...issues, topics: [] }, environments),
      `libs/events/src/topics.ts says that alerts.issues reads ${issueEvents.topic}, which it does not`,
    ],
    [
      'a group that is not there',
      check(issues),
      `libs/events/src/topics.ts says that alerts.environments reads ${environmentEvents.topic}, which it does not`,
    ],
  ])('do not pass with %s', (_, checked, message) => {
    expect(checked).toThrow(message);
  });
});

it('to-dos receive no events of merge requests', () => {
  expect(topicsOf('collaboration').filter((topic) => /merge-request\..*\.todos\./.test(topic))).toEqual([]);
});
