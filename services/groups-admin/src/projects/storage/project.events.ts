import type { SqlExecutor } from '@switchyard/database';
import { appendToOutbox, projectEvents } from '@switchyard/events';

/** Publishes that a project was created. */
export const publishProjectCreated = (tx: SqlExecutor, projectId: number, actorId: number): Promise<void> =>
  appendToOutbox(
    tx,
    projectEvents,
    { projectId, actorId, occurredAt: new Date(), fact: { $case: 'created', value: {} } },
    { id: `project_created:${projectId}` },
  );
