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

/** What a change did to a project that others act on. */
export type ProjectFact = Extract<
  NonNullable<Parameters<typeof projectEvents.key>[0]['fact']>,
  { $case: 'restored' | 'renamed' | 'transferred' | 'updated' }
>;

/** Publishes that a project was changed. */
export const publishProjectChanged = (
  tx: DirectoryTx,
  { id: projectId, actorId, fact }: { id: number; actorId: number; fact: ProjectFact },
): void =>
  tx.withSequence((directorySequence) =>
    appendToOutbox(
      tx,
      projectEvents,
      { projectId, actorId, occurredAt: new Date(), fact, directorySequence },
      { id: `project_${fact.$case}:${projectId}:${directorySequence}` },
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
