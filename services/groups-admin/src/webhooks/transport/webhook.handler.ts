import { WebhookServiceService, type WebhookSettings } from '@switchyard/protos/groups_admin/v1/webhook';
import { entity, fixedOrder, implement, nothing, page, type ServiceImplementation } from '@switchyard/rpc';
import { parentOf } from '../../parents';
import type { EntryKind, ManageWebhooks } from '../application/manage-webhooks';
import type { Place, WebhookChange } from '../domain/webhook';
import { presentWebhook, presentWebhookEvent } from '../presenters/webhook.presenter';

/** The place that a request names; none of the two: the instance. */
const placeOf = (wire: { groupId: number; projectId: number } | undefined): Place =>
  wire?.groupId === 0 && wire.projectId === 0 ? { kind: 'instance', id: 0 } : parentOf(wire);

const entriesOf = (given: WebhookSettings['customHeaders']): Record<string, string> | undefined =>
  given && Object.fromEntries(given.entries.map(({ key, value }) => [key, value]));

const changeOf = (settings: WebhookSettings | undefined): WebhookChange => ({
  url: settings?.url,
  name: settings?.name,
  description: settings?.description,
  token: settings?.token,
  signingToken: settings?.signingToken,
  branchFilter: settings?.pushEventsBranchFilter,
  branchStrategy: settings?.branchFilterStrategy,
  verifyTls: settings?.enableSslVerification,
  template: settings?.customWebhookTemplate,
  switches: settings?.switches ?? {},
  headers: entriesOf(settings?.customHeaders),
  variables: entriesOf(settings?.urlVariables),
});

/** WebhookService. */
export const webhookHandler = (webhooks: ManageWebhooks, clock: () => Date): ServiceImplementation =>
  implement(WebhookServiceService, {
    listWebhooks: async (request) => {
      const asked = fixedOrder(request.page, 'id', 'asc');
      const { rows, page: info } = await webhooks.list(placeOf(request.place), asked);
      const now = clock();
      return page(
        rows.map((row) => presentWebhook(row, now)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    getWebhook: async ({ place, webhookId }) =>
      entity(presentWebhook(await webhooks.get(placeOf(place), webhookId), clock())),

    createWebhook: async ({ place, settings }, { actor }) =>
      entity(presentWebhook(await webhooks.create(placeOf(place), changeOf(settings), actor.userId), clock()), 201),

    updateWebhook: async ({ place, webhookId, settings }) =>
      entity(presentWebhook(await webhooks.update(placeOf(place), webhookId, changeOf(settings)), clock())),

    deleteWebhook: async ({ place, webhookId, ifUnmodifiedSince }) => {
      await webhooks.remove(placeOf(place), webhookId, ifUnmodifiedSince);
      return nothing(204);
    },

    setWebhookEntry: async ({ place, webhookId, kind, entry }) => {
      await webhooks.setEntry(placeOf(place), webhookId, kind as EntryKind, entry?.key ?? '', entry?.value ?? '');
      return nothing(204);
    },

    deleteWebhookEntry: async ({ place, webhookId, kind, key }) => {
      await webhooks.removeEntry(placeOf(place), webhookId, kind as EntryKind, key);
      return nothing(204);
    },

    testWebhook: async ({ place, webhookId, trigger }, { actor }) => {
      await webhooks.test(placeOf(place), webhookId, trigger, actor.userId);
      return entity({ message: '201 Created' }, 201);
    },

    listWebhookEvents: async ({ place: wire, webhookId, page: wanted, statuses }) => {
      const place = placeOf(wire);
      const asked = fixedOrder(wanted, 'id', 'desc');
      const { rows, page: info } = await webhooks.events(place, webhookId, { statuses }, asked);
      return page(
        rows.map((row) => presentWebhookEvent(place, row)),
        { ...info, keyset: asked.mode === 'keyset' },
      );
    },

    resendWebhookEvent: async ({ place, webhookId, eventId }) =>
      entity({ response_status: await webhooks.resend(placeOf(place), webhookId, eventId) }, 201),
  });
