import type { Tx } from '@switchyard/database';
import { afterDirectory, type Directory, fullPath, projectById } from '@switchyard/directory';
import {
  type AnySubscription,
  epicEvents,
  issueEvents,
  mergeRequestEvents,
  noteEvents,
  pipelineEvents,
  projectEvents,
  releaseEvents,
  subscription,
} from '@switchyard/events';
import type { NoteableKey } from '../../noteables';
import type { EndedPipeline, PipelineOutcome } from '../domain/pipeline-outcome';
import {
  endedPipeline,
  epicNotifications,
  issueNotifications,
  mergeRequestNotifications,
  type NewNotificationEvent,
  noteNotifications,
  pipelineNotifications,
  projectNotifications,
  releaseNotifications,
} from './notification-facts';

/** What keeping events needs. */
interface NotificationEdges {
  readonly keep: (tx: Tx, events: readonly NewNotificationEvent[]) => Promise<void>;
  /** Id of the row that the notes of a commit hang on. */
  readonly commitRow: (tx: Tx, commit: NoteableKey) => Promise<number | undefined>;
  /** Notes how a pipeline ended; answers the outcome before it of its ref. */
  readonly noteOutcome: (tx: Tx, ended: EndedPipeline) => Promise<PipelineOutcome | undefined>;
  readonly directory: Pick<Directory, 'ensure'>;
}

/** Events that may lead to mail, each kept once (D6): who gets one is decided afterwards. */
export function notificationSubscriptions({
  keep,
  commitRow,
  noteOutcome,
  directory,
}: NotificationEdges): AnySubscription[] {
  const before = afterDirectory(directory);
  // No mail follows from imported history (D6).
  const concerns = ({ imported }: { readonly imported: boolean }): boolean => !imported;
  return [
    subscription({
      event: issueEvents,
      concerns,
      before,
      handle: (event, tx, { id, time }) => keep(tx, issueNotifications(event, id, time)),
    }),
    subscription({
      event: epicEvents,
      concerns,
      before,
      handle: (event, tx, { id, time }) => keep(tx, epicNotifications(event, id, time)),
    }),
    subscription({
      event: mergeRequestEvents,
      concerns,
      before,
      handle: (event, tx, { id, time }) => keep(tx, mergeRequestNotifications(event, id, time)),
    }),
    subscription({
      event: releaseEvents,
      before,
      handle: (event, tx, { id, time }) => keep(tx, releaseNotifications(event, id, time)),
    }),
    subscription({
      event: pipelineEvents,
      async handle(event, tx, { id, time }) {
        const ended = endedPipeline(event);
        if (ended === undefined) return;
        const previous = await noteOutcome(tx, ended);
        await keep(tx, pipelineNotifications(event, ended, { id, time, previous }));
      },
    }),
    subscription({
      event: projectEvents,
      before,
      async handle(event, tx, { id, time }) {
        const project = await projectById(tx, event.projectId);
        if (project !== undefined) await keep(tx, projectNotifications(event, { id, time, path: fullPath(project) }));
      },
    }),
    subscription({
      event: noteEvents,
      concerns,
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
