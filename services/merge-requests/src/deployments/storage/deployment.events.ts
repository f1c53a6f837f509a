import type { Tx } from '@switchyard/database';
import { appendToOutbox, deploymentEventId, deploymentEvents } from '@switchyard/events';
import type { Deployment, DeploymentStatus } from '../domain/deployment';
import type { Environment } from '../domain/environment';

/** A deployment after a change. */
export interface ChangedDeployment {
  readonly deployment: Deployment;
  readonly environment: Environment;
  /** Undefined: it was made. */
  readonly oldStatus: DeploymentStatus | undefined;
  readonly actorId: number;
}

/** Appends the event of a deployment in the transaction that changed it. Its environment must be locked. */
export async function publishDeployment(
  tx: Tx,
  { deployment, environment, oldStatus, actorId }: ChangedDeployment,
): Promise<void> {
  const { id, iid, projectId, userId, sha, ref, tag, status, updatedAt } = deployment;
  const payload = {
    deployment: {
      id,
      iid,
      projectId,
      userId,
      sha,
      ref,
      tag,
      status,
      environmentId: environment.id,
      environment: environment.name,
      environmentSlug: environment.slug,
      environmentTier: environment.tier,
      environmentUrl: environment.externalUrl ?? '',
    },
    actorId,
    occurredAt: updatedAt,
    fact:
      oldStatus === undefined
        ? { $case: 'created' as const, value: {} }
        : { $case: 'statusChanged' as const, value: { oldStatus } },
  };
  const eventId =
    oldStatus === undefined ? deploymentEventId('created', id) : deploymentEventId('statusChanged', id, status);
  await appendToOutbox(tx, deploymentEvents, payload, { id: eventId });
}
