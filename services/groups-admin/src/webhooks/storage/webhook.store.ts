import {
  type Database,
  isForeignKeyViolation,
  listPage,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { notFound } from '@switchyard/errors';
import type { Keyring } from '@switchyard/secrets';
import type { Place, ShownWebhook, Webhook, WebhookContent } from '../domain/webhook';
import { ownedBy, sealSecrets, toShown, toWebhook, type WebhookRow, webhookColumns } from './webhook.columns';

/** Serialises the making of webhooks in one place until the transaction ends, so that its limit holds. */
const lockPlace = (tx: Tx, { kind, id }: Place) =>
  tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks of ${kind} ${id}`}, 0))`);

const written = sql`url, name, description, events, push_events_branch_filter, branch_filter_strategy, enable_ssl_verification,
  custom_webhook_template, secrets, header_names, variable_names`;

const values = (content: WebhookContent, secrets: Buffer) => sql`${content.url}, ${content.name ?? null},
  ${content.description ?? null}, ${[...content.events]}::text[], ${content.branchFilter ?? null}, ${content.branchStrategy},
  ${content.verifyTls}::boolean, ${content.template ?? null}, ${secrets}, ${Object.keys(content.secrets.headers)}::text[],
  ${Object.keys(content.secrets.variables)}::text[]`;

/** Webhooks in the database; the ring encrypts their secrets. */
export const webhookStore = (db: Database, ring: Keyring) => ({
  async list(place: Place, request: PageRequest): Promise<{ rows: ShownWebhook[]; page: PageInfo }> {
    const { rows, page } = await listPage<WebhookRow>({
      db,
      name: 'list_webhooks',
      select: webhookColumns,
      from: sql`webhooks w`,
      where: [ownedBy(place)],
      orders: { id: [{ name: 'id', expression: sql`w.id`, type: 'bigint' }] },
      request,
      count: true,
    });
    return { rows: rows.map(toShown), page };
  },

  async find(place: Place, id: number): Promise<ShownWebhook | undefined> {
    const row = await db.one<WebhookRow>(
      sql`select ${webhookColumns} from webhooks w where ${ownedBy(place)} and w.id = ${id}`,
    );
    return row && toShown(row);
  },

  create: (place: Place, creatorId: number, decide: (count: number) => WebhookContent): Promise<ShownWebhook> =>
    db
      .transaction(async (tx) => {
        await lockPlace(tx, place);
        const counted = await tx.one<{ count: number }>(
          sql`select count(*)::int as count from webhooks w where ${ownedBy(place)}`,
        );
        const content = decide(counted?.count ?? 0);
        const drawn = await tx.one<{ id: number }>(sql`select nextval(pg_get_serial_sequence('webhooks', 'id')) as id`);
        const id = drawn?.id ?? 0;
        const row = await tx.one<WebhookRow>(sql`
          insert into webhooks as w (id, project_id, namespace_id, creator_id, ${written})
          values (${id}, ${place.kind === 'project' ? place.id : null}, ${place.kind === 'group' ? place.id : null}, ${creatorId},
            ${values(content, sealSecrets(ring, id, content.secrets))})
          returning ${webhookColumns}`);
        if (row === undefined) throw new Error('a webhook was not inserted');
        return toShown(row);
      })
      .catch((error: unknown) => {
        // The place was purged in the meantime.
        throw isForeignKeyViolation(error) ? notFound(place.kind === 'group' ? 'Group' : 'Project') : error;
      }),

  change: (place: Place, id: number, decide: (webhook: Webhook) => WebhookContent): Promise<ShownWebhook | undefined> =>
    db.transaction(async (tx) => {
      const stored = await tx.one<WebhookRow>(
        sql`select ${webhookColumns} from webhooks w where ${ownedBy(place)} and w.id = ${id} for no key update`,
      );
      if (stored === undefined) return undefined;
      const content = decide(toWebhook(stored, ring));
      const row = await tx.one<WebhookRow>(sql`
        update webhooks w set (${written}, updated_at) = row(${values(content, sealSecrets(ring, id, content.secrets))}, now())
        where w.id = ${id} returning ${webhookColumns}`);
      return row && toShown(row);
    }),

  remove: (place: Place, id: number, unmodifiedSince: Date | undefined): Promise<boolean> =>
    db.transaction(async (tx) => {
      await requireUnmodified(tx, 'webhooks', id, unmodifiedSince);
      const removed = await tx.query(
        sql`delete from webhooks w where ${ownedBy(place)} and w.id = ${id} returning w.id`,
      );
      return removed.length > 0;
    }),
});
