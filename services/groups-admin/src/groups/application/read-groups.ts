import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { ListProjects, ProjectRow } from '../../projects';
import type { GroupFilter, GroupRow } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/** Projects a single group shows at the most (api.md 2, Group). */
const shownProjects = 100;

/** Reads of groups. */
export const readGroups = ({ groups, listProjects }: { groups: GroupStore; listProjects: ListProjects }) => ({
  list: (viewer: Viewer, filter: GroupFilter, request: PageRequest): Promise<{ rows: GroupRow[]; page: PageInfo }> =>
    groups.list(viewer, filter, request),

  /** A group and, when requested, the projects in it that the viewer sees. */
  async get(
    viewer: Viewer,
    id: number,
    withProjects: boolean,
  ): Promise<{ group: GroupRow; projects: ProjectRow[] | undefined }> {
    const [group, projects] = await Promise.all([
      groups.find(id),
      withProjects
        ? listProjects(
            viewer,
            { group: { id, below: false, above: false } },
            { mode: 'keyset', page: 1, perPage: shownProjects, orderBy: 'id', sort: 'asc' },
          )
        : undefined,
    ]);
    if (group === undefined) throw notFound('Group');
    return { group, projects: projects?.rows };
  },
});
