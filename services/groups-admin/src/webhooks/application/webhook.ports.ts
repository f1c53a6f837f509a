import type { PageInfo, PageRequest } from '@switchyard/database';
import type { Place, ShownWebhook, Webhook, WebhookContent } from '../domain/webhook';

/** Webhooks in the database; each change is one transaction. */
export interface WebhookStore {
  /** A page of webhooks by id: one statement and one count. */
  list(place: Place, request: PageRequest): Promise<{ rows: ShownWebhook[]; page: PageInfo }>;
  find(place: Place, id: number): Promise<ShownWebhook | undefined>;
  /** @throws what `decide` throws, which is given how many the place has; AppError not_found where it was purged */
  create(place: Place, creatorId: number, decide: (count: number) => WebhookContent): Promise<ShownWebhook>;
  /** Locks a webhook, decides and saves; undefined when there is none. @throws what `decide` throws */
  change(place: Place, id: number, decide: (webhook: Webhook) => WebhookContent): Promise<ShownWebhook | undefined>;
  /** False when there is none. @throws AppError precondition_failed when it changed after `unmodifiedSince` */
  remove(place: Place, id: number, unmodifiedSince: Date | undefined): Promise<boolean>;
}
