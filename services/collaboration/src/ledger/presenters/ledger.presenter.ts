import { type UserRow, userReference } from '@switchyard/directory';
import type { LedgerRow } from '../domain/ledger-entry';
import { type SentEntry, targetOf } from '../domain/sent-entry';

/** An entry of mail or to-dos. */
export const presentEntry = (row: LedgerRow) => ({
  id: row.id,
  created_at: row.createdAt,
  event: row.event,
  channel: row.channel,
  project_id: row.projectId || null,
  group_id: row.groupId || null,
  target_type: row.target.type || null,
  target_id: row.target.id || null,
  target_iid: row.target.iid || null,
  decision: row.decision,
  rule: row.rule,
  detail: row.detail,
  fate: row.fate,
  attempts: row.attempts,
  error: row.error || null,
});

/** An entry of a project about a user or an address. */
export const presentOwnDelivery = (row: LedgerRow, user: UserRow | undefined, externalUrl: string) => ({
  ...presentEntry(row),
  receiver: row.channel,
  user: user === undefined ? null : userReference(user, externalUrl),
  address: row.address || null,
  response_status: null,
});

/** An entry of a project about a webhook or integration. */
export const presentSentDelivery = (entry: SentEntry, projectId: number) => ({
  id: entry.id,
  created_at: entry.createdAt,
  event: entry.action === '' ? entry.event : `${entry.event}:${entry.action}`,
  channel: entry.receiverKind === 'integration' ? 'integration' : 'webhook',
  project_id: projectId,
  group_id: null,
  target_type: targetOf(entry.objectKey).type ?? null,
  target_id: targetOf(entry.objectKey).id ?? null,
  target_iid: null,
  decision: entry.decision === 'skipped' ? 'skip' : 'send',
  rule: entry.rule,
  detail: entry.target,
  fate: entry.fate === 'skipped' ? 'not_sent' : entry.fate,
  attempts: entry.attempts,
  error: entry.error || null,
  receiver: `${entry.receiverKind}:${entry.receiverId}`,
  user: null,
  address: null,
  response_status: entry.responseStatus || null,
});
