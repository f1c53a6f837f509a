import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { CurrentSettings } from '../../settings';
import { decideImport, type Import } from '../domain/import';
import type { ImportStatus, ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Imports in the database. */
export interface ImportStore {
  /** Project of an import; undefined before it is made, and when it is gone. */
  findByKey(key: string): Promise<number | undefined>;
  /** Directory sequence that has been reached. */
  directorySequence(): Promise<number>;
  /** Records how an import stands: one that has ended starts only when it was scheduled again. */
  setStatus(id: number, status: ImportStatus, error: string | undefined): Promise<void>;
}

/** A project with the directory sequence at which it is known. */
export interface ImportedProject {
  readonly project: ProjectRow;
  readonly directorySequence: number;
}

/** What imports need. */
export interface ImportEdges {
  readonly projects: ProjectStore;
  readonly imports: ImportStore;
  /** Tier of the instance. */
  readonly tier: string;
  readonly settings: CurrentSettings;
}

/** Anybody's view of an import: it is asked for by the service that has checked who may see it. */
const everything: Viewer = { userId: 0, admin: true, external: false };

/** Projects of imports (G-4.19). */
export function importProjects({ projects, imports, tier, settings: current }: ImportEdges) {
  async function get(id: number): Promise<ImportedProject> {
    const project = await projects.find(id, everything);
    if (project === undefined) throw notFound('Project');
    return { project, directorySequence: await imports.directorySequence() };
  }

  return {
    /** @throws AppError not_found */
    get,

    /** Makes the project of an import, once. Fails with `not_found`, `forbidden`, `invalid`. */
    async create(actor: Viewer, namespace: string, given: Import): Promise<ImportedProject> {
      const { default_branch_name: defaultBranch } = await current();
      const namespaceId = await projects.findNamespace(namespace);
      const request = { namespaceId, userId: actor.userId, actorId: actor.userId, name: given.name, path: given.name };
      const made =
        (await imports.findByKey(given.key)) ??
        (await projects
          .create(request, (facts) => decideImport({ actor, tier, defaultBranch }, given, facts))
          .catch(async (error: unknown) => {
            // Made by another request at the same time.
            const found = await imports.findByKey(given.key);
            if (found === undefined) throw error;
            return found;
          }));
      return get(made);
    },

    setStatus: imports.setStatus,
  };
}

/** What `importProjects` gives. */
export type ImportProjects = ReturnType<typeof importProjects>;
