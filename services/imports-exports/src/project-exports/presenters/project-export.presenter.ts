import { type ExportedProject, type ExportState, shownStatus } from '../domain/project-export';

/** How the exports of a project stand, with the addresses of a file that is there. */
export function presentProjectExport(project: ExportedProject, state: ExportState, externalUrl: string) {
  const { id, name, path, fullPath, fullName, description, createdAt } = project;
  return {
    id,
    description,
    name,
    name_with_namespace: fullName,
    path,
    path_with_namespace: fullPath,
    created_at: createdAt,
    export_status: shownStatus(state),
    export_error: state.newest?.problem ?? null,
    ...(state.finished === undefined
      ? {}
      : {
          _links: {
            api_url: `${externalUrl}/api/v4/projects/${id}/export/download`,
            web_url: `${externalUrl}/${fullPath}/download_export`,
          },
        }),
  };
}
