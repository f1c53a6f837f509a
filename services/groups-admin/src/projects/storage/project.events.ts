import { appendToOutbox, projectEvents } from '@switchyard/events';
import type { DirectoryTx } from '../../directory';

/** Publishes that a project was created; `originId` is set for a fork. */
export const publishProjectCreated = (
  tx: DirectoryTx,
  { id: projectId, actorId, originId = 0 }: { id: number; actorId: number; originId?: number },
): void =>
  tx.withSequence((directorySequence) =>
    appendToOutbox(
      tx,
      projectEvents,
      {
        projectId,
        actorId,
        occurredAt: new Date(),
        fact: { $case: 'created', value: { repositoryOriginId: originId } },
        directorySequence,
      },
      { id: `project_created:${projectId}` },
    ),
  );

/** Publishes that a project is no longer marked for deletion. */
export const publishProjectRestored = (
  tx: DirectoryTx,
  { id: projectId, actorId }: { id: number; actorId: number },
): void =>
  tx.withSequence((directorySequence) =>
    appendToOutbox(
      tx,
      projectEvents,
      { projectId, actorId, occurredAt: new Date(), fact: { $case: 'restored', value: {} }, directorySequence },
      { id: `project_restored:${projectId}:${directorySequence}` },
    ),
  );

/** Publishes that a project is no fork any more. */
export const publishForkUnlinked = (
  tx: DirectoryTx,
  { id: projectId, actorId, sourceId }: { id: number; actorId: number; sourceId: number },
): void =>
  tx.withSequence((directorySequence) =>
    appendToOutbox(
      tx,
      projectEvents,
      {
        projectId,
        actorId,
        occurredAt: new Date(),
        fact: { $case: 'forkUnlinked', value: { forkedFromProjectId: sourceId } },
        directorySequence,
      },
      { id: `project_fork_unlinked:${projectId}:${directorySequence}` },
    ),
  );
