export type { BusRecord, EventBus, ReceivedRecord, RecordHandler, Subscription } from './bus';
export { alertEventId, alertEvents } from './catalogue/alerts';
export { epicEventId, epicEvents } from './catalogue/collaboration-epics';
export { issueEventId, issueEvents } from './catalogue/collaboration-issues';
export { noteEventId, noteEvents } from './catalogue/collaboration-notes';
export { snippetEvents } from './catalogue/collaboration-snippets';
export { deploymentEventId, deploymentEvents } from './catalogue/deployment';
export * from './catalogue/groups-admin';
export {
  deployTokenExpiringId,
  emailConfirmationId,
  tokenExpiringId,
  userBlockedId,
  userCreatedId,
  userDeletedId,
  userEvents,
  userRenamedId,
} from './catalogue/groups-admin-users';
export { dependencyListExportEvents, gistImportEvents, importPlaceholderEvents } from './catalogue/imports-exports';
export { mergeRequestEventId, mergeRequestEvents } from './catalogue/merge-requests';
export { packageEventId, packageEvents } from './catalogue/packages';
export { pipelineEventId, pipelineEvents, pipelineRunEndedId } from './catalogue/pipeline';
export { releaseEventId, releaseEvents } from './catalogue/releases';
export * from './catalogue/repository';
export { repositoryPushed } from './catalogue/repository';
export { packagesMeasured, reportsMeasured, repositoryMeasured, snippetsMeasured } from './catalogue/statistics';
export {
  type AnySubscription,
  type Consumer,
  type ConsumerOptions,
  deadLetterTopic,
  type EventMeta,
  type EventSubscription,
  replayDeadLetters,
  retryTopic,
  startConsumer,
  subscription,
} from './consumer';
export { embeddedLog } from './embedded-log';
export { decodeBody, defineEvent, type EventDefinition, encodeBody, type MessageCodec } from './event';
export { faultPoint, faultPoints } from './fault-point';
export { kafkaBus } from './kafka-bus';
export { eventMigrations, logMigrations } from './migrations';
export { openBus } from './open-bus';
export { appendAllToOutbox, appendToOutbox, nudgeRelay, outboxBacklog } from './outbox';
export { publishStates } from './publish-states';
export { type Relay, type RelayOptions, startRelay } from './relay';
export { type ReplayResult, replay } from './replay';
export { checkReaders, topicsOf } from './topics';
