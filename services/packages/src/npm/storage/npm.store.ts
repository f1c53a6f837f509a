import type { Database, Tx } from '@switchyard/database';
import { contains } from '@switchyard/database';
import { named, type Sql, sql } from '@switchyard/database/sql';
import {
  everybodysPackages,
  inGroup,
  joinProject,
  openToAllAddresses,
  packageRule,
  visibleProjects,
} from '@switchyard/directory';
import {
  longestMetadata,
  type NewTag,
  type ServedPackage,
  type ServedTag,
  type ServedVersion,
} from '../domain/packument';
import type { NpmFound, NpmSearch, Place, PlaceViewer } from '../domain/place';

/** Versions of one package that are served, the newest. */
const versionLimit = 10_000;

const shown = sql`k.format = 'npm' and k.status in ('default', 'deprecated') and k.version is not null`;

const from = sql`packages k ${joinProject(sql`k.project_id`)}`;

const visibleTo = ({ onlyProject, ...viewer }: PlaceViewer): Sql =>
  onlyProject === undefined
    ? visibleProjects(viewer, packageRule)
    : sql`${visibleProjects(viewer, packageRule)} and (p.id = ${onlyProject} or ${everybodysPackages})`;

function within(place: Place): Sql {
  if (place.kind === 'project') return sql`k.project_id = ${place.id}`;
  const visible = visibleTo(place.viewer);
  if (place.kind === 'group') return sql`${inGroup(place.id)} and ${visible}`;
  // Another one's package may not come in place of that which a name has always meant: a scope has its own group alone.
  return sql`starts_with(k.name, '@' || lower(split_part(n.full_path, '/', 1)) || '/') and ${visible}
    and ${openToAllAddresses}`;
}

/** Packages of a name in a place, as a condition on `k`. */
function ofName(place: Place, name: string): Sql {
  const condition = sql`${shown} and k.name = ${name} and ${within(place)}`;
  if (place.kind !== 'instance') return condition;
  return sql`${shown} and k.name = ${name} and k.project_id = (
    select k.project_id from ${from} where ${condition} order by k.id desc limit 1)`;
}

/** Name, time in seconds, id. */
type TagRow = readonly [string, number, number];

interface VersionRow {
  id: number;
  project_id: number;
  version: string;
  created_at: Date;
  updated_at: Date;
  manifest: string;
  dist: string;
  tags: readonly TagRow[] | null;
}

const toVersion = (row: VersionRow): ServedVersion => ({
  id: row.id,
  projectId: row.project_id,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  manifest: row.manifest,
  dist: row.dist,
});

/** Of the tags of one name, which projects of a group may each have, the one that was set last. */
function newestTags(rows: readonly Pick<VersionRow, 'version' | 'tags'>[]): ServedTag[] {
  const tags = rows.flatMap(({ version, tags }) => (tags ?? []).map(([name, at, id]) => ({ name, version, at, id })));
  tags.sort((a, b) => a.at - b.at || a.id - b.id);
  return [...new Map(tags.map(({ name, version }) => [name, { name, version }])).values()];
}

/** Opens the store. */
export const npmStore = (db: Database) => ({
  async find(place: Place, name: string, form: 'full' | 'short'): Promise<ServedPackage> {
    const part = form === 'full' ? 'manifest' : 'short';
    const condition = ofName(place, name);
    const query = sql`
      select v.*, (select json_agg(json_build_array(t.name, extract(epoch from t.updated_at), t.id))
          from package_tags t where t.package_id = v.id) as tags
      from (
        select k.*, sum(octet_length(k.manifest)) over (order by k.id desc rows unbounded preceding) as length from (
          select k.id, k.project_id, k.version, k.created_at, k.updated_at, (k.metadata->${part}::text)::text as manifest,
            (k.metadata->'dist')::text as dist
          from ${from} where ${condition} order by k.id desc limit ${versionLimit}) k) v
      where v.length <= ${longestMetadata} order by v.id desc`;
    const rows = await db.query<VersionRow>(place.kind === 'project' ? named('npm_versions_of_project', query) : query);
    const newest = new Map<string, ServedVersion>();
    for (const row of rows) if (!newest.has(row.version)) newest.set(row.version, toVersion(row));
    const versions = [...newest.values()].reverse();
    return { name, versions, tags: newestTags(rows.filter(({ id, version }) => newest.get(version)?.id === id)) };
  },

  async search(place: Place, { text, from: offset, size }: NpmSearch): Promise<{ found: NpmFound[]; total: number }> {
    const rows = await db.query<{
      name: string;
      version: string;
      created_at: Date;
      manifest: Record<string, unknown> | null;
      total: number;
    }>(sql`
      with newest as (
        select distinct on (k.name) k.id, k.name from ${from}
        left join package_tags t on t.package_id = k.id and t.name = 'latest'
        where ${shown} and ${within(place)} and k.name ilike ${contains(text)}
        order by k.name, (t.id is not null) desc, k.id desc),
      page as (select id, count(*) over () as total from newest order by name limit ${size} offset ${offset})
      select k.name, k.version, k.created_at, page.total, (
          select jsonb_object_agg(m.key, m.value) from jsonb_each(k.metadata->'manifest') m
          where m.key in ('description', 'keywords', 'maintainers')) as manifest
      from page join packages k on k.id = page.id order by k.name`);
    const found = rows.map((row) => ({
      name: row.name,
      version: row.version,
      publishedAt: row.created_at,
      manifest: row.manifest ?? {},
    }));
    return { found, total: rows[0]?.total ?? 0 };
  },

  async metadataLength(tx: Tx, projectId: number, name: string): Promise<number> {
    const ofName = sql`k.project_id = ${projectId} and k.name = ${name} and ${shown}`;
    await tx.query(sql`
      update packages k set metadata_length = octet_length(k.metadata::text)
      where ${ofName} and k.metadata_length is null`);
    const row = await tx.one<{ length: number }>(sql`
      select coalesce(sum(k.metadata_length), 0)::float8 as length from packages k where ${ofName}`);
    return row?.length ?? 0;
  },

  async setTags(tx: Tx, projectId: number, packageName: string, tags: readonly NewTag[]): Promise<number> {
    const ids = tags.map(({ packageId }) => packageId);
    const set = await tx.query<{ added: boolean }>(sql`
      insert into package_tags (project_id, format, package_name, name, package_id)
      select ${projectId}, 'npm', ${packageName}, u.name, u.id
      from unnest(${tags.map(({ name }) => name)}::text[], ${ids}::bigint[]) as u (name, id) order by u.name
      on conflict (project_id, format, package_name, name)
      do update set package_id = excluded.package_id, updated_at = now()
      returning xmax = 0 as added`);
    // A version that gets a name counts as changed.
    await tx.query(sql`update packages set updated_at = now() where id = any(${ids}::bigint[])`);
    if (!set.some(({ added }) => added)) return 0;
    const row = await tx.one<{ count: number }>(sql`
      select count(*)::float8 as count from package_tags
      where project_id = ${projectId} and format = 'npm' and package_name = ${packageName}`);
    return row?.count ?? 0;
  },

  async deleteTags(tx: Tx, projectId: number, packageName: string, names: readonly string[]): Promise<void> {
    await tx.query(sql`
      delete from package_tags where project_id = ${projectId} and format = 'npm' and package_name = ${packageName}
        and name = any(${[...names]}::text[])`);
  },

  async deprecate(tx: Tx, projectId: number, packageName: string, texts: ReadonlyMap<string, string>): Promise<number> {
    const changed = await tx.query(sql`
      update packages as k set updated_at = now(),
        status = case when w.text = '' then 'default' else 'deprecated' end, metadata_length = null,
        metadata = k.metadata || jsonb_build_object(
          'manifest', (k.metadata->'manifest') - 'deprecated' || w.patch,
          'short', (k.metadata->'short') - 'deprecated' || w.patch)
      from (select u.version, u.text,
          case when u.text = '' then '{}' else jsonb_build_object('deprecated', u.text) end as patch
        from unnest(${[...texts.keys()]}::text[], ${[...texts.values()]}::text[]) as u (version, text)) w
      where k.project_id = ${projectId} and k.name = ${packageName} and k.version = w.version and ${shown}
        and (coalesce(k.metadata->'manifest'->>'deprecated', '') <> w.text
          or k.status <> case when w.text = '' then 'default' else 'deprecated' end)
      returning k.id`);
    return changed.length;
  },
});
