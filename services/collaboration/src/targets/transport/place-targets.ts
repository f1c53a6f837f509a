import { fullPath, type ProjectRow, projectReference } from '@switchyard/directory';
import type { ShownTarget, ShownTargets } from '../application/targets';
import type { PlaceType } from '../domain/target';
import { type GroupRow, groupReference } from '../presenters/group-reference';

/** Projects and groups by id, as the directory has them: one statement each. */
interface Places {
  projects(ids: readonly number[]): Promise<Map<number, ProjectRow>>;
  groups(ids: readonly number[]): Promise<Map<number, GroupRow>>;
}

/** The list on the pages of members that access requests are in. */
const accessRequestsTab = '?tab=access_requests';

const shown = (reference: { readonly id: number }, page: string, title: string, projectId: number): ShownTarget => ({
  id: reference.id,
  iid: 0,
  projectId,
  json: Buffer.from(JSON.stringify(reference)),
  webUrl: `${page}${accessRequestsTab}`,
  title,
});

/**
 * Shows projects and groups from the directory; the address is that of the page of their access requests. Whether the
 * reader may see them is a condition of the statement that found the to-dos.
 */
export const placeTargets = (places: Places, externalUrl: string): Readonly<Record<PlaceType, ShownTargets>> => ({
  Project: {
    async byIds(ids) {
      const projects = await places.projects(ids);
      return new Map(
        [...projects].map(([id, project]) => {
          const reference = projectReference(project, externalUrl);
          return [id, shown(reference, `${reference.web_url}/-/project_members`, fullPath(project), id)];
        }),
      );
    },
  },
  Namespace: {
    async byIds(ids) {
      const groups = await places.groups(ids);
      return new Map(
        [...groups].map(([id, group]) => {
          const reference = groupReference(group, externalUrl);
          return [id, shown(reference, `${reference.web_url}/-/group_members`, group.full_path, 0)];
        }),
      );
    },
  },
});
