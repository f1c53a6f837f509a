import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { ProjectExtras, ProjectFilter, ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** A list of projects of one user, by id or username: those in their namespace, or those that they starred. */
export interface OfUser {
  readonly user: string;
  readonly are: 'owned' | 'starred';
}

/** Reads of projects. */
export const readProjects = ({ projects }: { projects: ProjectStore }) => ({
  /** A page of projects; `of` restricts it to those of one user. Fails with `not_found` for a user who is gone. */
  async list(
    viewer: Viewer,
    filter: ProjectFilter,
    request: PageRequest,
    of?: OfUser,
    extras?: ProjectExtras,
  ): Promise<{ rows: ProjectRow[]; page: PageInfo }> {
    if (of === undefined) return projects.list(viewer, filter, request, extras);
    const userId = await projects.findUser(of.user);
    if (userId === undefined) throw notFound('User');
    const narrowed = of.are === 'owned' ? { ...filter, ownerId: userId } : { ...filter, starredBy: userId };
    return projects.list(viewer, narrowed, request, extras);
  },

  async get(viewer: Viewer, id: number, extras?: ProjectExtras): Promise<ProjectRow> {
    const project = await projects.find(id, viewer, extras);
    if (project === undefined) throw notFound('Project');
    return project;
  },
});
