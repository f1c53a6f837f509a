import { notFound } from '@switchyard/errors';
import { addressRanges, isWithin } from '@switchyard/rpc';
import type { KeepAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import { rangesFor } from '../../rules';
import type { CurrentSettings } from '../../settings';
import { decideImport, decideImportedSettings, type Import, type ImportedSettings } from '../domain/import';
import type { ImportStatus, ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Imports in the database. */
export interface ImportStore {
  /** Project of an import; undefined before it is made, and when it is gone. */
  findByKey(key: string): Promise<number | undefined>;
  /** What closes a namespace to addresses: its top-level group; undefined where there is none. */
  closing(
    namespaceId: number,
  ): Promise<{ readonly ip_ranges: string | null; readonly tier: string | null } | undefined>;
  /** Directory sequence that has been reached. */
  directorySequence(): Promise<number>;
  /** Records how an import stands: one that has ended stays so until it is scheduled again. */
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
  readonly keepAvatar: KeepAvatar;
}

/** Anybody's view of an import: it is asked for by the service that has checked who may see it. */
const everything: Viewer = { userId: 0, admin: true, external: false };

/** Projects of imports (G-4.19). */
export function importProjects({ projects, imports, tier, settings: current, keepAvatar }: ImportEdges) {
  async function get(id: number): Promise<ImportedProject> {
    const project = await projects.find(id, everything);
    if (project === undefined) throw notFound('Project');
    return { project, directorySequence: await imports.directorySequence() };
  }

  /** Refuses a namespace that is closed to an address, as one that is not there (G-4.15-6). */
  async function refuseOutside(namespaceId: number, actor: Viewer, address: string): Promise<void> {
    const top = await imports.closing(namespaceId);
    const ranges = top && rangesFor(top, actor, tier);
    if (ranges !== undefined && !isWithin(address, addressRanges(ranges))) throw notFound('Namespace');
  }

  async function setSettings(id: number, settings: ImportedSettings): Promise<void> {
    const before = await projects.find(id, everything);
    if (before === undefined) throw notFound('Project');
    const namespace = { kind: 'own', id: before.namespace_id } as const;
    const found = await keepAvatar(settings.avatar, (avatar) =>
      projects.change({ id, actorId: 0, namespace, avatar }, (project, facts) =>
        decideImportedSettings(project, settings, facts, tier),
      ),
    );
    if (!found) throw notFound('Project');
  }

  return {
    /** @throws AppError not_found */
    get,

    /**
     * Makes the project of an import, once. Fails with `not_found`, `forbidden`, `invalid`.
     * @param namespace by id or full path; empty for the actor's own
     * @param address from which it is asked for; undefined where it was compared
     */
    async create(
      actor: Viewer,
      namespace: string,
      given: Import,
      address: string | undefined,
    ): Promise<ImportedProject> {
      const { default_branch_name: defaultBranch } = await current();
      const namespaceId = await (namespace === ''
        ? projects.ownNamespace(actor.userId)
        : projects.findNamespace(namespace));
      if (address !== undefined) await refuseOutside(namespaceId, actor, address);
      const request = { namespaceId, userId: actor.userId, actorId: actor.userId, name: given.name, path: given.path };
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

    /**
     * Gives a project the settings of an archive, one after the other, which nobody is notified of; a repeated call sets
     * them again.
     * @returns how many there are
     * @throws AppError not_found; invalid with all problems
     */
    async setAll({ projectId }: { readonly projectId: number }, given: readonly ImportedSettings[]): Promise<number> {
      for (const settings of given) await setSettings(projectId, settings);
      return given.length;
    },

    /** Level of a user in a project; 0 where there is none. */
    levelOf: async (id: number, userId: number): Promise<number> =>
      (await projects.find(id, { userId, admin: false, external: false }))?.level ?? 0,
  };
}

/** What `importProjects` gives. */
export type ImportProjects = ReturnType<typeof importProjects>;
