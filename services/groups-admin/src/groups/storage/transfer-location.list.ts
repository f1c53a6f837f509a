import { type Database, listPage, type PageInfo, type PageRequest } from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { levels } from '@switchyard/rights';
import { matches, memberGroups, type Viewer, visibleGroups } from '../../directory';
import { maxDepth } from '../../rules';
import type { GroupRow, Moving } from '../domain/group-row';
import { groupColumns } from './group.columns';

const orders = {
  name: [
    { name: 'name', expression: sql`n.name`, type: 'text' as const },
    { name: 'id', expression: sql`n.id`, type: 'bigint' as const },
  ],
};

/** How wide a visibility is, as a number. */
const width = (visibility: Sql): Sql => sql`array_position(array['private', 'internal', 'public'], ${visibility})`;

/** Groups whose setting `level` lets the viewer in, by the levels that its values mean: a condition on `namespaces n`. */
function admits(viewer: Viewer, level: Sql, meanings: Readonly<Record<string, number>>): Sql {
  const values = Object.entries(meanings).map(
    ([value, least]) => sql`${level} = ${value} and ${memberGroups(viewer, least)}`,
  );
  return sql`(${join(values, ' or ')})`;
}

/** Groups that take a project which the viewer moves: the rule of `mayCreateProject`. */
function takesProject(viewer: Viewer, id: number): Sql {
  const level = sql`coalesce(n.settings ->> 'project_creation_level', 'developer')`;
  const { developer, maintainer, owner } = levels;
  const may = viewer.admin ? sql`${level} <> 'noone'` : admits(viewer, level, { developer, maintainer, owner });
  return sql`${may} and exists (select from projects moving where moving.id = ${id}
    and moving.namespace_id <> n.id and ${width(sql`moving.visibility`)} <= ${width(sql`n.visibility`)})`;
}

/** Groups that take a group which the viewer moves: the rules of `decideTransfer`. */
function takesGroup(viewer: Viewer, id: number): Sql {
  const level = sql`coalesce(n.settings ->> 'subgroup_creation_level', 'maintainer')`;
  const { maintainer, owner } = levels;
  const may = viewer.admin ? sql`true` : admits(viewer, level, { maintainer, owner });
  return sql`${may} and exists (select from namespaces moving where moving.id = ${id}
    and not n.ancestry @> array[moving.id] and moving.parent_id is distinct from n.id
    and ${width(sql`moving.visibility`)} <= ${width(sql`n.visibility`)}
    and cardinality(n.ancestry) + (select max(cardinality(below.ancestry)) from namespaces below
      where below.ancestry @> array[moving.id]) - cardinality(moving.ancestry) < ${maxDepth})`;
}

/** A page of groups to which a viewer may move something: one statement and one count. */
export const listTransferLocations = (
  db: Database,
  viewer: Viewer,
  { kind, id }: Moving,
  search: string | undefined,
  request: PageRequest,
): Promise<{ rows: GroupRow[]; page: PageInfo }> =>
  listPage<GroupRow>({
    db,
    name: 'list_transfer_locations',
    searches: search !== undefined,
    select: groupColumns,
    from: sql`namespaces n`,
    where: [
      sql`n.kind = 'group'`,
      visibleGroups(viewer),
      kind === 'project' ? takesProject(viewer, id) : takesGroup(viewer, id),
      ...(search === undefined ? [] : [matches(search, [sql`n.name`, sql`n.path`, sql`n.full_path`])]),
    ],
    orders,
    request,
    count: true,
  });
