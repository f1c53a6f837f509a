import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { RepositoryAccess } from '../repositories';
import type { DeploymentEdges, EnvironmentStore } from './application/deployment.edges';
import { manageDeployments } from './application/manage-deployments';
import { manageEnvironments } from './application/manage-environments';
import { deploymentStore } from './storage/deployment.store';
import { environmentStore } from './storage/environment.store';
import { deploymentHandler } from './transport/deployment.handler';
import { environmentHandler } from './transport/environment.handler';

/** Milliseconds between two searches for environments that are due, and how many one statement settles. */
const sweepEveryMs = 30_000;
const sweptAtOnce = 200;

/** The area, and what is swept in it. */
export interface Deployments extends Area {
  readonly environments: Pick<EnvironmentStore, 'settleDue' | 'announce'>;
}

/** Builds environments and deployments. */
export function composeDeployments(
  { db, config, clock, observe }: Edges,
  { openRepository }: Pick<RepositoryAccess, 'openRepository'>,
): Deployments {
  const edges: DeploymentEdges = {
    openRepository,
    environments: environmentStore(db),
    deployments: deploymentStore(db),
    externalUrl: config.SWITCHYARD_EXTERNAL_URL,
    clock,
  };
  const environments = observe('merge_requests.environments', manageEnvironments(edges));
  const deployments = observe('merge_requests.deployments', manageDeployments(edges));
  return {
    environments: edges.environments,
    services: [environmentHandler(environments, edges), deploymentHandler(deployments, edges)],
    start: () => [
      repeat('environments that are due', sweepEveryMs, async () => {
        while (await edges.environments.settleDue(sweptAtOnce, clock()));
        while (await edges.environments.announce(sweptAtOnce));
      }),
    ],
  };
}
