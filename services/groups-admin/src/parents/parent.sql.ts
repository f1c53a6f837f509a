import { raw, type Sql, sql } from '@switchyard/database/sql';
import { type Viewer, visibleGroups, visibleProjects } from '../directory';
import type { Parent } from './parent';

/** Ids of the groups above a parent, a group itself included. */
export const groupsOf = ({ kind, id }: Parent): Sql =>
  kind === 'group'
    ? sql`array(select unnest(g.ancestry) from namespaces g where g.id = ${id})`
    : sql`array(select unnest(g.ancestry) from projects held join namespaces g on g.id = held.namespace_id where held.id = ${id})`;

/** Ids of a group and of the groups below it that a viewer may see: who sees a group may not see everything in it. */
export const groupsBelow = (id: number, viewer: Viewer): Sql =>
  sql`array(select n.id from namespaces n where n.ancestry @> array[${id}::bigint] and ${visibleGroups(viewer)})`;

/** Ids of the projects in a group, or also in those below it, that a viewer may see. */
export const projectsIn = (id: number, below: boolean, viewer: Viewer): Sql =>
  sql`array(select p.id from projects p join namespaces n on n.id = p.namespace_id
    where ${below ? sql`n.ancestry @> array[${id}::bigint]` : sql`n.id = ${id}`} and ${visibleProjects(viewer)})`;

/** The column that names a parent. */
export const parentColumn = ({ kind }: Parent): Sql => raw(kind === 'group' ? 'namespace_id' : 'project_id');
