import { AlertAssigneeFilter_Kind } from '@switchyard/protos/alerts/v1/alert';
import { entity, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const token = { token: 'glpat-alerts' };
const integration = {
  id: 5,
  name: 'Grafana',
  type: 'HTTP',
  active: true,
  url: 'https://forge.example/group/project/alerts/notify/grafana/0123456789abcdef.json',
  token: '****cdef',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
};
const reference = { id: 9, iid: 2, project_id: 1, web_url: 'https://forge.example/group/project/-/issues/2' };

describe('alerts', () => {
  let gateway: TestGateway;
  const info = { keyset: false, page: 1, perPage: 20, total: 0, hasNext: false };
  const asked = () => gateway.calls.at(-1)?.request;

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: () => resolved({ access: projectAccess({ level: 40 }) }),
      fakes: {
        'HttpIntegrationService/CreateHttpIntegration': async () => entity(integration),
        'HttpIntegrationService/UpdateHttpIntegration': async () => entity(integration),
        'TrialService/PreviewPayload': async () => entity({ format: 'custom', items: [] }),
        'AlertService/ListAlerts': async () => page([], info),
        'AlertService/RequestIncident': async ({ iid }: { iid: number }) =>
          iid === 1 ? entity(reference, 201) : entity({ message: '202 Accepted' }, 202),
      },
    });
  });
  afterAll(() => gateway.close());

  const integrations = '/projects/1/alert_management/http_integrations';
  const alerts = '/projects/1/alert_management_alerts';
  const mapping = { field_name: 'HOSTS', path: ['event', 0, 'host'], type: 'array' };
  const wired = { fieldName: 'HOSTS', path: ['event', '0', 'host'], type: 'array', label: '', fallbackPath: [] };

  it('an integration takes a sample as an object or as its text, and types in either case', async () => {
    const body = { name: 'Grafana', active: 'yes', type: 'prometheus', payload_attribute_mappings: [mapping] };
    const sent = await gateway.send('POST', integrations, { ...token, body: { ...body, payload_example: { a: [1] } } });
    expect(sent).toMatchObject({ status: 201, body: integration });
    expect(asked()).toEqual({
      projectId: 1,
      name: 'Grafana',
      active: true,
      type: 'PROMETHEUS',
      payloadExample: '{"a":[1]}',
      mapping: { mappings: [wired] },
    });
    const payload_example = ' {"n": 12345678901234567890}';
    await gateway.send('POST', integrations, { ...token, body: { name: 'G', active: false, payload_example } });
    expect(asked()).toMatchObject({ type: 'HTTP', payloadExample: payload_example, mapping: undefined });
  });

  it.each([
    ['numbers', '{"n": 12345678901234567890123, "f":0.10000000000000000001,"z":-0, "e":1e400,"i":1.0 }'],
    ['strings', '{"s":"\\u00e9 \\" } ] , :","payload":{"a":1},"\\"":"}", "é":"\\\\"}'],
    ['a member that comes twice', '{"a":1,"a":2}'],
    ['names that JavaScript has a use for', '{"__proto__":{"a":1},"constructor":[{"prototype":1}]}'],
    ['nothing', '{}'],
  ])('a payload that is an object is passed on to the letter: %s', async (_what, payload) => {
    const headers = { 'Content-Type': 'application/json' };
    const send = (raw: string, method = 'POST', path = `${integrations}/5/preview`) =>
      gateway.send(method, path, { ...token, headers, raw });
    for (const raw of [
      `{"payload":${payload}}`,
      ` { "x" : [ {"payload":1} ] , "pay\\u006coad" : \n ${payload}\t , "y":{"payload":"}"}}`,
      `{"payload":{"not":"this"},"payload":${payload}}`,
    ]) {
      expect(await send(raw)).toMatchObject({ status: 200 });
      expect(asked()).toMatchObject({ payload });
    }
    await send(`{"payload_example":${payload}}`, 'PUT', `${integrations}/5`);
    expect(asked()).toMatchObject({ payloadExample: payload });
    for (const body of [
      '{"payload":{},"a":{"constructor":1}}',
      '{"payload":{},"__proto__":{}}',
      '{"payload":[{"prototype":1}]}',
    ])
      expect(await send(body)).toMatchObject({ status: 400, body: { error: 'parameter name is invalid' } });
    for (const other of ['[{}]', '5', 'null', 'true', '"[]"'])
      expect([other, (await send(`{"payload":${other}}`)).status]).toEqual([other, other === 'null' ? 200 : 400]);
  });

  it('a change of an integration says what is to go, and nothing of the rest', async () => {
    await gateway.send('PUT', `${integrations}/5`, {
      ...token,
      body: { payload_example: '', payload_attribute_mappings: [] },
    });
    expect(asked()).toEqual({
      projectId: 1,
      integrationId: 5,
      name: undefined,
      active: undefined,
      type: undefined,
      payloadExample: '',
      mapping: { mappings: [] },
    });
    expect(await gateway.send('PUT', `${integrations}/5`, { ...token, body: {} })).toMatchObject({ status: 400 });
  });

  it('what an integration is shown as can be sent back', async () => {
    const shown = { field_name: 'title', path: ['a'], type: 'STRING', label: null, fallback_path: null };
    const body = { ...integration, payload_example: { a: 'b' }, payload_attribute_mappings: [shown] };
    expect(await gateway.send('PUT', `${integrations}/5`, { ...token, body })).toMatchObject({ status: 200 });
    expect(asked()).toMatchObject({
      payloadExample: '{"a":"b"}',
      mapping: { mappings: [{ fieldName: 'title', path: ['a'], type: 'STRING', label: '', fallbackPath: [] }] },
    });
  });

  it('keys of a path are taken to the letter', async () => {
    const path = ['a,b', ' a ', '', '\u00a0'];
    const payload_attribute_mappings = [{ field_name: 'title', path, type: 'STRING', fallback_path: path }];
    await gateway.send('POST', `${integrations}/5/preview`, { ...token, body: { payload_attribute_mappings } });
    expect(asked()).toMatchObject({ mapping: { mappings: [{ path, fallbackPath: path }] } });
  });

  it('a mapping may come as a form', async () => {
    const form = new URLSearchParams([
      ['payload', '{"a":1}'],
      ...Object.entries({ field_name: 'title', type: 'STRING' }).map(([name, value]) => [
        `payload_attribute_mappings[0][${name}]`,
        value,
      ]),
      ['payload_attribute_mappings[0][path][]', 'a'],
    ] as [string, string][]);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const reply = await gateway.send('POST', `${integrations}/5/preview`, { ...token, headers, raw: form.toString() });
    expect(reply).toMatchObject({ status: 200, body: { format: 'custom' } });
    expect(asked()).toMatchObject({ payload: '{"a":1}', mapping: { mappings: [{ fieldName: 'title', path: ['a'] }] } });
  });

  it.each([
    ['assignee_id=None', { kind: AlertAssigneeFilter_Kind.KIND_NONE, userId: 0, username: '' }],
    ['assignee_id=any', { kind: AlertAssigneeFilter_Kind.KIND_ANY, userId: 0, username: '' }],
    ['assignee_id=7', { kind: AlertAssigneeFilter_Kind.KIND_USER, userId: 7, username: '' }],
    ['assignee_username=ada', { kind: AlertAssigneeFilter_Kind.KIND_USER, userId: 0, username: 'ada' }],
    ['', undefined],
  ])('the list takes %s', async (query, assignee) => {
    const more = 'status=triggered,acknowledged&severity[]=high&order_by=ended_at&sort=asc';
    expect(await gateway.send('GET', `${alerts}?${more}&${query}`, token)).toMatchObject({ status: 200 });
    expect(asked()).toMatchObject({
      statuses: ['triggered', 'acknowledged'],
      severities: ['high'],
      page: { orderBy: 'ended_at', descending: false },
    });
    expect(asked()).toHaveProperty('assignee', assignee);
  });

  it('an incident is there at once, or on its way', async () => {
    const send = (iid: number) => gateway.send('POST', `${alerts}/${iid}/issue`, token);
    expect(await send(1)).toMatchObject({ status: 201, body: reference });
    expect(await send(2)).toMatchObject({ status: 202, body: { message: '202 Accepted' } });
  });

  it('what is refused is named', async () => {
    const texts = async (method: string, path: string, body?: unknown) =>
      (await gateway.send(method, path, { ...token, body })).body.error;
    expect(await texts('POST', integrations, { type: 'SMTP', payload_example: [1] })).toBe(
      'name is missing, active is missing, type does not have a valid value, payload_example is invalid',
    );
    expect(await texts('GET', `${alerts}?status=open&assignee_id=1&assignee_username=a`)).toBe(
      'status does not have a valid value, assignee_id, assignee_username are mutually exclusive',
    );
    expect(await texts('PUT', `${alerts}/1`, {})).toBe(
      'status, assignee_ids are missing, at least one parameter must be provided',
    );
  });
});
