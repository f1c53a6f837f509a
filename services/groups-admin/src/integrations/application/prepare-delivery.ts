import type { PreparedRequest } from '@switchyard/outbound';
import type { Change } from '../../changes';
import type { DeliveryTarget, DueDelivery } from '../../deliveries';
import { senderSettings, senders } from '../domain/senders';
import { changeBody } from '../domain/senders/change-body';
import { withoutSecrets } from '../domain/senders/outgoing';
import type { IntegrationDeliveryStore } from './delivery.ports';

/**
 * The target of deliveries to integrations. Settings are read when a delivery is sent: one that was disabled, or no longer
 * counts in the project, sends nothing.
 */
export const integrationTarget = (store: Pick<IntegrationDeliveryStore, 'toSend'>): DeliveryTarget => ({
  async prepare(
    { targetId, idempotencyKey, projectId, groupId }: DueDelivery,
    change: Change,
  ): Promise<readonly PreparedRequest[] | { readonly skip: string }> {
    const place =
      projectId > 0 ? ({ kind: 'project', id: projectId } as const) : ({ kind: 'group', id: groupId } as const);
    const found = await store.toSend(place, targetId);
    if (found === undefined || !found.effective.active || found.effective.source.id !== targetId)
      return { skip: 'disabled' };
    if (found.secrets === undefined) return { skip: 'unreadable_secrets' };
    const { slug, values, switches } = found.effective.source;
    const requests = senders[slug]?.(senderSettings(slug, values, found.secrets, switches), {
      kind: change.kind,
      action: change.action,
      confidential: change.confidential,
      key: idempotencyKey,
      body: changeBody(change.body),
    });
    if (requests === undefined || requests.length === 0) return { skip: 'nothing_to_send' };
    // Paths and queries of many receivers are secrets: the host is what is shown.
    return requests.map((one) => ({
      ...one,
      shownUrl: `${new URL(one.url).origin}/[REDACTED]`,
      ...(one.body === undefined ? {} : { shownBody: withoutSecrets(one.body, Object.values(found.secrets ?? {})) }),
    }));
  },

  /** Nothing follows from an outcome: integrations are not disabled by failures (G-6-7). */
  settled: async (): Promise<void> => undefined,
});
