import type { Database, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { Keyring } from '@switchyard/secrets';
import type { Change } from '../../changes';
import type { WebhookRule } from '../domain/decide';
import type { Health } from '../domain/health';
import type { Webhook } from '../domain/webhook';
import { placeOf, toWebhook, type WebhookRow, webhookColumns } from './webhook.columns';

/** A webhook that a change may be for. */
export interface Candidate {
  readonly position: number;
  readonly webhookId: number;
  readonly rule: WebhookRule;
}

type CandidateRow = Pick<
  WebhookRow,
  | 'id'
  | 'project_id'
  | 'namespace_id'
  | 'events'
  | 'push_events_branch_filter'
  | 'branch_filter_strategy'
  | 'recent_failures'
  | 'backoff_count'
  | 'disabled_until'
> & { readonly position: number };

const columns = sql`w.id, w.project_id, w.namespace_id, w.events, w.push_events_branch_filter, w.branch_filter_strategy,
  w.recent_failures, w.backoff_count, w.disabled_until`;

const healthOf = (row: Pick<WebhookRow, 'recent_failures' | 'backoff_count' | 'disabled_until'>): Health => ({
  recentFailures: row.recent_failures,
  backoffCount: row.backoff_count,
  disabledUntil: row.disabled_until ?? undefined,
});

/**
 * The webhooks of the projects of changes, of all groups above them, and of the instance: one statement, whatever the
 * number of changes.
 */
export async function candidatesFor(tx: Tx, changes: readonly Change[]): Promise<Candidate[]> {
  const rows = await tx.query<CandidateRow>(
    named(
      'webhooks_of_changes',
      sql`
    with given as materialized (
      select * from unnest(${changes.map(({ position }) => position)}::bigint[], ${changes.map(({ projectId }) => projectId)}::bigint[],
        ${changes.map(({ groupId }) => groupId)}::bigint[]) as given (position, project_id, group_id)),
    above as materialized (
      select given.position, n.ancestry from given left join projects p on p.id = given.project_id
      join namespaces n on n.id = coalesce(nullif(given.group_id, 0), p.namespace_id))
    select given.position, ${columns} from given join webhooks w on w.project_id = given.project_id
    union all
    select above.position, ${columns} from above join webhooks w on w.namespace_id = any(above.ancestry)
    union all
    select given.position, ${columns} from given cross join webhooks w where w.project_id is null and w.namespace_id is null
    order by 1, 2`,
    ),
  );
  return rows.map((row) => ({
    position: row.position,
    webhookId: row.id,
    rule: {
      place: placeOf(row),
      events: row.events,
      branchFilter: row.push_events_branch_filter ?? undefined,
      branchStrategy: row.branch_filter_strategy,
      ...healthOf(row),
    },
  }));
}

/** Reads webhooks by id, with their secrets; calls of one moment share a statement. */
export function webhookReader(db: Database, ring: Keyring): (id: number) => Promise<Webhook | undefined> {
  let asked: { readonly ids: Set<number>; readonly rows: Promise<ReadonlyMap<number, WebhookRow>> } | undefined;

  function ask(): NonNullable<typeof asked> {
    const ids = new Set<number>();
    const rows = new Promise<void>((settle) => setImmediate(settle)).then(async () => {
      asked = undefined;
      const found = await db.query<WebhookRow>(
        named('webhooks_by_id', sql`select ${webhookColumns} from webhooks w where w.id = any(${[...ids]}::bigint[])`),
      );
      return new Map(found.map((row) => [row.id, row]));
    });
    return { ids, rows };
  }

  return async (id) => {
    asked ??= ask();
    asked.ids.add(id);
    const row = (await asked.rows).get(id);
    return row && toWebhook(row, ring);
  };
}

/** Changes the health of webhooks in their order, so that two transactions never wait for each other. */
export async function changeHealth(
  tx: Tx,
  ids: readonly number[],
  next: (id: number, health: Health) => Health,
): Promise<void> {
  const rows = await tx.query<Pick<WebhookRow, 'id' | 'recent_failures' | 'backoff_count' | 'disabled_until'>>(
    named(
      'health_of_webhooks',
      sql`
    select id, recent_failures, backoff_count, disabled_until from webhooks where id = any(${[...ids]}::bigint[])
    order by id for no key update`,
    ),
  );
  const changed = rows.flatMap((row) => {
    const health = healthOf(row);
    const after = next(row.id, health);
    const isSame =
      after.recentFailures === health.recentFailures &&
      after.backoffCount === health.backoffCount &&
      after.disabledUntil?.getTime() === health.disabledUntil?.getTime();
    return isSame ? [] : [{ id: row.id, ...after, disabledUntil: after.disabledUntil ?? null }];
  });
  if (changed.length === 0) return;
  // `updated_at` stays: the webhook itself is the same.
  await tx.query(
    named(
      'change_health_of_webhooks',
      sql`
    update webhooks w set recent_failures = given."recentFailures", backoff_count = given."backoffCount",
      disabled_until = given."disabledUntil"
    from json_to_recordset(${JSON.stringify(changed)}::json) as given (id bigint, "recentFailures" int, "backoffCount" int,
      "disabledUntil" timestamptz)
    where w.id = given.id`,
    ),
  );
}
