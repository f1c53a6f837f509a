import type { AlertReceipt } from '../domain/alert-receipt';

/** The public receipt of a payload. */
export const presentAlertReceipt = ({ id, integrationId, receivedAt, format, items }: AlertReceipt) => ({
  id,
  integration_id: integrationId,
  received_at: receivedAt,
  format,
  items: items.map(({ outcome, reason, iid, title }) => ({
    outcome,
    reason: reason ?? null,
    iid: iid ?? null,
    title: title ?? null,
  })),
});
