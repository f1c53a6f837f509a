import { repeat } from '@switchyard/background';
import { importedPeople } from '@switchyard/directory';
import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { Edges } from '../edges';
import type { RepositoryAccess } from '../repositories';
import type { DeploymentEdges, EnvironmentStore } from './application/deployment.edges';
import { importDeployments } from './application/import-deployments';
import { manageDeployments } from './application/manage-deployments';
import { manageEnvironments } from './application/manage-environments';
import { deploymentStore } from './storage/deployment.store';
import { deploymentImportStore } from './storage/deployment-import.store';
import { environmentStore } from './storage/environment.store';
import { deploymentHandler } from './transport/deployment.handler';
import { deploymentRecord, environmentRecord, makersOf, toImported } from './transport/deployment.record';
import { environmentHandler } from './transport/environment.handler';

/** Milliseconds between two searches for environments that are due, and how many one statement settles. */
const sweepEveryMs = 30_000;
const sweptAtOnce = 200;

/** The area, and what is swept in it. */
export interface Deployments extends Area {
  readonly environments: Pick<EnvironmentStore, 'settleDue' | 'announce'>;
  /** Takes those of an archive. */
  readonly records: Readonly<Record<'environments' | 'deployments', RecordWriter>>;
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
  const imported = deploymentImportStore(db);
  const imports = observe('merge_requests.deployment_imports', {
    reserve: imported.reserve,
    addEnvironments: imported.addEnvironments,
    addDeployments: importDeployments({ imports: imported, openRepository }),
  });
  return {
    environments: edges.environments,
    records: {
      environments: recordWriter(environmentRecord, ({ projectId }, given) =>
        imports.addEnvironments(projectId, given),
      ),
      deployments: recordWriter(
        deploymentRecord,
        async (target, given) => {
          const people = await importedPeople(db, target, makersOf(given));
          return imports.addDeployments(target.projectId, given.map(toImported(people)));
        },
        (projectId, given) => imports.reserve(projectId, Math.max(0, ...given.map(({ iid }) => iid))),
      ),
    },
    services: [environmentHandler(environments, edges), deploymentHandler(deployments, edges)],
    start: () => [
      repeat('environments that are due', sweepEveryMs, async () => {
        while (await edges.environments.settleDue(sweptAtOnce, clock()));
        while (await edges.environments.announce(sweptAtOnce));
      }),
    ],
  };
}
