import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, json, page } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const hook = (place: { groupId: number; projectId: number }) => ({
  id: 1,
  url: 'https://receiver.example.com',
  name: null,
  description: null,
  ...(place.projectId > 0 ? { project_id: 5 } : place.groupId > 0 ? { group_id: 3 } : {}),
  ...Object.fromEntries(
    [
      ...['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
      ...(place.projectId + place.groupId === 0
        ? []
        : [
            'issues',
            'confidential_issues',
            'note',
            'confidential_note',
            'pipeline',
            'job',
            'deployment',
            'releases',
            'emoji',
            'milestone',
            'wiki_page',
            'feature_flag',
            'resource_access_token',
            'resource_deploy_token',
            'vulnerability',
            'alert',
          ].map((name) => `${name}_events`)),
      ...(place.groupId > 0 ? ['member_events', 'subgroup_events', 'project_events'] : []),
    ].map((name) => [name, false]),
  ),
  push_events_branch_filter: null,
  branch_filter_strategy: 'wildcard',
  enable_ssl_verification: true,
  custom_webhook_template: null,
  custom_headers: [{ key: 'X-A' }],
  url_variables: [],
  alert_status: 'executable',
  disabled_until: null,
  created_at: '2026-01-31T08:39:14.000Z',
});

let gateway: TestGateway;
type Sent = { place: { groupId: number; projectId: number } };
const none = async () => json(Buffer.alloc(0), 204);

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        actor: actor({ admin: true }),
        access:
          target?.$case === 'group'
            ? { ...projectAccess({ level: 50 }), kind: Access_Kind.KIND_GROUP, id: 3 }
            : target === undefined
              ? undefined
              : projectAccess({ id: 5, level: 40 }),
      }),
    fakes: {
      'WebhookService/ListWebhooks': async ({ place }: Sent) =>
        page([hook(place)], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
      'WebhookService/GetWebhook': async ({ place }: Sent) => entity(hook(place)),
      'WebhookService/CreateWebhook': async ({ place }: Sent) => entity(hook(place), 201),
      'WebhookService/UpdateWebhook': async ({ place }: Sent) => entity(hook(place)),
      'WebhookService/DeleteWebhook': none,
      'WebhookService/SetWebhookEntry': none,
      'WebhookService/DeleteWebhookEntry': none,
      'WebhookService/TestWebhook': async () => entity({ message: '201 Created' }, 201),
      'WebhookService/ResendWebhookEvent': async () => entity({ response_status: 200 }, 201),
      'WebhookService/ListWebhookEvents': async () =>
        page([], { keyset: false, page: 1, perPage: 20, total: 0, hasNext: false }),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.findLast((call) => call.rpc === `WebhookService/${rpc}`)?.request;
const send = async (method: string, path: string, body?: object) =>
  (await gateway.send(method, path, { ...newToken(), ...(body && { body }) })).status;

describe.each([
  ['/projects/5/hooks', { groupId: 0, projectId: 5 }],
  ['/groups/3/hooks', { groupId: 3, projectId: 0 }],
  ['/hooks', { groupId: 0, projectId: 0 }],
])('%s', (path, place) => {
  it('200, 201, 204: what is sent reaches the service', async () => {
    expect([await send('GET', path), await send('GET', `${path}/1`)]).toEqual([200, 200]);
    const body = {
      url: 'https://receiver.example.com',
      push_events: 'false',
      tag_push_events: true,
      name: null,
      token: 't',
      signing_token: 'whsec_x',
      enable_ssl_verification: false,
      branch_filter_strategy: 'regex',
      custom_headers: [{ key: 'X-A', value: 'v' }],
    };
    expect(await send('POST', path, body)).toBe(201);
    expect(asked('CreateWebhook')).toEqual({
      place,
      settings: expect.objectContaining({
        url: 'https://receiver.example.com',
        name: '',
        description: undefined,
        token: 't',
        signingToken: 'whsec_x',
        enableSslVerification: false,
        branchFilterStrategy: 'regex',
        switches: { push_events: false, tag_push_events: true },
        customHeaders: { entries: [{ key: 'X-A', value: 'v' }] },
        urlVariables: undefined,
      }),
    });
    expect(await send('PUT', `${path}/1`, { push_events: true })).toBe(200);
    expect(asked('UpdateWebhook')).toMatchObject({
      place,
      webhookId: 1,
      settings: { switches: { push_events: true } },
    });
    expect(await send('PUT', `${path}/1/custom_headers/X-A`, { value: 'v' })).toBe(204);
    expect(asked('SetWebhookEntry')).toEqual({
      place,
      webhookId: 1,
      kind: 'header',
      entry: { key: 'X-A', value: 'v' },
    });
    expect(await send('DELETE', `${path}/1/url_variables/host`)).toBe(204);
    expect(asked('DeleteWebhookEntry')).toEqual({ place, webhookId: 1, kind: 'variable', key: 'host' });
    expect(await send('POST', `${path}/1/test/push_events`)).toBe(201);
    expect(await send('GET', `${path}/1/events?status=404,successful`)).toBe(200);
    expect(asked('ListWebhookEvents')).toMatchObject({ place, webhookId: 1, statuses: ['404', 'successful'] });
    expect(await send('POST', `${path}/1/events/7/resend`)).toBe(201);
    expect(asked('ResendWebhookEvent')).toEqual({ place, webhookId: 1, eventId: 7 });
    expect(await send('DELETE', `${path}/1`)).toBe(204);
  });

  it('400: what is missing and what no webhook can be, at once', async () => {
    const body = { push_events: 'perhaps', branch_filter_strategy: 'glob', custom_headers: [{ key: 'a' }] };
    const sent = await gateway.send('POST', path, { ...newToken(), body });
    expect([sent.status, sent.body]).toEqual([
      400,
      {
        error:
          'url is missing, branch_filter_strategy does not have a valid value, custom_headers[0][value] is missing, push_events is invalid',
      },
    ]);
  });
});

it('a push event tests a webhook of the instance', async () => {
  expect(await send('POST', '/hooks/4')).toBe(201);
  expect(asked('TestWebhook')).toEqual({ place: { groupId: 0, projectId: 0 }, webhookId: 4, trigger: 'push_events' });
});
