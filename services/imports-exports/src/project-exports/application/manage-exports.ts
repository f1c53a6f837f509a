import { AppError, notFound } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { type ArchiveFile, archiveNameOf, type ExportedProject, type ExportState } from '../domain/project-export';
import type { FindProject, ProjectExportStore } from './exports.ports';

faultPoints.push('project_export.created');

/** What is said where no file is there. */
export const noFile = (): AppError => new AppError('not_found', '404 Not found or has expired');

/** What the use cases work with. */
export interface ExportEdges {
  readonly exports: Pick<ProjectExportStore, 'add' | 'state'>;
  readonly findProject: FindProject;
  /** Has the new export made soon. */
  readonly workSoon: () => void;
}

/** The use cases of exports of projects; the gateway has checked that the caller may export it. */
export function manageExports({ exports, findProject, workSoon }: ExportEdges) {
  async function project(projectId: number, requestId: string): Promise<ExportedProject> {
    const found = await findProject(projectId, requestId);
    if (found === undefined) throw notFound('Project');
    return found;
  }
  return {
    /**
     * Begins an export of a project; one that is being made is left to itself, or begins anew with another description.
     * @param description of the project in the archive; blank for its own
     */
    async create(projectId: number, authorId: number, description: string): Promise<void> {
      await exports.add(projectId, authorId, description.trim() === '' ? undefined : description);
      faultPoint('project_export.created');
      workSoon();
    },

    /** How the exports of a project stand. Fails with `not_found`. */
    get: async (
      projectId: number,
      requestId: string,
    ): Promise<{ readonly project: ExportedProject; readonly state: ExportState }> => ({
      project: await project(projectId, requestId),
      state: await exports.state(projectId),
    }),

    /** The newest file of a project with its name. Fails with `not_found`. */
    async file(projectId: number, requestId: string): Promise<{ readonly name: string; readonly file: ArchiveFile }> {
      const { finished } = await exports.state(projectId);
      if (finished?.file === undefined) throw noFile();
      return { name: archiveNameOf((await project(projectId, requestId)).fullPath, finished), file: finished.file };
    },
  };
}

/** What `manageExports` gives. */
export type Exports = ReturnType<typeof manageExports>;
