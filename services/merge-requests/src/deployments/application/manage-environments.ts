import { forbidden, invalid, invalidParams, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { developer } from '../../repositories';
import type { DeploymentView } from '../domain/deployment';
import {
  checkEnvironment,
  type Environment,
  type EnvironmentPatch,
  mayBeStale,
  type NewEnvironment,
  thirtyDaysBefore,
  weekAfter,
} from '../domain/environment';
import type { DeploymentEdges } from './deployment.edges';

/** Which environments of review are deleted. */
export interface ReviewAppsCommand {
  /** Made before; undefined: 30 days ago. */
  readonly before: Date | undefined;
  readonly limit: number;
  readonly dryRun: boolean;
}

/** Environments: get, make, change, stop, delete. Writing takes Developer. */
export function manageEnvironments({
  environments,
  deployments,
  clock,
}: Pick<DeploymentEdges, 'environments' | 'deployments' | 'clock'>) {
  const requireDeveloper = ({ level }: Caller): void => {
    if (level < developer) throw forbidden();
  };
  const found = <T>(row: T | undefined): T => {
    if (row === undefined) throw notFound();
    return row;
  };

  return {
    /** An environment with what is on it. @throws AppError not_found */
    async get(
      projectId: number,
      id: number,
    ): Promise<{ environment: Environment; lastDeployment: DeploymentView | undefined }> {
      const environment = found(await environments.find(projectId, id));
      const { lastDeploymentId } = environment;
      const lastDeployment =
        lastDeploymentId === undefined ? undefined : await deployments.find(projectId, lastDeploymentId);
      return { environment, lastDeployment };
    },

    /** @throws AppError invalid for a name that is taken or cannot be one, and for other fields that cannot be */
    async create(caller: Caller, wanted: NewEnvironment): Promise<Environment> {
      requireDeveloper(caller);
      checkEnvironment(wanted);
      const made = await environments.add(wanted);
      if (made === undefined) throw invalid({ name: ['has already been taken'] });
      return made;
    },

    /** Changes an environment; what is undefined stays. @throws AppError not_found; invalid */
    async update(caller: Caller, projectId: number, id: number, patch: EnvironmentPatch): Promise<Environment> {
      requireDeveloper(caller);
      checkEnvironment(patch);
      return found(await environments.change(projectId, id, patch, clock()));
    },

    /** @throws AppError not_found */
    async stop(caller: Caller, projectId: number, id: number): Promise<Environment> {
      requireDeveloper(caller);
      return found(await environments.stop(projectId, id, clock()));
    },

    /** @throws AppError invalid_params for a date outside ten years ago to one week ago */
    async stopStale(caller: Caller, projectId: number, before: Date): Promise<void> {
      requireDeveloper(caller);
      const now = clock();
      if (!mayBeStale(before, now)) throw invalidParams('before does not have a valid value');
      await environments.stopUnusedSince(projectId, before, now);
    },

    /** @throws AppError not_found; forbidden unless it has stopped; precondition_failed */
    async remove(caller: Caller, projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void> {
      requireDeveloper(caller);
      await environments.remove(projectId, id, unmodifiedSince);
    },

    /** Has review apps that have stopped deleted in a week. Those that a deployment starts again until then stay. */
    async removeReviewApps(
      caller: Caller,
      projectId: number,
      { before, limit, dryRun }: ReviewAppsCommand,
    ): Promise<{ scheduled: Environment[]; unprocessable: Environment[] }> {
      requireDeveloper(caller);
      const now = clock();
      const wanted = await environments.stoppedReviewApps(projectId, before ?? thirtyDaysBefore(now), limit);
      if (dryRun) return { scheduled: wanted, unprocessable: [] };
      const scheduled = await environments.scheduleDeletion(
        wanted.map(({ id }) => id),
        weekAfter(now),
      );
      const done = new Set(scheduled.map(({ id }) => id));
      return { scheduled, unprocessable: wanted.filter(({ id }) => !done.has(id)) };
    },
  };
}

/** What `manageEnvironments` gives. */
export type ManageEnvironments = ReturnType<typeof manageEnvironments>;
