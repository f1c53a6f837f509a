import { alertEvents } from './catalogue/alerts';
import { epicEvents } from './catalogue/collaboration-epics';
import { issueEvents } from './catalogue/collaboration-issues';
import { noteEvents } from './catalogue/collaboration-notes';
import { snippetEvents } from './catalogue/collaboration-snippets';
import { deploymentEvents } from './catalogue/deployment';
import * as groupsAdmin from './catalogue/groups-admin';
import { userEvents } from './catalogue/groups-admin-users';
import { dependencyListExportEvents, gistImportEvents, importPlaceholderEvents } from './catalogue/imports-exports';
import { mergeRequestEvents } from './catalogue/merge-requests';
import { packageEvents } from './catalogue/packages';
import { pipelineEvents } from './catalogue/pipeline';
import { releaseEvents } from './catalogue/releases';
import { environmentEvents, repositoryCopied, repositoryPushed } from './catalogue/repository';
import { packagesMeasured, reportsMeasured, repositoryMeasured, snippetsMeasured } from './catalogue/statistics';
import { deadLetterTopic, retryTopic } from './consumer';

const {
  accessRequestEvents,
  groupEvents,
  integrationMailEvents,
  membershipEvents,
  milestoneEvents,
  projectEvents,
  shareEvents,
  sshKeyEvents,
} = groupsAdmin;

/**
 * The groups of all services and the events that each receives: an operator who creates topics needs them before the
 * first service has started. A service whose consumer is not in it does not start.
 */
const readers: Readonly<Record<string, readonly { readonly topic: string }[]>> = {
  'alerts.environments': [environmentEvents],
  'alerts.issues': [issueEvents],
  collaboration: [mergeRequestEvents],
  'collaboration.activity': [
    ...[mergeRequestEvents, issueEvents, noteEvents, snippetEvents],
    ...[repositoryPushed, membershipEvents, projectEvents, milestoneEvents],
  ],
  'collaboration.alerts': [alertEvents],
  'collaboration.deleted-users': [userEvents],
  'collaboration.email-confirmations': [userEvents],
  'collaboration.exports': [dependencyListExportEvents],
  'collaboration.imports': [gistImportEvents, importPlaceholderEvents],
  'collaboration.integration-mails': [integrationMailEvents],
  'collaboration.notes': [issueEvents, epicEvents],
  'collaboration.notifications': [
    ...[issueEvents, epicEvents, mergeRequestEvents, releaseEvents],
    ...[pipelineEvents, projectEvents, noteEvents],
  ],
  'collaboration.pushes': [repositoryPushed],
  'collaboration.references': [mergeRequestEvents, issueEvents, epicEvents, noteEvents],
  'collaboration.todos': [
    ...[accessRequestEvents, issueEvents, epicEvents],
    ...[noteEvents, membershipEvents, shareEvents],
  ],
  'collaboration.tokens': [userEvents],
  'groups-admin': [repositoryPushed],
  'groups-admin.changes': [
    ...[membershipEvents, accessRequestEvents, projectEvents, groupEvents],
    ...[milestoneEvents, userEvents, sshKeyEvents, repositoryPushed],
    ...[mergeRequestEvents, pipelineEvents, deploymentEvents, releaseEvents],
    ...[issueEvents, epicEvents, noteEvents, alertEvents],
  ],
  'groups-admin.copies': [repositoryCopied],
  'groups-admin.counts': [issueEvents, mergeRequestEvents],
  'groups-admin.job-tokens': [pipelineEvents],
  'groups-admin.statistics': [repositoryMeasured, snippetsMeasured, packagesMeasured, reportsMeasured],
  'merge-requests': [noteEvents],
  'merge-requests.deleted-users': [userEvents],
  'merge-requests.forks': [projectEvents],
};

/** Published whether or not anybody reads them. */
const further: readonly { readonly topic: string }[] = [packageEvents];

/** Partitions of a topic that is created. */
export const partitionCount = 6;
/** Milliseconds for which records are kept. */
const retention = 7 * 86_400_000;
const deadLetterRetention = 4 * retention;

/** Milliseconds for which the records of a topic are kept. */
export const retentionOf = (topic: string): number =>
  topic.endsWith('.dead-letter') ? deadLetterRetention : retention;

const topicsOfGroup = ([group, events]: [string, readonly { readonly topic: string }[]]): string[] =>
  events.flatMap(({ topic }) => [topic, retryTopic(topic, group), deadLetterTopic(topic, group)]);

/** Groups by which services receive events, in the order of their names. */
export const knownGroups: readonly string[] = Object.keys(readers);

/** Every topic of an installation, in the order of their names. */
export const knownTopics: readonly string[] = [
  ...new Set([...Object.entries(readers).flatMap(topicsOfGroup), ...further.map(({ topic }) => topic)]),
].sort();

const isOf = (name: string, group: string): boolean => group === name || group.startsWith(`${name}.`);

/**
 * The topics that a service needs: those it publishes, those its groups receive, and the dead letters of these.
 * @param name of the service
 */
export const topicsOf = (name: string): string[] => [
  ...new Set([
    ...knownTopics.filter((topic) => topic.startsWith(`${name}.`) && !/\.(?:retry|dead-letter)$/.test(topic)),
    ...Object.entries(readers)
      .filter(([group]) => isOf(name, group))
      .flatMap(topicsOfGroup),
  ]),
];

/**
 * Holds the consumers of a service against what operators are given: neither may have one that the other has not.
 * @param name of the service
 * @throws Error with one line that names the first difference
 */
export function checkReaders(
  name: string,
  consumers: readonly { readonly group: string; readonly topics: readonly string[] }[],
): void {
  const received = new Map(consumers.map(({ group, topics }) => [group, new Set(topics)]));
  for (const [group, topics] of received) {
    const known = new Set(readers[group]?.map(({ topic }) => topic));
    const missing = [...topics].find((topic) => !known.has(topic));
    if (missing !== undefined) throw new Error(`libs/events/src/topics.ts does not say that ${group} reads ${missing}`);
  }
  for (const [group, events] of Object.entries(readers)) {
    const idle = isOf(name, group) ? events.find(({ topic }) => !received.get(group)?.has(topic)) : undefined;
    if (idle !== undefined)
      throw new Error(`libs/events/src/topics.ts says that ${group} reads ${idle.topic}, which it does not`);
  }
}
