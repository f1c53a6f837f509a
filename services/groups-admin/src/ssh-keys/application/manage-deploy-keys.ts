import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import { type KeyToAdd, requireTitle } from '../domain/ssh-key';
import type { DeployKeyRow, SharedDeployKey } from '../domain/ssh-key-row';
import type { DeployKeyStore } from './deploy-key.ports';
import { requireKey } from './require-key';

/** Deploy keys of projects and of the instance (G-4.10-3, G-4.10-4). */
export function manageDeployKeys({ keys }: { keys: DeployKeyStore }) {
  async function get(projectId: number, keyId: number): Promise<DeployKeyRow> {
    const key = await keys.find(projectId, keyId);
    if (key === undefined) throw notFound('Deploy Key');
    return key;
  }

  return {
    /** @throws AppError not_found */
    get,

    /** A page of the deploy keys of a project, by id. */
    listOfProject: (projectId: number, request: PageRequest): Promise<{ rows: DeployKeyRow[]; page: PageInfo }> =>
      keys.listOfProject(projectId, request),

    /** A page of the deploy keys of the instance, by id: two statements, and one for the count. */
    async listAll(publicOnly: boolean, request: PageRequest): Promise<{ rows: SharedDeployKey[]; page: PageInfo }> {
      const { rows, page } = await keys.listAll(publicOnly, request);
      const enabled = await keys.projectsOf(rows.map(({ id }) => id));
      return {
        rows: rows.map((key) => ({ key, projects: enabled.filter((project) => project.deploy_key_id === key.id) })),
        page,
      };
    },

    /** @throws AppError invalid with all problems; not_found when the project was purged */
    async create(actor: Viewer, projectId: number, given: KeyToAdd, canPush: boolean): Promise<DeployKeyRow> {
      const id = await keys.create(actor, requireKey(given, new Date()), { projectId, canPush });
      if (id === undefined) throw notFound('Project');
      return get(projectId, id);
    },

    /** A deploy key that every project may enable. @throws AppError invalid with all problems */
    async createPublic(actor: Viewer, given: KeyToAdd): Promise<DeployKeyRow> {
      const id = await keys.create(actor, requireKey(given, new Date()), undefined);
      const key = id === undefined ? undefined : await keys.findPublic(id);
      if (key === undefined) throw notFound('Deploy Key');
      return key;
    },

    /** @throws AppError not_found, invalid */
    async update(
      projectId: number,
      keyId: number,
      { title, canPush }: { readonly title: string | undefined; readonly canPush: boolean | undefined },
    ): Promise<DeployKeyRow> {
      const change = { title: title === undefined ? undefined : requireTitle(title), canPush };
      if (!(await keys.update(projectId, keyId, change))) throw notFound('Deploy Key');
      return get(projectId, keyId);
    },

    /** @throws AppError not_found for a key that the actor may not enable */
    async enable(actor: Viewer, projectId: number, keyId: number): Promise<DeployKeyRow> {
      if (!(await keys.enable(actor, projectId, keyId))) throw notFound('Deploy Key');
      return get(projectId, keyId);
    },

    /** @throws AppError not_found, precondition_failed */
    async remove(projectId: number, keyId: number, unmodifiedSince?: Date): Promise<void> {
      if (!(await keys.remove(projectId, keyId, unmodifiedSince))) throw notFound('Deploy Key');
    },
  };
}

/** Use cases of deploy keys. */
export type ManageDeployKeys = ReturnType<typeof manageDeployKeys>;
