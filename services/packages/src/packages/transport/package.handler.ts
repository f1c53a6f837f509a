import { notFound } from '@switchyard/errors';
import { PackageServiceService, type PackageFilter as WireFilter } from '@switchyard/protos/packages/v1/package';
import { levels } from '@switchyard/rights';
import {
  type CallContext,
  entity,
  fixedOrder,
  implement,
  nothing,
  page,
  pageRequest,
  type ServiceImplementation,
} from '@switchyard/rpc';
import { effectiveLevel } from '../../protection';
import type { Packages } from '../application/manage-packages';
import { listedStatuses, type PackageFilter } from '../domain/package';
import type { Remover } from '../domain/publication';
import type { ShownPipelines } from '../domain/shown-pipeline';
import {
  type PackageReader,
  presentGroupPackage,
  presentPackage,
  presentPackageFile,
  presentPackageWithVersions,
} from '../presenters/package.presenter';
import { pipelineViewerOf, searcherOf } from './package-searcher';

/** The target of a call; what the request names must be what was resolved and signed. */
function named({ access }: CallContext, id: number, noun: 'Project' | 'Group'): number {
  if (access?.id !== id) throw notFound(noun);
  return id;
}

const removerOf = ({ actor, access }: CallContext): Remover => ({
  userId: actor.userId,
  level: effectiveLevel(actor, access?.level),
});

const toFilter = (filter: WireFilter | undefined): PackageFilter => ({
  format: filter?.packageType || undefined,
  name: filter?.packageName || undefined,
  version: filter?.packageVersion,
  statuses: filter?.status ? [filter.status] : listedStatuses,
  includeVersionless: filter?.includeVersionless ?? false,
});

/** Serves `PackageService`. */
export function packageHandler(packages: Packages, externalUrl: string): ServiceImplementation {
  const readerOf = ({ access }: CallContext, pipelines: ShownPipelines): PackageReader => ({
    externalUrl,
    mayDelete: (access?.level ?? 0) >= levels.maintainer,
    pipelines,
  });

  return implement(PackageServiceService, {
    async listProjectPackages(request, context) {
      const wanted = pageRequest(request.page, { orderBy: 'created_at' });
      const projectId = named(context, request.projectId, 'Project');
      const found = await packages.listOfProject(
        projectId,
        pipelineViewerOf(context),
        toFilter(request.filter),
        wanted,
      );
      const reader = readerOf(context, found.pipelines);
      return page(
        found.rows.map((one) => presentPackage(one, reader)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },

    async listGroupPackages(request, context) {
      const wanted = pageRequest(request.page, { orderBy: 'created_at' });
      const group = { id: named(context, request.groupId, 'Group'), excludeSubgroups: request.excludeSubgroups };
      const found = await packages.listOfGroup(
        group,
        searcherOf(context.actor, context.access),
        pipelineViewerOf(context),
        toFilter(request.filter),
        wanted,
      );
      const reader = readerOf(context, found.pipelines);
      return page(
        found.rows.map((one) => presentGroupPackage(one, reader)),
        { ...found.page, keyset: wanted.mode === 'keyset' },
      );
    },

    async getPackage({ projectId, packageId }, context) {
      const project = named(context, projectId, 'Project');
      const { found, versions, pipelines } = await packages.get(project, packageId, pipelineViewerOf(context));
      return entity(presentPackageWithVersions(found, versions, readerOf(context, pipelines)));
    },

    async deletePackage({ projectId, packageId, ifUnmodifiedSince }, context) {
      await packages.remove(named(context, projectId, 'Project'), packageId, removerOf(context), ifUnmodifiedSince);
      return nothing();
    },

    async listPackagePipelines(request, context) {
      const found = await packages.listPipelines(
        named(context, request.projectId, 'Project'),
        request.packageId,
        pipelineViewerOf(context),
        fixedOrder(request.page, 'id', 'desc'),
      );
      return page(found.rows, { ...found.page, keyset: true });
    },

    async listPackageFiles(request, context) {
      const wanted = pageRequest(request.page, { orderBy: 'id' });
      const projectId = named(context, request.projectId, 'Project');
      const found = await packages.listFiles(projectId, request.packageId, pipelineViewerOf(context), wanted);
      const rows = found.rows.map((one) => presentPackageFile(one, found.pipelines.get(one.pipelineId ?? 0)));
      return page(rows, { ...found.page, keyset: wanted.mode === 'keyset' });
    },

    async deletePackageFile({ projectId, packageId, packageFileId, ifUnmodifiedSince }, context) {
      const file = { projectId: named(context, projectId, 'Project'), packageId, fileId: packageFileId };
      await packages.removeFile(file, removerOf(context), ifUnmodifiedSince);
      return nothing();
    },
  });
}
