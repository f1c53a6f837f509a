import { randomUUID } from 'node:crypto';
import type { PageInfo, PageRequest } from '@switchyard/database';
import { invalid, invalidParams, notFound, unprocessable } from '@switchyard/errors';
import type { Change } from '../../changes';
import type { AttemptFilter, AttemptRow, DueDelivery, Outcome, RequestedDelivery, TargetKind } from '../../deliveries';
import { kindOfSwitch, switchesOf } from '../domain/switches';
import type { Place, ShownWebhook, Webhook, WebhookChange } from '../domain/webhook';
import { blank, changed, maxWebhooks, type RequestRules, requireSound, variablesIn } from '../domain/webhook-change';
import { deliveryKey, receiverOf, targetKindOf } from './deliver-webhooks';
import type { WebhookStore } from './webhook.ports';

/** A target of deliveries. */
interface Target {
  readonly kind: TargetKind;
  readonly id: number;
}

/** What webhooks need of deliveries, and of those who describe the place. */
export interface WebhookPorts {
  readonly webhooks: WebhookStore;
  readonly rules: RequestRules;
  /** Sends at once, and records it. */
  sendNow(delivery: RequestedDelivery, change: Change): Promise<Outcome>;
  listEvents(target: Target, filter: AttemptFilter, page: PageRequest): Promise<{ rows: AttemptRow[]; page: PageInfo }>;
  /** The delivery of a recent request. */
  findEvent(target: Target, id: number): Promise<{ delivery: DueDelivery; change: Change | undefined } | undefined>;
  /** The body of a test. */
  sample(place: Place, kind: Pick<Change, 'kind' | 'confidential'>, userId: number): Promise<string>;
  clock(): Date;
}

/** Headers or variables. */
export type EntryKind = 'header' | 'variable';

const fieldOf = { header: 'headers', variable: 'variables' } as const satisfies Record<EntryKind, string>;

const found = <T>(webhook: T | undefined): T => {
  if (webhook === undefined) throw notFound('Hook');
  return webhook;
};

/** Webhooks of projects, groups and the instance. The gateway decides who manages them. */
export function manageWebhooks(ports: WebhookPorts) {
  const { webhooks, rules, clock } = ports;

  const change = async (place: Place, id: number, given: (webhook: Webhook) => WebhookChange): Promise<ShownWebhook> =>
    found(await webhooks.change(place, id, (webhook) => requireSound(changed(place, webhook, given(webhook)), rules)));

  const get = async (place: Place, id: number): Promise<ShownWebhook> => found(await webhooks.find(place, id));

  const targetOf = ({ id, place }: ShownWebhook): Target => ({ kind: targetKindOf(place), id });

  function requireDelivered({ fate, rule, responseStatus, error }: Outcome): number {
    if (fate === 'skipped') throw unprocessable(`Hook was not executed: ${rule}`);
    if (fate !== 'sent')
      throw unprocessable(`Hook execution failed: ${error ?? `the receiver answered ${responseStatus}`}`);
    return responseStatus ?? 0;
  }

  return {
    /** A page of webhooks by id. */
    list: (place: Place, request: PageRequest): Promise<{ rows: ShownWebhook[]; page: PageInfo }> =>
      webhooks.list(place, request),

    /** @throws AppError not_found */
    get,

    /** @throws AppError invalid, with every problem at once */
    create: (place: Place, given: WebhookChange, userId: number): Promise<ShownWebhook> =>
      webhooks.create(place, userId, (count) => {
        const content = requireSound(changed(place, blank(place), given), rules);
        const limit = maxWebhooks[place.kind];
        if (count >= limit) throw invalid({ base: [`Maximum number of ${place.kind} hooks (${limit}) exceeded`] });
        return content;
      }),

    /** @throws AppError not_found; invalid, with every problem at once */
    update: (place: Place, id: number, given: WebhookChange): Promise<ShownWebhook> => change(place, id, () => given),

    /** @throws AppError not_found; precondition_failed */
    async remove(place: Place, id: number, unmodifiedSince?: Date): Promise<void> {
      if (!(await webhooks.remove(place, id, unmodifiedSince))) throw notFound('Hook');
    },

    /** Sets a custom header or variable. @throws AppError not_found; invalid */
    async setEntry(place: Place, id: number, kind: EntryKind, key: string, value: string): Promise<void> {
      const field = fieldOf[kind];
      await change(place, id, ({ secrets }) => ({ switches: {}, [field]: { ...secrets[field], [key]: value } }));
    },

    /** Takes a custom header or variable away. @throws AppError not_found; invalid for a variable that the address names */
    async removeEntry(place: Place, id: number, kind: EntryKind, key: string): Promise<void> {
      const field = fieldOf[kind];
      await change(place, id, ({ secrets, url }) => {
        if (!Object.hasOwn(secrets[field], key)) throw notFound(kind === 'header' ? 'Custom header' : 'URL variable');
        if (kind === 'variable' && variablesIn(url).includes(key)) {
          throw invalid({ url_variables: [`the url names {${key}}`] });
        }
        const { [key]: _removed, ...left } = secrets[field];
        return { switches: {}, [field]: left };
      });
    },

    /**
     * Sends a sample at once; one that is delivered enables the webhook (G-6-6).
     * @throws AppError not_found; invalid_params for a switch that nothing is sent for; unprocessable when it is not
     * delivered
     */
    async test(place: Place, id: number, trigger: string, userId: number): Promise<void> {
      const kind = kindOfSwitch(trigger);
      if (kind === undefined || !Object.hasOwn(switchesOf[place.kind], trigger)) {
        throw invalidParams('trigger does not have a valid value');
      }
      const webhook = await get(place, id);
      const eventId = `test ${randomUUID()}`;
      const sample: Change = {
        ...kind,
        position: 0,
        projectId: place.kind === 'project' ? place.id : 0,
        groupId: place.kind === 'group' ? place.id : 0,
        ref: '',
        objectKey: `test:${id}`,
        actorId: userId,
        action: 'test',
        occurredAt: clock(),
        body: await ports.sample(place, kind, userId),
        eventId,
      };
      const { kind: targetKind } = targetOf(webhook);
      const outcome = await ports.sendNow(
        {
          targetKind,
          targetId: id,
          receiver: receiverOf(id),
          objectKey: sample.objectKey,
          idempotencyKey: deliveryKey(id, eventId),
          projectId: sample.projectId,
          groupId: sample.groupId,
        },
        sample,
      );
      requireDelivered(outcome);
    },

    /** Recent requests with what came back, the newest first. @throws AppError not_found */
    async events(place: Place, id: number, filter: AttemptFilter, page: PageRequest) {
      const webhook = await get(place, id);
      return ports.listEvents(targetOf(webhook), filter, page);
    },

    /**
     * Sends the content of a recent request again at once, with its key.
     * @returns the status of the answer
     * @throws AppError not_found; unprocessable when it is not delivered
     */
    async resend(place: Place, id: number, eventId: number): Promise<number> {
      const webhook = await get(place, id);
      const event = await ports.findEvent(targetOf(webhook), eventId);
      if (event?.change === undefined) throw notFound('Hook log');
      const { targetKind, targetId, receiver, objectKey, idempotencyKey, projectId, groupId } = event.delivery;
      const again = { targetKind, targetId, receiver, objectKey, idempotencyKey, projectId, groupId };
      return requireDelivered(await ports.sendNow(again, event.change));
    },
  };
}

/** Use cases of webhooks. */
export type ManageWebhooks = ReturnType<typeof manageWebhooks>;
