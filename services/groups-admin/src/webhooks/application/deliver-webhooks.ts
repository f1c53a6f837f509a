import type { Tx } from '@switchyard/database';
import type { PreparedRequest } from '@switchyard/outbound';
import type { Change, ChangeFollower } from '../../changes';
import {
  CannotBeMade,
  type DeliveryTarget,
  type DueDelivery,
  type NewDelivery,
  type Outcome,
  type TargetKind,
} from '../../deliveries';
import { decide, type WebhookRule } from '../domain/decide';
import { type Health, healthAfter, type Try } from '../domain/health';
import { eventHeader } from '../domain/switches';
import { readTemplate, renderTemplate, TemplateProblem } from '../domain/template';
import type { Place, Webhook } from '../domain/webhook';
import { filledUrl } from '../domain/webhook-change';
import { derivedUuid, signatureHeaders } from './sign-delivery';

/** What deliveries call the webhooks of a place. */
export const targetKindOf = ({ kind }: Place): TargetKind => (kind === 'instance' ? 'system_hook' : `${kind}_hook`);

/** The queue of a webhook. */
export const receiverOf = (webhookId: number): string => `hook:${webhookId}`;

/** The id of a delivery of a change to a webhook: the same for every try. */
export const deliveryKey = (webhookId: number, eventId: string): string => derivedUuid(receiverOf(webhookId), eventId);

/** What decides on webhooks needs of the database. */
export interface FollowerPorts {
  /** Webhooks that changes may be for. */
  candidates(
    tx: Tx,
    changes: readonly Change[],
  ): Promise<readonly { position: number; webhookId: number; rule: WebhookRule }[]>;
  /** Queues deliveries, and writes the ledger's other lines. */
  queue(tx: Tx, changes: readonly Change[], rows: readonly NewDelivery[]): Promise<void>;
  clock(): Date;
}

/** Follows changes: queues what webhooks get, and writes down what they do not get and why. */
export const followChanges =
  ({ candidates, queue, clock }: FollowerPorts): ChangeFollower =>
  async (tx, changes) => {
    const byPosition = new Map(changes.map((change) => [change.position, change]));
    const now = clock();
    const rows = (await candidates(tx, changes)).flatMap(({ position, webhookId, rule }): NewDelivery[] => {
      const change = byPosition.get(position);
      const decision = change && decide(rule, change, now);
      if (change === undefined || decision === undefined) return [];
      return [
        {
          ...decision,
          targetKind: targetKindOf(rule.place),
          targetId: webhookId,
          changePosition: position,
          receiver: receiverOf(webhookId),
          objectKey: change.objectKey,
          idempotencyKey: deliveryKey(webhookId, change.eventId),
          projectId: rule.place.kind === 'instance' ? 0 : change.projectId,
          groupId: rule.place.kind === 'group' ? rule.place.id : 0,
        },
      ];
    });
    await queue(tx, changes, rows);
  };

/** What is told of this installation. */
export interface Sender {
  /** Address of the instance, without a slash at its end. */
  readonly instance: string;
  /** Value of `User-Agent`. */
  readonly agent: string;
}

/** The body of a delivery by a template. @throws CannotBeMade when it makes too much, or cannot be read any more */
function bodyBy(template: string, body: string): string {
  try {
    return renderTemplate(readTemplate(template), JSON.parse(body));
  } catch (error) {
    if (error instanceof TemplateProblem) throw new CannotBeMade(`The template ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * The request of a delivery (G-6-3), with the signature of Standard Webhooks where there is a key.
 * @throws CannotBeMade when the template makes too much of the body
 */
export function webhookRequest(
  webhook: Webhook,
  { idempotencyKey }: Pick<DueDelivery, 'idempotencyKey'>,
  change: Change,
  sender: Sender,
  now: Date,
): PreparedRequest {
  const { secrets, template, verifyTls } = webhook;
  const body = template === undefined ? change.body : bodyBy(template, change.body);
  const own: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': sender.agent,
    'X-Gitlab-Event': eventHeader(webhook.place.kind, change),
    'X-Gitlab-Event-UUID': derivedUuid(change.eventId),
    'X-Gitlab-Webhook-UUID': webhook.uuid,
    'X-Gitlab-Instance': sender.instance,
    'Idempotency-Key': idempotencyKey,
    ...(secrets.token === undefined ? {} : { 'X-Gitlab-Token': secrets.token }),
    ...(secrets.signingToken === undefined ? {} : signatureHeaders(secrets.signingToken, idempotencyKey, body, now)),
  };
  const taken = new Set(Object.keys(own).map((name) => name.toLowerCase()));
  const custom = Object.entries(secrets.headers).filter(([name]) => !taken.has(name.toLowerCase()));
  return {
    method: 'POST',
    url: filledUrl(webhook.url, secrets.variables),
    shownUrl: webhook.url,
    headers: { ...Object.fromEntries(custom), ...own },
    body,
    verifyTls,
    secretHeaders: ['X-Gitlab-Token', ...custom.map(([name]) => name)],
  };
}

/** What the target needs of the database. */
export interface TargetPorts {
  /** A webhook with its secrets. */
  read(id: number): Promise<Webhook | undefined>;
  /** Changes the health of webhooks. */
  changeHealth(tx: Tx, ids: readonly number[], next: (id: number, health: Health) => Health): Promise<void>;
  clock(): Date;
}

/** Webhooks as what is delivered to. */
export function webhookTarget({ read, changeHealth, clock }: TargetPorts, sender: Sender): DeliveryTarget {
  const tryOf = ({ delivery, fate }: Outcome): Try => ({
    succeeded: fate === 'sent',
    isFirst: delivery.attempts === 0,
    isRequested: delivery.isRequested,
  });
  return {
    async prepare(delivery, change) {
      const webhook = await read(delivery.targetId);
      return webhook === undefined ? { skip: 'removed' } : [webhookRequest(webhook, delivery, change, sender, clock())];
    },

    async settled(tx, outcomes, at) {
      const tried = outcomes.filter(({ fate }) => fate !== 'skipped');
      const ids = [...new Set(tried.map(({ delivery }) => delivery.targetId))];
      if (ids.length === 0) return;
      await changeHealth(tx, ids, (id, health) =>
        tried
          .filter(({ delivery }) => delivery.targetId === id)
          .reduce((last, outcome) => healthAfter(last, tryOf(outcome), at), health),
      );
    },
  };
}
