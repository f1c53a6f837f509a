import type { PageInfo, PageRequest } from '@switchyard/database';
import { notFound } from '@switchyard/errors';
import type { Viewer } from '../../directory';
import type { ListProjects, ProjectRow } from '../../projects';
import type { SharedGroup } from '../../shares';
import type { GroupExtras, GroupFilter, GroupRow, Moving } from '../domain/group-row';
import type { GroupStore } from './group.ports';

/** Projects a single group shows at the most (api.md 2, Group). */
const maxShownProjects = 100;

/** A single group with what is shown next to it; projects are undefined where they were not requested. */
export interface GroupDetails {
  readonly group: GroupRow;
  readonly sharedWith: SharedGroup[];
  readonly projects: ProjectRow[] | undefined;
  readonly sharedProjects: ProjectRow[] | undefined;
}

/** Reads of groups. */
export const readGroups = ({ groups, listProjects }: { groups: GroupStore; listProjects: ListProjects }) => ({
  list: (viewer: Viewer, filter: GroupFilter, request: PageRequest): Promise<{ rows: GroupRow[]; page: PageInfo }> =>
    groups.list(viewer, filter, request),

  /** Groups to which the viewer may move a project or a group, by name. */
  transferLocations: (
    viewer: Viewer,
    moving: Moving,
    search: string | undefined,
    request: PageRequest,
  ): Promise<{ rows: GroupRow[]; page: PageInfo }> => groups.transferLocations(viewer, moving, search, request),

  /** Groups with which a group is shared itself, those the viewer sees. */
  sharedWith: (viewer: Viewer, id: number): Promise<SharedGroup[]> => groups.sharedWith(viewer, id),

  /**
   * A group, the groups it is shared with and, when requested, the projects in it and those shared with it that the
   * viewer sees.
   */
  async get(viewer: Viewer, id: number, withProjects: boolean, extras?: GroupExtras): Promise<GroupDetails> {
    const projectsOf = async (shared: 'without' | 'only'): Promise<ProjectRow[] | undefined> => {
      if (!withProjects) return undefined;
      const page = { mode: 'keyset', page: 1, perPage: maxShownProjects, orderBy: 'id', sort: 'asc' } as const;
      return (await listProjects(viewer, { group: { id, below: false, above: false, shared } }, page)).rows;
    };
    const [group, sharedWith, projects, sharedProjects] = await Promise.all([
      groups.find(id, extras),
      groups.sharedWith(viewer, id),
      projectsOf('without'),
      projectsOf('only'),
    ]);
    if (group === undefined) throw notFound('Group');
    return { group, sharedWith, projects, sharedProjects };
  },
});
