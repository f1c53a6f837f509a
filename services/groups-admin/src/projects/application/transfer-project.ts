import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import { decideTransfer } from '../domain/project-change';
import type { ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Moves a project, by id or full path, to a namespace, by id or full path. Fails as `transferProject` does. */
export const transferNamedProject =
  ({ projects }: { projects: ProjectStore }) =>
  async (actor: Viewer, project: string, namespace: string): Promise<ProjectRow> => {
    const id = await projects.findId(project);
    if (id === 0) throw notFound('Project');
    return transferProject({ projects })(actor, id, namespace);
  };

/**
 * Moves a project to another namespace; the path it had redirects (G-1-7). Its repository lies under its id and stays.
 * Fails with `not_found`, `forbidden`, `invalid`.
 */
export const transferProject =
  ({ projects }: { projects: ProjectStore }) =>
  async (actor: Viewer, id: number, namespace: string): Promise<ProjectRow> => {
    const target = { kind: 'target', id: await projects.findNamespace(namespace) } as const;
    const found = await projects.change({ id, actorId: actor.userId, namespace: target }, (project, facts) =>
      decideTransfer(project, actor, facts),
    );
    const project = found ? await projects.find(id, actor) : undefined;
    if (project === undefined) throw notFound('Project');
    return project;
  };
