import type { UserRow } from '@switchyard/directory';
import { invalid } from '@switchyard/errors';
import type { Environment } from './environment';

/** How far a deployment has come. */
export type DeploymentStatus = 'created' | 'running' | 'success' | 'failed' | 'canceled';

/** What an outside CI put on an environment (G §10). */
export interface Deployment {
  readonly id: number;
  /** Number within the project. */
  readonly iid: number;
  readonly projectId: number;
  readonly environmentId: number;
  readonly userId: number;
  readonly sha: string;
  /** Branch or tag name. */
  readonly ref: string;
  readonly tag: boolean;
  readonly status: DeploymentStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Set when it has ended. */
  readonly finishedAt: Date | undefined;
}

/** A deployment, who made it, and its environment. */
export interface DeploymentView {
  readonly deployment: Deployment;
  readonly user: UserRow | undefined;
  readonly environment: Pick<Environment, 'id' | 'name' | 'slug' | 'externalUrl'>;
}

/** What git says of a deployment that succeeds. */
export interface BroughtIn {
  /** The deployment that was the last successful one when git was asked; undefined: there was none. */
  readonly since: number | undefined;
  /** Commits that it has and that one lacks. */
  readonly commits: readonly string[];
}

/** A deployment to make. */
export interface NewDeployment {
  readonly projectId: number;
  /** Name of its environment. */
  readonly environment: string;
  readonly userId: number;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly status: DeploymentStatus;
}

/** What a list of deployments is narrowed by. */
export interface DeploymentFilter {
  readonly environment?: string;
  readonly status?: string;
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  readonly finishedAfter?: Date;
  readonly finishedBefore?: Date;
}

const later: Readonly<Record<DeploymentStatus, readonly DeploymentStatus[]>> = {
  created: ['running', 'success', 'failed', 'canceled'],
  running: ['success', 'failed', 'canceled'],
  success: [],
  failed: [],
  canceled: [],
};

/** The transition to each status, as refusals name it. */
const verbs: Readonly<Record<DeploymentStatus, string>> = {
  created: 'create',
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
};

/** True when nothing follows. */
export const hasEnded = (status: DeploymentStatus): boolean => later[status].length === 0;

/**
 * Whether a deployment changes when `to` is reported of it; the same report again changes nothing.
 * @throws AppError invalid when `to` does not follow: what has ended has ended
 */
export function decideStatus(from: DeploymentStatus, to: DeploymentStatus): boolean {
  if (from === to) return false;
  if (!later[from].includes(to)) throw invalid({ status: [`cannot transition via "${verbs[to]}"`] });
  return true;
}
