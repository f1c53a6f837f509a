import { type Database, isForeignKeyViolation, type SqlExecutor, type Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { Keyring } from '@switchyard/secrets';
import { type Effective, effectiveOf, type Found, type IntegrationPlace } from '../domain/integration';
import type { Facts, NextIntegration } from '../domain/integration-change';
import {
  activeByPlace,
  foundByPlace,
  identityOf,
  integrationColumns,
  integrationsIn,
  only,
  type RowInPlace,
  type SealedIntegration,
  secretsOf,
  toFound,
  toIntegration,
} from './integration.columns';

const nothing = { own: undefined, above: undefined };

async function rowsOf(executor: SqlExecutor, place: IntegrationPlace, slug: string) {
  const rows = await executor.query<RowInPlace & SealedIntegration>(
    integrationsIn(only(place), sql`${integrationColumns}, i.secrets`, sql`i.slug = ${slug}`),
  );
  return [...foundByPlace(rows).values()][0]?.get(slug) ?? nothing;
}

/** Serialises the changes of a kind in one place: of two that set it up for the first time, the later sees the earlier. */
const lockKind = (tx: Tx, { kind, id }: IntegrationPlace, slug: string) =>
  tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`integration ${slug} of ${kind} ${id}`}, 0))`);

/** Integrations in the database; the ring encrypts their secrets. */
export const integrationStore = (db: Database, ring: Keyring) => ({
  async list(place: IntegrationPlace): Promise<Effective[]> {
    const rows = await db.query<RowInPlace>(
      named('list_integrations', integrationsIn(only(place), integrationColumns, sql`true`)),
    );
    const kinds = [...(foundByPlace(rows).values().next().value?.values() ?? [])];
    return kinds.flatMap((found) => effectiveOf(toFound(found)) ?? []).sort((one, other) => one.row.id - other.row.id);
  },

  async ofProjects(ids: readonly number[]) {
    const [known, rows] = await Promise.all([
      db.query<{ id: number; hasIssues: boolean }>(
        named(
          'projects_with_issues',
          sql`select id, issues_access_level <> 'disabled' as "hasIssues" from projects where id = any(${[...ids]}::bigint[])`,
        ),
      ),
      db.query<RowInPlace>(
        named(
          'active_integrations',
          integrationsIn({ projects: ids, groups: [], instance: false }, integrationColumns, sql`true`),
        ),
      ),
    ]);
    const active = activeByPlace(rows);
    return known.map((project) => ({ ...project, active: active.get(`project:${project.id}`) ?? [] }));
  },

  find: async (place: IntegrationPlace, slug: string): Promise<Found> => toFound(await rowsOf(db, place, slug)),

  change: (place: IntegrationPlace, slug: string, decide: (facts: Facts) => NextIntegration): Promise<Found> =>
    db
      .transaction(async (tx) => {
        await lockKind(tx, place, slug);
        const { own, above } = await rowsOf(tx, place, slug);
        const next = decide({ ...toFound({ own, above }), secrets: secretsOf(own, ring) });
        const drawn =
          own ??
          (await tx.one<{ id: number }>(sql`select nextval(pg_get_serial_sequence('integrations', 'id')) as id`));
        const row = {
          id: drawn?.id ?? 0,
          namespace_id: place.kind === 'group' ? place.id : null,
          project_id: place.kind === 'project' ? place.id : null,
          slug,
        };
        const sealed =
          Object.keys(next.secrets).length === 0 ? null : ring.encrypt(identityOf(row), JSON.stringify(next.secrets));
        const saved = await tx.one<SealedIntegration>(sql`
          insert into integrations as i (id, namespace_id, project_id, slug, inherits, active, settings, switches, secrets)
          values (${row.id}, ${row.namespace_id}, ${row.project_id}, ${slug}, ${next.inherits}, ${next.active},
            ${JSON.stringify(next.values)}::jsonb, ${JSON.stringify(next.switches)}::jsonb, ${sealed})
          on conflict (id) do update set inherits = excluded.inherits, active = excluded.active,
            settings = excluded.settings, switches = excluded.switches, secrets = excluded.secrets, updated_at = now()
          returning ${integrationColumns}`);
        return { own: saved && toIntegration(saved), above: above && toIntegration(above) };
      })
      .catch((error: unknown) => {
        // The place was purged in the meantime.
        throw isForeignKeyViolation(error) ? notFound(place.kind === 'group' ? 'Group' : 'Project') : error;
      }),
});
