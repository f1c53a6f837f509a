import type { SqlExecutor } from '@switchyard/database';
import { appendAllToOutbox, environmentEvents } from '@switchyard/events';
import type { EnvironmentEvent } from '@switchyard/protos/merge_requests/events/v1/environment_event';

/** An environment that was made or deleted. */
export interface ChangedEnvironment {
  readonly id: number;
  readonly projectId: number;
  readonly name: string;
  readonly at: Date;
}

/** Publishes in one statement that environments were made or deleted; within the transaction that did it. */
export const publishEnvironments = (
  tx: SqlExecutor,
  fact: NonNullable<EnvironmentEvent['fact']>,
  environments: readonly ChangedEnvironment[],
): Promise<void> =>
  appendAllToOutbox(
    tx,
    environmentEvents,
    environments.map(({ id, projectId, name, at }) => ({
      id: `environment_${fact.$case}:${id}`,
      payload: { projectId, environmentId: id, name, occurredAt: at, fact },
    })),
  );
