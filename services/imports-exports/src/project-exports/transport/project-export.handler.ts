import { ProjectExportServiceService } from '@switchyard/protos/imports_exports/v1/project_export';
import { entity, implement, type ServiceImplementation, signedIn } from '@switchyard/rpc';
import type { Exports } from '../application/manage-exports';
import { presentProjectExport } from '../presenters/project-export.presenter';

/** Serves `ProjectExportService`. */
export const projectExportHandler = (exports: Exports, externalUrl: string): ServiceImplementation =>
  implement(ProjectExportServiceService, {
    async createProjectExport({ projectId, description }, context) {
      await exports.create(projectId, signedIn(context).actor.userId, description);
      return entity({ message: '202 Accepted' }, 202);
    },
    async getProjectExport({ projectId }, { requestId }) {
      const { project, state } = await exports.get(projectId, requestId);
      return entity(presentProjectExport(project, state, externalUrl));
    },
  });
