import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { ProjectExtras, ProjectFilter, ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Reads of projects. */
export const readProjects = ({ projects }: { projects: ProjectStore }) => ({
  /** A page of projects; `user` restricts it to the namespace of a user, by id or username. */
  async list(
    viewer: Viewer,
    filter: ProjectFilter,
    request: PageRequest,
    user?: string,
    extras?: ProjectExtras,
  ): Promise<{ rows: ProjectRow[]; page: PageInfo }> {
    if (user === undefined) return projects.list(viewer, filter, request, extras);
    const ownerId = await projects.findUser(user);
    if (ownerId === undefined) throw notFound('User');
    return projects.list(viewer, { ...filter, ownerId }, request, extras);
  },

  async get(viewer: Viewer, id: number, extras?: ProjectExtras): Promise<ProjectRow> {
    const project = await projects.find(id, viewer, extras);
    if (project === undefined) throw notFound('Project');
    return project;
  },
});
