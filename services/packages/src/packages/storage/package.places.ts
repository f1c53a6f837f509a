import type { Database, Tx } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import { inGroup, joinProject, openToAllAddresses } from '@switchyard/directory';
import type { PackageFile, PackageFormat, PackageKey } from '../domain/package';
import type { PackagePlace, PlacedFile, SpelledVersion } from '../domain/package-place';
import { fileColumns, isServed, type PackageFileRow, toPackageFile } from './package.rows';
import { maySee } from './package-sight';

/** As the index has it (PEP 503). */
const normalized = sql`lower(regexp_replace(k.name, '[-_.]+', '-', 'g'))`;

const files = sql`packages k join package_files f on f.package_id = k.id join contents c on c.id = f.content_id`;

const mostFiles = 20_000;
const mostNames = 50_000;

/** What joins packages `k` with their projects, where that is needed, and the condition of the place. */
function within(place: PackagePlace): { join: Sql; where: Sql } {
  if ('projectId' in place) return { join: sql``, where: sql`k.project_id = ${place.projectId}` };
  const join = joinProject(sql`k.project_id`);
  const seen = maySee(place.searcher);
  if ('groupId' in place) return { join, where: sql`${inGroup(place.groupId)} and ${seen}` };
  // Another one's file may not come in place of that which a path has always meant.
  return {
    join,
    where: sql`lower(n.full_path || '/' || p.path) = lower(k.name) and ${seen} and ${openToAllAddresses}`,
  };
}

/** Opens what package managers find. */
export const packagePlaces = (db: Database) => ({
  async findFileIn(
    place: PackagePlace,
    { format, name, version }: Omit<PackageKey, 'projectId'>,
    fileName: string,
  ): Promise<PackageFile | undefined> {
    const { join, where } = within(place);
    const row = await db.one<PackageFileRow>(sql`
      select ${fileColumns} from ${files} ${join}
      where k.format = ${format} and k.name = ${name} and coalesce(k.version, '') = ${version ?? ''}
        and f.file_name = ${fileName} and ${isServed} and ${where}
      order by f.id desc limit 1`);
    return row && toPackageFile(row);
  },

  async findContentIn(
    place: PackagePlace,
    format: PackageFormat,
    { sha256, fileName }: { readonly sha256: string; readonly fileName: string },
  ): Promise<PackageFile | undefined> {
    const { join, where } = within(place);
    const row = await db.one<PackageFileRow>(sql`
      select ${fileColumns} from ${files} ${join}
      where c.sha256 = decode(${sha256}, 'hex') and f.file_name = ${fileName} and k.format = ${format}
        and ${isServed} and ${where}
      order by f.id desc limit 1`);
    return row && toPackageFile(row);
  },

  async pypiFilesIn(place: PackagePlace, name: string): Promise<PlacedFile[]> {
    const { join, where } = within(place);
    const rows = await db.query<
      PackageFileRow & { name: string; version: string | null; package_metadata: Record<string, unknown> }
    >(sql`
      select ${fileColumns}, k.name, k.version, k.metadata as package_metadata from ${files} ${join}
      where k.format = 'pypi' and ${normalized} = ${name} and ${isServed} and ${where}
      order by f.id limit ${mostFiles}`);
    return rows.map((row) => ({
      ...toPackageFile(row),
      name: row.name,
      version: row.version ?? undefined,
      packageMetadata: row.package_metadata,
    }));
  },

  async pypiNamesIn(place: PackagePlace): Promise<string[]> {
    const { join, where } = within(place);
    const rows = await db.query<{ name: string }>(sql`
      select distinct ${normalized} as name from packages k ${join}
      where k.format = 'pypi' and ${isServed} and ${where}
      order by 1 limit ${mostNames}`);
    return rows.map(({ name }) => name);
  },

  async pypiVersions(projectId: number, name: string, tx?: Tx): Promise<SpelledVersion[]> {
    await tx?.query(sql`select pg_advisory_xact_lock(hashtextextended(${`pypi ${name}`}, ${projectId}::bigint))`);
    return (tx ?? db).query<SpelledVersion>(sql`
      select k.name, coalesce(k.version, '') as version from packages k
      where k.project_id = ${projectId} and k.format = 'pypi' and ${normalized} = ${name}
        and k.status <> 'pending_destruction'
      order by k.id limit ${mostFiles}`);
  },
});
