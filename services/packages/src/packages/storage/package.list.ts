import {
  type ClauseTable,
  clausesOf,
  contains,
  type Database,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
} from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { inGroup, joinProject } from '@switchyard/directory';
import type { Package, PackageFilter } from '../domain/package';
import type { PackageSearcher } from '../domain/package-place';
import { type PackageRow, packageColumns, toPackage } from './package.rows';
import { maySee } from './package-sight';

const id: OrderColumn = { name: 'id', expression: sql`k.id`, type: 'bigint' };

const orders: Record<string, OrderColumn[]> = {
  created_at: [{ name: 'created_at', expression: sql`k.created_at`, type: 'timestamptz' }, id],
  name: [{ name: 'name', expression: sql`k.name`, type: 'text' }, id],
  version: [{ name: 'version', expression: sql`coalesce(k.version, '')`, type: 'text' }, id],
  type: [{ name: 'type', expression: sql`k.format`, type: 'text' }, id],
};

const groupOrders: Record<string, OrderColumn[]> = {
  ...orders,
  project_path: [{ name: 'project_path', expression: sql`n.full_path || '/' || p.path`, type: 'text' }, id],
};

/** A version that is asked for leaves out the packages without one (api.md 4.17). */
const clauses: ClauseTable<Omit<PackageFilter, 'includeVersionless'>> = {
  format: (format) => sql`k.format = ${format}`,
  name: (name) => sql`k.name ilike ${contains(name)}`,
  version: (version) => sql`k.version = ${version}`,
  statuses: (statuses) => sql`k.status = any(${[...statuses]}::text[])`,
};

const conditionsOf = ({ includeVersionless, ...filter }: PackageFilter): Sql[] => [
  ...clausesOf(clauses, filter, undefined),
  ...(includeVersionless || filter.version !== undefined ? [] : [sql`k.version is not null`]),
];

const from = sql`packages k ${joinProject(sql`k.project_id`)}`;

/** The lists of packages: one statement a page, and one that counts to 10,001. */
export const packageList = (db: Database) => ({
  async pageOfProject(
    projectId: number,
    filter: PackageFilter,
    request: PageRequest,
  ): Promise<{ rows: Package[]; page: PageInfo }> {
    const { rows, page } = await listPage<PackageRow>({
      db,
      name: 'list_project_packages',
      searches: filter.name !== undefined,
      select: packageColumns,
      from,
      countFrom: sql`packages k`,
      where: [sql`k.project_id = ${projectId}`, ...conditionsOf(filter)],
      orders,
      request,
      count: true,
    });
    return { rows: rows.map(toPackage), page };
  },

  async pageOfGroup(
    { id: groupId, excludeSubgroups }: { readonly id: number; readonly excludeSubgroups: boolean },
    searcher: PackageSearcher,
    filter: PackageFilter,
    request: PageRequest,
  ): Promise<{ rows: Package[]; page: PageInfo }> {
    const { rows, page } = await listPage<PackageRow>({
      db,
      name: 'list_group_packages',
      searches: true,
      select: packageColumns,
      from,
      where: [excludeSubgroups ? sql`n.id = ${groupId}` : inGroup(groupId), maySee(searcher), ...conditionsOf(filter)],
      orders: groupOrders,
      request,
      count: true,
    });
    return { rows: rows.map(toPackage), page };
  },
});
