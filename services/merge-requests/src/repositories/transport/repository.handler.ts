import { RepositoryServiceService } from '@switchyard/protos/merge_requests/v1/repository';
import { entity, implement } from '@switchyard/rpc';
import type { findLicense } from '../application/find-license';
import type { OpenProjectRepository } from '../application/open-project-repository';
import type { Contributor, ReadRepository } from '../application/read-repository';
import { commitObject, comparisonObject } from '../presenters/commit.presenter';
import { licenseObject } from '../presenters/license.presenter';
import { blobObject, contributorObject, treeEntryObject } from '../presenters/repository.presenter';
import { addressOf } from './repository-context';
import { placeOf, sliced, tokenPage, windowPage } from './window';

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const orders: Record<string, (a: Contributor, b: Contributor) => number> = {
  commits: (a, b) => a.commits - b.commits,
  name: (a, b) => compareTexts(a.name, b.name),
  email: (a, b) => compareTexts(a.email, b.email),
};

function sorted(contributors: readonly Contributor[], orderBy: string, descending: boolean): Contributor[] {
  const order = orders[orderBy] ?? orders.commits;
  const direction = descending ? -1 : 1;
  return [...contributors].sort(
    (a, b) => (order?.(a, b) ?? 0) * direction || compareTexts(a.email, b.email) || compareTexts(a.name, b.name),
  );
}

/** gRPC side of trees, blobs and comparisons. */
export const repositoryHandler = (
  repository: ReadRepository & { findLicense: ReturnType<typeof findLicense> },
  open: OpenProjectRepository,
  externalUrl: string,
) =>
  implement(
    RepositoryServiceService,
    {
      listTree: async ({ projectId, page, ref, path, recursive }) => {
        const found = await repository.tree(projectId, { ref, path, recursive, ...placeOf(page) });
        return tokenPage(found.entries.map(treeEntryObject), page, found);
      },
      getBlob: async ({ projectId, sha }) => entity(blobObject(sha, await repository.blob(projectId, sha))),
      compare: async ({ projectId, ...wanted }, context) =>
        entity(
          comparisonObject(
            { ...wanted, ...(await repository.compare(projectId, wanted)) },
            addressOf(context, externalUrl),
          ),
        ),
      getMergeBase: async ({ projectId, refs }, context) =>
        entity(commitObject(await repository.mergeBase(projectId, refs), addressOf(context, externalUrl))),
      listContributors: async ({ projectId, page, ref }) => {
        const all = await repository.contributors(projectId, ref);
        const { items, place } = sliced(sorted(all, page?.orderBy ?? '', page?.descending ?? false), page);
        return windowPage(items.map(contributorObject), page, place);
      },
      getLicense: async ({ projectId }, context) =>
        entity(licenseObject(await repository.findLicense(projectId), addressOf(context, externalUrl))),
      ensureRepository: async ({ projectId }) => {
        const { project, defaultBranch } = await open(projectId);
        return { defaultBranch: project.pushed ? defaultBranch : '', empty: !project.pushed };
      },
    },
    { ensureRepository: { callers: ['gateway', 'groups-admin', 'collaboration'] } },
  );
