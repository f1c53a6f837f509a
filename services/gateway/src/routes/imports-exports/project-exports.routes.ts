import { ProjectExportServiceService } from '@switchyard/protos/imports_exports/v1/project_export';
import { defineRoute } from '../../http/route';

const section = 'Project exports';
const path = '/projects/:id/export' as const;

/** Exports of whole projects. */
export const projectExportRoutes = [
  defineRoute({
    method: 'post',
    path,
    section,
    summary: 'Export a project',
    docs: {
      description:
        'Begin an export, which replaces the file of the one before; one that is being made goes on. The file is there for a day.',
    },
    access: { project: 'export_project' },
    limit: 'project_export',
    returns: { 202: 'Accepted' },
    handle: ({ access, call }) => call(ProjectExportServiceService).createProjectExport({ projectId: access.id }),
  }),
  defineRoute({
    method: 'get',
    path,
    section,
    summary: 'Get the state of the exports of a project',
    access: { project: 'export_project' },
    returns: { 200: 'ProjectExport' },
    handle: ({ access, call }) => call(ProjectExportServiceService).getProjectExport({ projectId: access.id }),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/download`,
    section,
    summary: 'Download the export of a project',
    docs: { contentTypes: ['application/gzip'] },
    access: { project: 'export_project' },
    returns: { 200: undefined },
    handle: async ({ access }) => ({
      forward: { to: 'imports-exports', path: `/projects/${access.id}/export/download` },
    }),
  }),
];
