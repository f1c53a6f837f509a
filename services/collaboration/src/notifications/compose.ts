import { projectById, trackerLinksOf } from '@switchyard/directory';
import { followKeyFile } from '@switchyard/secrets';
import type { Area } from '@switchyard/service';
import { logger } from '@switchyard/telemetry';
import type { Edges } from '../edges';
import type { GatheredMail, Made } from '../mail';
import { noteableStore } from '../noteables';
import { decideEvents } from './application/decide-events';
import { gatherMail } from './application/gather-mail';
import { notifyOfDueIssues } from './application/notify-of-due-issues';
import { unsubscribe } from './application/unsubscribe';
import { unsubscribeLinks } from './application/unsubscribe-link';
import { unsubscribeTokens } from './application/unsubscribe-token';
import { audienceStore } from './storage/audience.store';
import { gatheringMails, partStore } from './storage/gathering-mail.store';
import { notificationEventStore } from './storage/notification-event.store';
import { pipelineOutcomes } from './storage/pipeline-outcome.store';
import { endSubscription } from './storage/subscription.store';
import { mergeRequestPeople } from './transport/merge-request-people.client';
import { notificationSubscriptions } from './transport/notification.subscription';
import { unsubscribeHandler } from './transport/unsubscribe.handler';

/** Consumer group of mail about events: separate from the others, so that none waits for another. */
const notificationGroup = 'collaboration.notifications';

/** Names the file of the key of links. */
const keyVariable = 'SWITCHYARD_MAIL_LINKS_KEY_FILE';

/** Mail about events, and what the area of mail uses of it. */
export interface Notifications extends Area {
  /** Makes a mail of what it gathered. */
  readonly gather: (mail: GatheredMail, domain: string) => Promise<Made>;
  /** Headers with the link that ends the mail of a user about a project. */
  readonly unsubscribe: (ended: {
    readonly userId: number;
    readonly projectId: number;
  }) => Readonly<Record<string, string>>;
}

/** Builds mail about events. */
export function composeNotifications({ config, db, directory, peer, clock }: Edges): Notifications {
  const tokens = unsubscribeTokens(followKeyFile(keyVariable, config[keyVariable]));
  const mergeRequests = mergeRequestPeople(peer('merge-requests'));
  const linkTo = unsubscribeLinks(tokens, config.SWITCHYARD_EXTERNAL_URL);
  const end = unsubscribe({
    db,
    tokens,
    endSubscription,
    endMergeRequestSubscription: mergeRequests.endSubscription,
    projectExists: async (id) => (await projectById(db, id)) !== undefined,
  });
  return {
    services: [unsubscribeHandler(end)],
    consumers: [
      {
        group: notificationGroup,
        subscriptions: notificationSubscriptions({
          keep: notificationEventStore.keep,
          commitRow: noteableStore.id,
          noteOutcome: pipelineOutcomes.note,
          directory,
        }),
      },
    ],
    start: () => [
      decideEvents({
        db,
        events: notificationEventStore,
        outcomes: pipelineOutcomes,
        audience: audienceStore,
        mails: gatheringMails,
        mergeRequestPeople: mergeRequests.people,
        windowSeconds: config.SWITCHYARD_MAIL_WINDOW,
        clock,
        log: logger,
      }),
      notifyOfDueIssues(db, notificationEventStore, clock),
    ],
    gather: gatherMail({
      db,
      parts: partStore,
      audience: audienceStore,
      linkTo,
      trackerLinks: trackerLinksOf(peer('groups-admin')),
      externalUrl: config.SWITCHYARD_EXTERNAL_URL,
    }),
    unsubscribe: ({ userId, projectId }) =>
      linkTo({ userId, type: 'Project', id: projectId, iid: 0, projectId }).headers,
  };
}
