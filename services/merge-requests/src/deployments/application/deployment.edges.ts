import type { PageInfo, PageRequest } from '@switchyard/database';
import type { RepositoryAccess } from '../../repositories';
import type {
  BroughtIn,
  Deployment,
  DeploymentFilter,
  DeploymentStatus,
  DeploymentView,
  NewDeployment,
} from '../domain/deployment';
import type { Environment, EnvironmentFilter, EnvironmentPatch, NewEnvironment } from '../domain/environment';

/** Environments as they are kept. */
export interface EnvironmentStore {
  list(
    projectId: number,
    filter: EnvironmentFilter,
    request: PageRequest,
  ): Promise<{ rows: Environment[]; page: PageInfo }>;
  find(projectId: number, id: number): Promise<Environment | undefined>;
  /** Undefined when there is one of that name, or of the slug that the name gives. */
  add(environment: NewEnvironment): Promise<Environment | undefined>;
  /** Undefined when there is none. */
  change(projectId: number, id: number, patch: EnvironmentPatch, now: Date): Promise<Environment | undefined>;
  /** Undefined when there is none; one that has stopped stays as it is. */
  stop(projectId: number, id: number, now: Date): Promise<Environment | undefined>;
  /** Stops those of a project that were changed and deployed to before a date. */
  stopUnusedSince(projectId: number, before: Date, now: Date): Promise<void>;
  /**
   * Removes one that has stopped, with its deployments. @throws AppError not_found; forbidden unless it has stopped;
   * precondition_failed when it changed after `unmodifiedSince`
   */
  remove(projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void>;
  /** Review apps that have stopped, were made before a date and are not scheduled yet, the oldest first. */
  stoppedReviewApps(projectId: number, before: Date, limit: number): Promise<Environment[]>;
  /** Schedules the deletion of those that are still stopped, and returns them. */
  scheduleDeletion(ids: readonly number[], at: Date): Promise<Environment[]>;
  /** Stops and deletes what is due, up to `limit` of each; true when there may be more. */
  settleDue(limit: number, now: Date): Promise<boolean>;
  /** Publishes at most `limit` of those from before there were events of environments; true when there may be more. */
  announce(limit: number): Promise<boolean>;
}

/** Deployments as they are kept. */
export interface DeploymentStore {
  list(
    projectId: number,
    filter: DeploymentFilter,
    request: PageRequest,
  ): Promise<{ rows: DeploymentView[]; page: PageInfo }>;
  find(projectId: number, id: number): Promise<DeploymentView | undefined>;
  /** The last successful deployment of an environment. */
  lastOf(projectId: number, environment: string): Promise<Pick<Deployment, 'id' | 'sha'> | undefined>;
  /**
   * Makes a deployment, and its environment when there is none. `outdated` when another one succeeded since git was
   * asked.
   * @throws AppError invalid when the slug of the new environment is taken
   */
  add(deployment: NewDeployment, broughtIn: BroughtIn | undefined, now: Date): Promise<number | 'outdated'>;
  /** Sets a status that follows. Refusals are those of `decideStatus`; `outdated` as for `add`. */
  setStatus(
    key: { readonly projectId: number; readonly id: number },
    actorId: number,
    status: DeploymentStatus,
    broughtIn: BroughtIn | undefined,
    now: Date,
  ): Promise<'set' | 'outdated'>;
  /**
   * @throws AppError not_found; bad_request for one that runs and for the last successful one of its environment;
   * precondition_failed when it changed after `unmodifiedSince`
   */
  remove(projectId: number, id: number, unmodifiedSince: Date | undefined): Promise<void>;
}

/** What the use cases of environments and deployments work with. */
export interface DeploymentEdges extends Pick<RepositoryAccess, 'openRepository'> {
  readonly environments: EnvironmentStore;
  readonly deployments: DeploymentStore;
  readonly externalUrl: string;
  readonly clock: () => Date;
}
