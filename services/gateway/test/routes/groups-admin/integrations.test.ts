import { AppError } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, json } from '@switchyard/rpc';
import { actor, newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const integration = {
  id: 1,
  title: 'Slack notifications',
  slug: 'slack',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  active: true,
  ...Object.fromEntries(
    [
      'commit',
      'push',
      'issues',
      'incident',
      'alert',
      'confidential_issues',
      'merge_requests',
      'tag_push',
      'deployment',
      'note',
      'confidential_note',
      'pipeline',
      'wiki_page',
      'job',
      'vulnerability',
    ].map((name) => [`${name}_events`, true]),
  ),
  comment_on_event_enabled: true,
  inherited: false,
};
const single = { ...integration, properties: { channel: null, notify_only_broken_pipelines: true } };

let gateway: TestGateway;
let refused: Error | undefined;

beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        actor: actor({ admin: true }),
        access:
          target?.$case === 'group'
            ? { ...projectAccess({ level: 40 }), kind: Access_Kind.KIND_GROUP, id: 3 }
            : target === undefined
              ? undefined
              : projectAccess({ id: 5, level: 40 }),
      }),
    fakes: {
      'IntegrationService/ListIntegrations': async () => entity([integration]),
      'IntegrationService/GetIntegration': async () => entity(single),
      'IntegrationService/SetIntegration': async () => {
        if (refused !== undefined) throw refused;
        return entity(single);
      },
      'IntegrationService/DisableIntegration': async () => json(Buffer.alloc(0), 204),
    },
  });
});
afterAll(() => gateway.close());
beforeEach(() => {
  refused = undefined;
  gateway.calls.length = 0;
});

const asked = (rpc: string) => gateway.calls.findLast((call) => call.rpc === `IntegrationService/${rpc}`)?.request;
const put = (path: string, body: object) => gateway.send('PUT', path, { ...newToken(), body });

describe.each([
  ['/groups/3/integrations', { groupId: 3, projectId: 0 }],
  ['/projects/5/integrations', { groupId: 0, projectId: 5 }],
  ['/projects/5/services', { groupId: 0, projectId: 5 }],
  ['/admin/integrations', { groupId: 0, projectId: 0 }],
])('%s (G-4.4-12)', (path, parent) => {
  it('200, 204: list, get, set up, disable', async () => {
    const listed = await gateway.send('GET', path, newToken());
    expect([listed.status, listed.body, listed.headers.get('x-page')]).toEqual([200, [integration], null]);
    expect(asked('ListIntegrations')).toEqual({ parent });
    expect((await gateway.send('GET', `${path}/slack`, newToken())).body).toEqual(single);
    expect(asked('GetIntegration')).toEqual({ parent, slug: 'slack' });
    const body = { webhook: 'https://a.example', push_events: 'false', api_key: 'of another kind', unknown: 1 };
    expect((await put(`${path}/slack`, body)).status).toBe(200);
    expect(asked('SetIntegration')).toEqual({
      parent,
      slug: 'slack',
      parameters: [
        { name: 'webhook', value: { $case: 'text', value: 'https://a.example' } },
        { name: 'push_events', value: { $case: 'flag', value: false } },
      ],
      useInheritedSettings: false,
    });
    const removed = await gateway.send('DELETE', `${path}/slack`, newToken());
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(asked('DisableIntegration')).toEqual({ parent, slug: 'slack' });
  });

  it('400: what is missing and of a wrong type, at once (G-4.4-2)', async () => {
    expect((await put(`${path}/asana`, {})).body).toEqual({ error: 'api_key is missing' });
    expect((await put(`${path}/bamboo`, { username: 'a', enable_ssl_verification: 'perhaps' })).body).toEqual({
      error: 'enable_ssl_verification is invalid, bamboo_url is missing, build_key is missing, password is missing',
    });
    const wrong = { recipients: ['a'], server_port: 'x', push_events: {} };
    expect((await put(`${path}/irker`, wrong)).body).toEqual({
      error: 'recipients is invalid, server_port is invalid, push_events is invalid',
    });
    expect(gateway.calls.filter(({ rpc }) => rpc.startsWith('Integration'))).toEqual([]);
  });

  it('400, 405: a kind that there is not (G-4.4-2, G-4.4-3)', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await gateway.send(method, `${path}/nothing`, newToken())).body).toEqual({
        error: 'slug does not have a valid value',
      });
    refused = new AppError('not_allowed', { error: '405 Not Allowed' });
    const sent = await put(`${path}/nothing`, { webhook: 'x' });
    expect([sent.status, sent.body]).toEqual([405, { error: '405 Not Allowed' }]);
    expect(asked('SetIntegration')).toMatchObject({ slug: 'nothing', parameters: [] });
  });

  it('with the settings of another place nothing is required (G-4.4-6)', async () => {
    expect((await put(`${path}/slack`, { use_inherited_settings: 'true' })).status).toBe(200);
    expect(asked('SetIntegration')).toMatchObject({ useInheritedSettings: true });
    const listed = { url: 'https://a.example', password: 'p', project_keys: 'A,B', jira_auth_type: 1 };
    expect((await put(`${path}/jira`, listed)).status).toBe(200);
    expect(asked('SetIntegration')).toMatchObject({
      parameters: expect.arrayContaining([
        { name: 'project_keys', value: { $case: 'texts', value: { items: ['A', 'B'] } } },
        { name: 'jira_auth_type', value: { $case: 'number', value: 1 } },
      ]),
    });
  });
});
