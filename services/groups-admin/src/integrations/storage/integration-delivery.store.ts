import type { Database, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Keyring } from '@switchyard/secrets';
import { type Effective, effectiveOf, type IntegrationPlace, type Secrets } from '../domain/integration';
import {
  activeByPlace,
  foundByPlace,
  integrationColumns,
  integrationsIn,
  only,
  type RowInPlace,
  type SealedIntegration,
  secretsOf,
  toFound,
} from './integration.columns';
import { publishMails } from './integration-mail.events';

/** Days after which the end of a pipeline is forgotten, and how many are forgotten at a time. */
const [endDays, forgottenAtOnce] = [90, 200];

/** A branch or tag with the end of its last pipeline. */
interface EndRow {
  readonly projectId: number;
  readonly ref: string;
  readonly status: string;
}

/** What deliveries of integrations read and write; the ring decrypts secrets. */
export const integrationDeliveryStore = (db: Database, ring: Keyring) => ({
  async activeIn(
    tx: Tx,
    places: { readonly projects: readonly number[]; readonly groups: readonly number[] },
  ): Promise<ReadonlyMap<string, readonly Effective[]>> {
    const rows = await tx.query<RowInPlace>(
      named('active_integrations', integrationsIn({ ...places, instance: false }, integrationColumns, sql`true`)),
    );
    return activeByPlace(rows);
  },

  // Locked, so that of two batches the later sees what the earlier keeps.
  endsBefore: (tx: Tx, refs: readonly Pick<EndRow, 'projectId' | 'ref'>[]): Promise<EndRow[]> =>
    tx.query<EndRow>(sql`
      select project_id as "projectId", ref, status from integration_pipeline_ends
      where (project_id, ref) in (select * from unnest(${refs.map(({ projectId }) => projectId)}::bigint[], ${refs.map(({ ref }) => ref)}::text[]))
      order by project_id, ref for no key update`),

  async keepEnds(tx: Tx, ends: readonly EndRow[]): Promise<void> {
    const last = [...new Map(ends.map((end) => [`${end.projectId} ${end.ref}`, end])).values()];
    // What is forgotten is no row that is kept here: one command does not change a row twice.
    await tx.query(sql`
      with given as (
        select * from unnest(${last.map(({ projectId }) => projectId)}::bigint[], ${last.map(({ ref }) => ref)}::text[],
          ${last.map(({ status }) => status)}::text[]) as given (project_id, ref, status)),
      old as (
        delete from integration_pipeline_ends where (project_id, ref) in (
          select e.project_id, e.ref from integration_pipeline_ends e
          where e.ended_at < now() - ${endDays} * interval '1 day'
            and (e.project_id, e.ref) not in (select project_id, ref from given)
          order by e.ended_at limit ${forgottenAtOnce} for update skip locked))
      insert into integration_pipeline_ends as e (project_id, ref, status)
      select given.project_id, given.ref, given.status from given join projects p on p.id = given.project_id
      order by 1, 2
      on conflict (project_id, ref) do update set status = excluded.status, ended_at = now()`);
  },

  sendMails: publishMails,

  async toSend(
    place: IntegrationPlace,
    integrationId: number,
  ): Promise<{ readonly effective: Effective; readonly secrets: Secrets | undefined } | undefined> {
    const rows = await db.query<RowInPlace & SealedIntegration>(
      integrationsIn(
        only(place),
        sql`${integrationColumns}, i.secrets`,
        sql`i.slug = (select slug from integrations where id = ${integrationId})`,
      ),
    );
    const [found] = [...(foundByPlace(rows).values().next().value?.values() ?? [])];
    const effective = found && effectiveOf(toFound(found));
    if (effective === undefined) return undefined;
    return {
      effective,
      secrets: secretsOf(
        rows.find(({ id }) => id === effective.source.id),
        ring,
      ),
    };
  },
});
