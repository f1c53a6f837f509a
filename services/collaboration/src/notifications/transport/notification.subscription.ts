import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory } from '@switchyard/directory';
import {
  type AnySubscription,
  issueEvents,
  mergeRequestEvents,
  noteEvents,
  releaseEvents,
  subscription,
} from '@switchyard/events';
import type { NoteableKey } from '../../noteables';
import {
  issueNotifications,
  mergeRequestNotifications,
  type NewNotificationEvent,
  noteNotifications,
  releaseNotifications,
} from './notification-facts';

/** What keeping events needs. */
interface NotificationEdges {
  readonly keep: (tx: Tx, events: readonly NewNotificationEvent[]) => Promise<void>;
  /** Id of the row that the notes of a commit hang on. */
  readonly commitRow: (tx: Tx, commit: NoteableKey) => Promise<number | undefined>;
  readonly directory: Pick<Directory, 'ensure'>;
}

/** Events that may lead to mail, each kept once (D6): who gets one is decided afterwards. */
export function notificationSubscriptions({ keep, commitRow, directory }: NotificationEdges): AnySubscription[] {
  const before = afterDirectory(directory);
  return [
    subscription({
      event: issueEvents,
      before,
      handle: (event, tx, { id, time }) => keep(tx, issueNotifications(event, id, time)),
    }),
    subscription({
      event: mergeRequestEvents,
      before,
      handle: (event, tx, { id, time }) => keep(tx, mergeRequestNotifications(event, id, time)),
    }),
    subscription({
      event: releaseEvents,
      before,
      handle: (event, tx, { id, time }) => keep(tx, releaseNotifications(event, id, time)),
    }),
    subscription({
      event: noteEvents,
      before,
      async handle(event, tx, { id, time }) {
        const { noteable } = event;
        const row =
          noteable?.kind === 'Commit'
            ? await commitRow(tx, { kind: 'Commit', projectId: noteable.projectId, targetId: 0, sha: noteable.sha })
            : 0;
        if (row !== undefined) await keep(tx, noteNotifications(event, { id, time, commitRow: row }));
      },
    }),
  ];
}
