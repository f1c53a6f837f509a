import { invalid, notFound } from '@switchyard/errors';
import type { Transact, Viewer } from '../../directory';
import type { Owners } from '../../members';
import { isWider } from '../../rules';
import type { ProjectRow } from '../domain/project-row';
import { lockHomeFor, welcomeOwner } from './create-project';
import type { ProjectStore } from './ports';

const sameName = 'Project with same name or path in target namespace already exists';

/** Moves a project to another namespace; the path it had redirects (G-1-7). Its repository lies under its id and stays. */
export const transferProject =
  ({ transaction, projects, owners }: { transaction: Transact; projects: ProjectStore; owners: Owners }) =>
  async (actor: Viewer, id: number, namespace: string): Promise<ProjectRow> => {
    const namespaceId = await projects.findNamespace(namespace);
    await transaction(async (tx) => {
      const { home } = await lockHomeFor(tx, projects, namespaceId, actor);
      const project = await projects.lock(tx, id);
      if (project === undefined) throw notFound('Project');
      if (project.namespace_id === home.id) throw invalid('Project is already in this namespace.');
      const conflicts = await projects.taken(tx, home.id, project);
      if (conflicts.name || conflicts.path) throw invalid(sameName);
      if (home.kind === 'group' && isWider(project.visibility, home.visibility))
        throw invalid(`${project.visibility} is not allowed in a ${home.visibility} group.`);
      await projects.redirect(tx, id);
      await projects.move(tx, id, home.id);
      await welcomeOwner(tx, owners, home, id, actor.userId);
    });
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };
