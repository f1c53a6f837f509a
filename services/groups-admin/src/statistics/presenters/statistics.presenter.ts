import type { ProjectSizes, Sizes } from '../domain/sizes';

const reportsOf = (sizes: Sizes): number => sizes.reports_size ?? 0;

/** Sizes by their public names, but for reports. What this instance does not store takes no bytes. */
const sizesOf = (sizes: Sizes) => {
  const stored = {
    repository_size: sizes.repository_size ?? 0,
    wiki_size: sizes.wiki_size ?? 0,
    lfs_objects_size: 0,
    pipeline_artifacts_size: 0,
    packages_size: sizes.packages_size ?? 0,
    snippets_size: sizes.snippets_size ?? 0,
    uploads_size: sizes.uploads_size ?? 0,
  };
  return { storage_size: Object.values(stored).reduce((sum, size) => sum + size, reportsOf(sizes)), ...stored };
};

/** `statistics` of a group: of the projects that lie in it (api.md 2, Group). */
export const presentGroupStatistics = (sizes: Sizes) => ({ ...sizesOf(sizes), job_artifacts_size: reportsOf(sizes) });

/** `statistics` of a project. */
export const presentProjectStatistics = (sizes: ProjectSizes) => ({
  commit_count: sizes.commit_count ?? 0,
  ...presentGroupStatistics(sizes),
});

/** `root_storage_statistics` of a top-level group: of all projects below it (api.md 2, Group). */
export const presentRootStorageStatistics = (sizes: Sizes) => ({
  build_artifacts_size: reportsOf(sizes),
  container_registry_size_is_estimated: false,
  dependency_proxy_size: 0,
  ...sizesOf(sizes),
});
