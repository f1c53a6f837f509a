import { ProjectExportServiceService } from '@switchyard/protos/imports_exports/v1/project_export';
import { documented, object, text, unsupported } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost } from '../field-facts';

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
        'Begin an export, which replaces the file of the one before; one that is being made goes on, or begins anew with another description. The file is there for a day. It is uploaded nowhere.',
    },
    access: { project: 'export_project' },
    limit: 'project_export',
    params: {
      description: documented(text({ max: 2_000 }), {
        ...atMost(2_000),
        description: 'Description of the project in the file, in place of its own; blank for its own.',
      }).default(''),
      upload: unsupported(object()),
    },
    returns: { 202: 'Accepted' },
    handle: ({ access, params: { description }, call }) =>
      call(ProjectExportServiceService).createProjectExport({ projectId: access.id, description }),
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
