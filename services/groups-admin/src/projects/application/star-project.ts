import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';
import type { StarStore } from './star.ports';

/**
 * Stars a project for the viewer or removes their star; undefined when nothing changed. Fails with `not_found` for a
 * project that is gone.
 */
export const starProject =
  ({ projects, stars }: { projects: ProjectStore; stars: StarStore }) =>
  async (viewer: Viewer, id: number, starred: boolean): Promise<ProjectRow | undefined> => {
    if (starred) {
      const outcome = await stars.add(id, viewer.userId);
      if (outcome === 'missing') throw notFound('Project');
      if (outcome === 'known') return undefined;
    } else if (!(await stars.remove(id, viewer.userId))) return undefined;
    const project = await projects.find(id, viewer);
    if (project === undefined) throw notFound('Project');
    return project;
  };
