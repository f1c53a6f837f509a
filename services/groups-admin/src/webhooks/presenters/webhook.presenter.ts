import type { AttemptRow } from '../../deliveries';
import { alertStatus } from '../domain/health';
import { eventHeader, switchesOf } from '../domain/switches';
import type { ShownWebhook } from '../domain/webhook';

const named = (names: readonly string[]) => names.map((key) => ({ key }));

/** A webhook as the API shows it; of its secrets the names alone. */
export const presentWebhook = (webhook: ShownWebhook, now: Date) => ({
  id: webhook.id,
  url: webhook.url,
  name: webhook.name ?? null,
  description: webhook.description ?? null,
  ...(webhook.place.kind === 'project' ? { project_id: webhook.place.id } : {}),
  ...(webhook.place.kind === 'group' ? { group_id: webhook.place.id } : {}),
  ...Object.fromEntries(
    Object.keys(switchesOf[webhook.place.kind]).map((name) => [name, webhook.events.includes(name)]),
  ),
  push_events_branch_filter: webhook.branchFilter ?? null,
  branch_filter_strategy: webhook.branchStrategy,
  enable_ssl_verification: webhook.verifyTls,
  custom_webhook_template: webhook.template ?? null,
  custom_headers: named(webhook.headerNames),
  url_variables: named(webhook.variableNames),
  alert_status: alertStatus(webhook, now),
  disabled_until: webhook.disabledUntil?.toISOString() ?? null,
  created_at: webhook.createdAt.toISOString(),
});

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};

/** A recent request with what came back (G-6-5, G-6-6). */
export const presentWebhookEvent = (place: ShownWebhook['place'], attempt: AttemptRow) => ({
  id: attempt.id,
  url: attempt.url,
  trigger: eventHeader(place.kind, { kind: attempt.kind, confidential: false })
    .toLowerCase()
    .replaceAll(' ', '_')
    .concat('s'),
  request_headers: attempt.requestHeaders,
  request_data: parsed(attempt.requestBody),
  idempotency_key: attempt.idempotencyKey,
  response_headers: attempt.responseHeaders,
  response_body: attempt.responseBody,
  response_status: attempt.responseStatus === null ? 'internal error' : String(attempt.responseStatus),
  internal_error_message: attempt.error,
  execution_duration: attempt.durationMs / 1_000,
  created_at: attempt.createdAt.toISOString(),
});
