import type { Deployment } from './deployment';
import type { Environment } from './environment';

/** An environment as it was in another installation. */
export type ImportedEnvironment = Omit<Environment, 'id' | 'projectId' | 'slug' | 'lastDeploymentId'> & {
  /** When it is deleted by itself. */
  readonly autoDeleteAt: Date | undefined;
};

/** A deployment as it was in another installation. */
export type ImportedDeployment = Omit<Deployment, 'id' | 'projectId' | 'environmentId'> & {
  /** Name of its environment. */
  readonly environment: string;
  /** It is the one that succeeded last on its environment. */
  readonly isLast: boolean;
  /** Numbers of the merge requests that it brought in. */
  readonly mergeRequestIids: readonly number[];
};
