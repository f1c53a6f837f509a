import { type Package, type PackageFile, type PackageTag, type PackageVersion, shownStatuses } from '../domain/package';
import type { ShownPipeline, ShownPipelines } from '../domain/shown-pipeline';

/** What the reader of a package may do with it, and where it lies. */
export interface PackageReader {
  readonly externalUrl: string;
  /** They may delete it. */
  readonly mayDelete: boolean;
  /** The pipelines that they may read, by their ids. */
  readonly pipelines: ShownPipelines;
}

const presentTag = ({ id, packageId, name, createdAt, updatedAt }: PackageTag) => ({
  id,
  package_id: packageId,
  name,
  created_at: createdAt,
  updated_at: updatedAt,
});

/** Deprecated (G-2-34): present and empty where pipelines published it; the list of pipelines has them. */
const pipelinesOf = ({ lastPipelineId }: Pick<Package, 'lastPipelineId'>) =>
  lastPipelineId === undefined ? {} : { pipelines: [] };

/** Older than the list of pipelines: the last one. */
function lastPipelineOf({ lastPipelineId }: Package, pipelines: ShownPipelines) {
  const pipeline = pipelines.get(lastPipelineId ?? 0);
  return pipeline === undefined ? {} : { pipeline };
}

/** The public package of a list. */
export const presentPackage = (one: Package, { externalUrl, mayDelete, pipelines }: PackageReader) => ({
  id: one.id,
  name: one.name,
  version: one.version ?? null,
  package_type: one.format,
  status: one.status,
  _links: {
    ...(shownStatuses.includes(one.status) ? { web_path: `/${one.projectPath}/-/packages/${one.id}` } : {}),
    ...(mayDelete ? { delete_api_path: `${externalUrl}/api/v4/projects/${one.projectId}/packages/${one.id}` } : {}),
  },
  created_at: one.createdAt,
  last_downloaded_at: one.lastDownloadedAt ?? null,
  tags: one.tags.map(presentTag),
  ...lastPipelineOf(one, pipelines),
  ...pipelinesOf(one),
});

/** The same in the list of a group. */
export const presentGroupPackage = (one: Package, reader: PackageReader) => ({
  ...presentPackage(one, reader),
  project_id: one.projectId,
  project_path: one.projectPath,
});

/** The same by its id, with the other versions. */
export const presentPackageWithVersions = (
  one: Package,
  versions: readonly PackageVersion[],
  reader: PackageReader,
) => ({
  ...presentPackage(one, reader),
  versions: versions.map((other) => ({
    id: other.id,
    version: other.version ?? null,
    created_at: other.createdAt,
    ...pipelinesOf(other),
  })),
});

/** The public file of a package (G-2-35). */
export const presentPackageFile = (
  file: Omit<PackageFile, 'blob' | 'metadata' | 'pipelineId'>,
  pipeline?: ShownPipeline,
) => ({
  id: file.id,
  package_id: file.packageId,
  created_at: file.createdAt,
  file_name: file.fileName,
  size: file.size,
  file_md5: file.md5,
  file_sha1: file.sha1,
  file_sha256: file.sha256,
  ...(pipeline === undefined ? {} : { pipelines: [pipeline] }),
});
