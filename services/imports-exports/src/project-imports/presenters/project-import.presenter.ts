import { hasEnded, type ImportFailure, itemNames, type StandingStage, secondsLeft } from '../domain/project-import';
import type { ImportedProject, ShownImport } from '../domain/shown-import';

const orNull = (text: string): string | null => text || null;

/** The reply of a cancellation (api.md 2, Imported project). */
export const presentCanceled = (project: ImportedProject) => ({
  id: project.projectId,
  name: project.name,
  full_path: `/${project.fullPath}`,
  full_name: project.fullName,
  import_source: project.importSource,
  import_status: project.importStatus,
  human_import_status_name: project.importStatus,
  provider_link: `/${project.importSource}`,
});

/** The reply of an import that has begun (G-2-38). */
export const presentStarted = ({ project }: ShownImport) => ({
  ...presentCanceled(project),
  refs_url: `/${project.fullPath}/refs`,
  relation_type: null,
  forked: project.forked,
});

const presentFailure = ({ id, createdAt, reason, item, stage }: ImportFailure) => ({
  id,
  created_at: createdAt,
  exception_class: 'NotImported',
  exception_message: reason,
  source: item,
  relation_name: stage,
  line_number: 0,
});

const presentStage = ({ name, status, fetched, imported, pages }: StandingStage) => ({
  name,
  status,
  fetched,
  imported,
  pages: pages ?? null,
});

/** That an import is there, and its status: what failed names things that only members may see. */
export const presentImportStatus = ({ project, import: one }: Pick<ShownImport, 'project' | 'import'>) => ({
  id: project.projectId,
  description: orNull(project.description),
  name: project.name,
  name_with_namespace: project.fullName,
  path: project.path,
  path_with_namespace: project.fullPath,
  created_at: project.createdAt,
  import_status: one?.status ?? project.importStatus,
  import_type: orNull(project.importType),
  correlation_id: null,
  failed_relations: [],
  import_error: null,
});

/** How an import stands (G-4.19-6), for those who may import into the project. */
export const presentImport = ({ project, import: one, stages, failures, files }: ShownImport) => {
  const counts = stages.flatMap(({ name, ...count }) => {
    const item = itemNames[name];
    return item === undefined ? [] : [{ item, ...count }];
  });
  const stats = files === undefined ? counts : [...counts, { item: 'attachment', ...files }];
  return {
    ...presentImportStatus({ project, import: one }),
    correlation_id: one?.requestId ?? null,
    failed_relations: failures.map(presentFailure),
    import_error: one?.problem ?? orNull(project.importError),
    ...(one === undefined
      ? {}
      : {
          progress: {
            stages: stages.map(presentStage),
            attachments: files ?? null,
            stage_seconds_left: hasEnded(one.status) ? null : (secondsLeft(stages) ?? null),
          },
        }),
    ...(one?.forge === 'github'
      ? {
          stats: {
            fetched: Object.fromEntries(stats.map(({ item, fetched }) => [item, fetched])),
            imported: Object.fromEntries(stats.map(({ item, imported }) => [item, imported])),
          },
        }
      : {}),
  };
};
