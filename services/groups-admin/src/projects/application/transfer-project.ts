import type { Database } from '@switchyard/database';
import { invalid, notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import { membershipChanges, projectChanges, recordDirectoryChange } from '../../directory';
import type { MemberStore } from '../../members';
import { isWider } from '../../rules';
import type { ProjectRow, ProjectStore } from '../storage/project.store';
import { lockHomeFor, welcomeOwner } from './create-project';

const sameName = 'Project with same name or path in target namespace already exists';

/** Moves a project to another namespace; the path it had redirects (G-1-7). Its repository lies under its id and stays. */
export const transferProject =
  ({ db, projects, members }: { db: Database; projects: ProjectStore; members: MemberStore }) =>
  async (actor: Viewer, id: number, namespace: string): Promise<ProjectRow> => {
    const namespaceId = await projects.findNamespace(namespace);
    await db.transaction(async (tx) => {
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
      const owner = await welcomeOwner(tx, members, home, id, actor.userId);
      await recordDirectoryChange(tx, [...(await projectChanges(tx, [id])), ...(await membershipChanges(tx, owner))]);
    });
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };
