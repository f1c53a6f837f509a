import { type Sql, sql } from '@switchyard/database/sql';
import type { Keyring } from '@switchyard/secrets';
import { logger } from '@switchyard/telemetry';
import {
  type Effective,
  effectiveOf,
  type Found,
  type IntegrationPlace,
  type IntegrationRow,
  type Secrets,
  type Switches,
} from '../domain/integration';

/** A row of `integrations`. */
export interface StoredIntegration {
  readonly id: number;
  readonly namespace_id: number | null;
  readonly project_id: number | null;
  readonly slug: string;
  readonly inherits: boolean;
  readonly active: boolean;
  readonly settings: IntegrationRow['values'];
  readonly switches: Switches;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of `integrations` with its encrypted secrets. */
export interface SealedIntegration extends StoredIntegration {
  readonly secrets: Buffer | null;
}

/** What a place has: a row of its own, or the nearest one with settings above it. */
interface InPlace {
  readonly place_kind: IntegrationPlace['kind'];
  readonly place_id: number;
  readonly own: boolean;
}

/** Columns of `StoredIntegration`, on the alias `i`. */
export const integrationColumns = sql`i.id, i.namespace_id, i.project_id, i.slug, i.inherits, i.active, i.settings, i.switches,
  i.created_at, i.updated_at`;

/** What secrets are encrypted for: id, place and kind never change, so those that were moved are not decrypted (D7). */
export const identityOf = ({
  id,
  namespace_id,
  project_id,
  slug,
}: Pick<StoredIntegration, 'id' | 'namespace_id' | 'project_id' | 'slug'>): string =>
  `integration ${id} of group ${namespace_id ?? 0}, project ${project_id ?? 0}: ${slug}`;

/** The integration without its secrets. */
export const toIntegration = (row: StoredIntegration): IntegrationRow => ({
  id: row.id,
  slug: row.slug,
  active: row.active,
  inherits: row.inherits,
  values: row.settings,
  switches: row.switches,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The secrets of an integration; undefined, with an error in the log, where they cannot be decrypted. */
export function secretsOf(row: SealedIntegration | undefined, ring: Keyring): Secrets | undefined {
  if (row === undefined || row.secrets === null) return {};
  try {
    return JSON.parse(ring.decrypt(identityOf(row), row.secrets)) as Secrets;
  } catch (error) {
    logger.error({ err: error, integration: row.id }, 'the secrets of an integration cannot be decrypted');
    return undefined;
  }
}

/** Places, by kind. */
export interface Places {
  readonly projects: readonly number[];
  readonly groups: readonly number[];
  readonly instance: boolean;
}

/** The one place. */
export const only = ({ kind, id }: IntegrationPlace): Places => ({
  projects: kind === 'project' ? [id] : [],
  groups: kind === 'group' ? [id] : [],
  instance: kind === 'instance',
});

/** The part of a name of a place by which its rows are put together. */
export const placeKey = ({ place_kind, place_id }: InPlace): string => `${place_kind}:${place_id}`;

/**
 * For each place and kind the row of the place itself, and the nearest row with settings of its own above it: at most two
 * rows, in one statement whatever the number of places.
 */
export const integrationsIn = ({ projects, groups, instance }: Places, columns: Sql, where: Sql): Sql => sql`
  with places as (
    select 'project' as kind, p.id, p.id as project_id, n.ancestry from projects p join namespaces n on n.id = p.namespace_id
      where p.id = any(${[...projects]}::bigint[])
    union all
    select 'group', n.id, null, n.ancestry from namespaces n where n.id = any(${[...groups]}::bigint[])
    union all
    select 'instance', 0, null, '{}'::bigint[] where ${instance}),
  candidates as (
    select pl.kind, pl.id as place_id, i.id, i.slug, true as own, i.inherits, 1000 as nearness
      from places pl join integrations i on i.project_id = pl.project_id where ${where}
    union all
    select pl.kind, pl.id, i.id, i.slug, pl.kind = 'group' and i.namespace_id = pl.id, i.inherits,
      array_position(pl.ancestry, i.namespace_id)
      from places pl join integrations i on i.namespace_id = any(pl.ancestry) where ${where}
    union all
    select pl.kind, pl.id, i.id, i.slug, pl.kind = 'instance', i.inherits, 0
      from places pl cross join integrations i where i.namespace_id is null and i.project_id is null and ${where}),
  chosen as (
    select distinct on (kind, place_id, slug, own) kind, place_id, own, id from candidates where own or not inherits
    order by kind, place_id, slug, own, nearness desc)
  select chosen.kind as place_kind, chosen.place_id, chosen.own, ${columns}
  from chosen join integrations i on i.id = chosen.id order by i.id`;

/** What was found, by place and kind. */
export function foundByPlace<Row extends StoredIntegration & InPlace>(
  rows: readonly Row[],
): Map<string, Map<string, { own: Row | undefined; above: Row | undefined }>> {
  const places = new Map<string, Map<string, { own: Row | undefined; above: Row | undefined }>>();
  for (const row of rows) {
    const kinds = places.get(placeKey(row)) ?? new Map();
    places.set(placeKey(row), kinds);
    const found = kinds.get(row.slug) ?? { own: undefined, above: undefined };
    kinds.set(row.slug, row.own ? { ...found, own: row } : { ...found, above: row });
  }
  return places;
}

/** What a place has of a kind, as the domain reads it. */
export const toFound = ({
  own,
  above,
}: {
  own: StoredIntegration | undefined;
  above: StoredIntegration | undefined;
}): Found => ({ own: own && toIntegration(own), above: above && toIntegration(above) });

/** The active integrations of places, by `project:<id>` and `group:<id>`. */
export const activeByPlace = (rows: readonly RowInPlace[]): ReadonlyMap<string, readonly Effective[]> =>
  new Map(
    [...foundByPlace(rows)].map(([place, kinds]) => [
      place,
      [...kinds.values()].flatMap((found) => effectiveOf(toFound(found)) ?? []).filter(({ active }) => active),
    ]),
  );

/** A row as `integrationsIn` gives it. */
export type RowInPlace = StoredIntegration & InPlace;
