import { describeObjects } from '../../git';
import type { ImportedDeployment, ImportedEnvironment } from '../domain/imported-deployment';
import type { DeploymentEdges } from './deployment.edges';

/** Environments and deployments of archives as they are kept. Every write may be repeated. */
export interface DeploymentImportStore {
  /** Has deployments that are made here numbered above `highest` from now on. */
  reserve(projectId: number, highest: number): Promise<void>;
  /** Adds environments that the project does not have; returns how many of them it has then. */
  addEnvironments(projectId: number, given: readonly ImportedEnvironment[]): Promise<number>;
  /** Adds deployments whose environments are there, and that are not; returns how many of them are there then. */
  addDeployments(projectId: number, given: readonly ImportedDeployment[]): Promise<number>;
}

/** Adds deployments of an archive; those whose commits did not come in are left out. */
export const importDeployments =
  ({
    imports,
    openRepository,
  }: Pick<DeploymentEdges, 'openRepository'> & { readonly imports: DeploymentImportStore }) =>
  async (projectId: number, given: readonly ImportedDeployment[]): Promise<number> => {
    const { repo } = await openRepository(projectId);
    const shas = [...new Set(given.map(({ sha }) => sha))];
    const found = await describeObjects(repo, shas);
    const commits = new Set(shas.filter((_, at) => found[at]?.type === 'commit'));
    return imports.addDeployments(
      projectId,
      given.filter(({ sha }) => commits.has(sha)),
    );
  };
