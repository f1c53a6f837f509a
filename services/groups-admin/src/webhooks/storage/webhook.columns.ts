import { type Sql, sql } from '@switchyard/database/sql';
import type { Keyring } from '@switchyard/secrets';
import type { BranchStrategy, Place, ShownWebhook, Webhook, WebhookSecrets } from '../domain/webhook';

/** A row of `webhooks`. */
export interface WebhookRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
  readonly url: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly events: string[];
  readonly push_events_branch_filter: string | null;
  readonly branch_filter_strategy: BranchStrategy;
  readonly enable_ssl_verification: boolean;
  readonly custom_webhook_template: string | null;
  /** Encrypted. */
  readonly secrets: Buffer;
  readonly header_names: string[];
  readonly variable_names: string[];
  readonly recent_failures: number;
  readonly backoff_count: number;
  readonly disabled_until: Date | null;
  readonly uuid: string;
  readonly created_at: Date;
}

/** Columns of `WebhookRow`, on the alias `w`. */
export const webhookColumns = sql`w.id, w.project_id, w.namespace_id, w.url, w.name, w.description, w.events,
  w.push_events_branch_filter, w.branch_filter_strategy, w.enable_ssl_verification, w.custom_webhook_template, w.secrets,
  w.header_names, w.variable_names, w.recent_failures, w.backoff_count, w.disabled_until, w.uuid, w.created_at`;

/** What secrets are encrypted for: the id never names another webhook (D7). */
export const identityOf = (id: number): string => `webhook ${id}`;

/** A condition on `w`: the webhooks of a place. */
export const ownedBy = ({ kind, id }: Place): Sql => {
  if (kind === 'project') return sql`w.project_id = ${id}`;
  return kind === 'group' ? sql`w.namespace_id = ${id}` : sql`w.project_id is null and w.namespace_id is null`;
};

/** The place of a row. */
export const placeOf = ({ project_id, namespace_id }: Pick<WebhookRow, 'project_id' | 'namespace_id'>): Place => {
  if (project_id !== null) return { kind: 'project', id: project_id };
  return namespace_id === null ? { kind: 'instance', id: 0 } : { kind: 'group', id: namespace_id };
};

/** The secrets as they are encrypted. */
export const sealSecrets = (ring: Keyring, id: number, secrets: WebhookSecrets): Buffer =>
  ring.encrypt(identityOf(id), JSON.stringify(secrets));

/** A webhook as it may be shown; nothing is decrypted. */
export const toShown = (row: WebhookRow): ShownWebhook => ({
  id: row.id,
  place: placeOf(row),
  url: row.url,
  name: row.name ?? undefined,
  description: row.description ?? undefined,
  events: row.events,
  branchFilter: row.push_events_branch_filter ?? undefined,
  branchStrategy: row.branch_filter_strategy,
  verifyTls: row.enable_ssl_verification,
  template: row.custom_webhook_template ?? undefined,
  headerNames: row.header_names,
  variableNames: row.variable_names,
  recentFailures: row.recent_failures,
  backoffCount: row.backoff_count,
  disabledUntil: row.disabled_until ?? undefined,
  uuid: row.uuid,
  createdAt: row.created_at,
});

/** A webhook with its secrets. @throws Error when they cannot be decrypted */
export const toWebhook = (row: WebhookRow, ring: Keyring): Webhook => {
  const { headerNames: _names, variableNames: _variables, ...shown } = toShown(row);
  const secrets = JSON.parse(ring.decrypt(identityOf(row.id), row.secrets)) as WebhookSecrets;
  return { ...shown, secrets: { ...secrets, token: secrets.token, signingToken: secrets.signingToken } };
};
