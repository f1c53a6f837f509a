import type { Database } from '@switchyard/database';
import type { Directory } from '@switchyard/directory';
import { type EventBus, startConsumer } from '@switchyard/events';
import { observe } from '@switchyard/telemetry';
import { followAlerts } from './application/follow-alerts';
import { changeIssue, incidents } from './issues';
import { mailStore } from './mail';
import { systemNotes } from './notes';
import { alertDirectory } from './storage/alert-directory.store';
import { followedAlerts } from './storage/followed-alert.store';
import type { Todos } from './todos';
import { alertSubscription } from './transport/alert.subscription';

/** Consumer group of what follows from alerts: apart from the others, so that none waits for another. */
const alertGroup = 'collaboration.alerts';

/** What following alerts is built from. */
export interface AlertPartEdges {
  readonly db: Database;
  readonly directory: Directory;
  readonly bus: EventBus;
  readonly todos: Pick<Todos, 'alertFollower'>;
  readonly externalUrl: string;
}

/** Builds what follows from alerts, which belong to another service. */
export function composeAlerts({ db, directory, bus, todos, externalUrl }: AlertPartEdges): {
  /** Starts what runs beside requests. */
  start(): Promise<{ close(): Promise<void> }[]>;
} {
  const useCases = observe('collaboration', {
    followAlerts: followAlerts({
      directory: alertDirectory,
      alerts: followedAlerts,
      incidents,
      changeIssue,
      notes: systemNotes,
      mails: mailStore,
      externalUrl,
    }),
  });
  return {
    start: async () => [
      await startConsumer({
        bus,
        db,
        group: alertGroup,
        // A storm of alerts is taken in at once and followed afterwards: what follows must not keep what comes in from the processors.
        concurrency: 2,
        subscriptions: [alertSubscription(useCases.followAlerts, todos.alertFollower, directory)],
      }),
    ],
  };
}
