import {
  ImportedProjectServiceService,
  type ImportedProject as WireProject,
} from '@switchyard/protos/groups_admin/v1/imported_project';
import { implement, type ServiceImplementation, viewerOf } from '@switchyard/rpc';
import { given } from '../../wire';
import type { ImportedProject, ImportProjects } from '../application/import-project';
import type { ImportStatus } from '../domain/project-row';

const toWire = ({ project, directorySequence }: ImportedProject): WireProject => ({
  directorySequence,
  projectId: project.id,
  name: project.name,
  path: project.path,
  fullPath: `${project.namespace_full_path}/${project.path}`,
  fullName: `${project.namespace_full_name} / ${project.name}`,
  description: project.description ?? '',
  createdAt: project.created_at,
  importStatus: project.import_status,
  importError: project.import_error ?? '',
  importType: project.import_type ?? '',
  importSource: project.import_source ?? '',
  forked: project.forked_from_project_id !== null,
});

/** ImportedProjectService. */
export const importedProjectHandler = (imports: ImportProjects): ServiceImplementation =>
  implement(
    ImportedProjectServiceService,
    {
      createImportedProject: async (
        { namespace, private: isPrivate, defaultBranch, importType: type, importSource: source, address, ...request },
        context,
      ) =>
        toWire(
          await imports.create(
            viewerOf(context),
            namespace,
            {
              ...request,
              path: request.path || request.name,
              isPrivate,
              defaultBranch: given(defaultBranch),
              type,
              source,
            },
            address,
          ),
        ),

      getImportedProject: async ({ projectId }) => toWire(await imports.get(projectId)),

      async setImportStatus({ projectId, status, error }) {
        await imports.setStatus(projectId, status as ImportStatus, given(error));
        return {};
      },
    },
    {
      createImportedProject: { callers: ['imports-exports'], onBehalfOf: true },
      getImportedProject: { callers: ['imports-exports'] },
      setImportStatus: { callers: ['imports-exports'] },
    },
  );
