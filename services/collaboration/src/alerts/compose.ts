import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import { changeIssue, incidents } from '../issues';
import { mailStore } from '../mail';
import { systemNotes } from '../notes';
import type { Todos } from '../todos';
import { followAlerts } from './application/follow-alerts';
import { alertDirectory } from './storage/alert-directory.store';
import { followedAlerts } from './storage/followed-alert.store';
import { alertSubscription } from './transport/alert.subscription';

/** Consumer group of alerts: separate from the others, so that none waits for another. */
const alertGroup = 'collaboration.alerts';

/** Builds what follows from alerts, which belong to another service: incidents, system notes, to-dos and mail. */
export function composeAlerts(
  { config, directory, observe }: Pick<Edges, 'config' | 'directory' | 'observe'>,
  { todos }: { readonly todos: Pick<Todos, 'alertFollower'> },
): Area {
  const useCases = observe('collaboration', {
    followAlerts: followAlerts({
      directory: alertDirectory,
      alerts: followedAlerts,
      incidents,
      changeIssue,
      notes: systemNotes,
      mails: mailStore,
      externalUrl: config.SWITCHYARD_EXTERNAL_URL,
    }),
  });
  return {
    consumers: [
      {
        group: alertGroup,
        // A storm of alerts must not take the processors from the requests that are answered at the same time.
        concurrency: 2,
        subscriptions: [alertSubscription(useCases.followAlerts, todos.alertFollower, directory)],
      },
    ],
  };
}
