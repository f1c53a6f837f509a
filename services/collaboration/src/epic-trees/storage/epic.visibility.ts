import { type Sql, sql } from '@switchyard/database/sql';
import { memberNamespaces, type Viewer, visibleNamespaces } from '@switchyard/directory';
import { levels } from '@switchyard/rights';

/** Epics `e` with their groups `n`. */
export const epicFrom: Sql = sql`epics e join directory.namespaces n on n.id = e.group_id`;

/** Whether the viewer may change the epics of the group `n`. */
export const editableEpics = (viewer: Viewer): Sql =>
  viewer.admin ? sql`true` : memberNamespaces(viewer, levels.planner);

/** Epics that a viewer may see, wherever they lie: a condition on the aliases of `epicFrom`. */
export const visibleEpics = (viewer: Viewer): Sql =>
  sql`(${visibleNamespaces(viewer)} and (not e.confidential or ${editableEpics(viewer)}))`;
