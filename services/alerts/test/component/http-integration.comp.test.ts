import { sql } from '@switchyard/database/sql';
import { AlertSettingsServiceService, UpdateAlertSettingsRequest } from '@switchyard/protos/alerts/v1/alert_settings';
import {
  CreateHttpIntegrationRequest,
  HttpIntegrationServiceService,
  UpdateHttpIntegrationRequest,
} from '@switchyard/protos/alerts/v1/http_integration';
import { TrialServiceService } from '@switchyard/protos/alerts/v1/trial';
import type { RpcClient } from '@switchyard/rpc';
import { externalUrl, type Installation, json, startInstallation } from '../support/installation';

let here: Installation;
let integrations: RpcClient<typeof HttpIntegrationServiceService>;
let settings: RpcClient<typeof AlertSettingsServiceService>;

beforeAll(async () => {
  here = await startInstallation();
  integrations = here.client(HttpIntegrationServiceService);
  settings = here.client(AlertSettingsServiceService);
});

afterAll(() => here?.close());

const as = (projectId: number, tier = 'ultimate') => here.as({ id: 7 }, { id: projectId, tier });

const create = async (projectId: number, given: Partial<CreateHttpIntegrationRequest> = {}, tier?: string) =>
  json(
    await integrations.createHttpIntegration(
      CreateHttpIntegrationRequest.fromPartial({ projectId, name: 'Grafana', active: true, type: 'HTTP', ...given }),
      as(projectId, tier),
    ),
  );

const mapped = (fieldName: string, path: string[], type = 'STRING', fallbackPath: string[] = []) => ({
  fieldName,
  path,
  type,
  label: '',
  fallbackPath,
});

describe('an alert integration', () => {
  it('returns its key once, and is shown with the end of it', async () => {
    const made = await create(1, { name: 'Grafana (EU)' });
    expect(made).toMatchObject({ name: 'Grafana (EU)', type: 'HTTP', active: true, payload_example: null });
    expect(made.token).toMatch(/^[0-9a-f]{32}$/);
    expect(made.url).toMatch(new RegExp(`^${externalUrl}/group/project/alerts/notify/grafana-eu/[0-9a-f]{16}\\.json$`));
    const key = { projectId: 1, integrationId: made.id };
    const hint = `****${made.token.slice(-4)}`;
    expect(json(await integrations.getHttpIntegration(key, as(1))).token).toBe(hint);
    const reset = json(await integrations.resetHttpIntegrationToken(key, as(1)));
    expect(reset.token).toMatch(/^[0-9a-f]{32}$/);
    expect(reset.token).not.toBe(made.token);
    expect(reset.url).toBe(made.url);
    const [row] = await here.db.query<{ row: string }>(
      sql`select i::text as row from http_integrations i where id = ${made.id}`,
    );
    expect(row?.row).not.toContain(reset.token);
  });

  it('belongs to its project', async () => {
    const made = await create(2);
    await expect(
      integrations.getHttpIntegration({ projectId: 3, integrationId: made.id }, as(3)),
    ).rejects.toMatchObject({ body: { message: '404 HTTP integration Not Found' } });
    await expect(
      integrations.getHttpIntegration({ projectId: 2, integrationId: made.id }, as(3)),
    ).rejects.toMatchObject({ body: { message: '404 Project Not Found' } });
    await integrations.deleteHttpIntegration(
      { projectId: 2, integrationId: made.id, ifUnmodifiedSince: undefined },
      as(2),
    );
    const listed = await integrations.listHttpIntegrations({ projectId: 2, page: undefined }, as(2));
    expect(json(listed)).toEqual([]);
  });

  it('has a mapping that agrees with its sample, also after a change', async () => {
    const payloadExample = '{"event":{"name":"Down","when":"2024-01-31T08:39:14Z","hosts":["a"]}}';
    const mapping = {
      mappings: [
        mapped('TITLE', ['event', 'title'], 'STRING', ['event', 'name']),
        mapped('hosts', ['event', 'hosts', '0']),
        mapped('severity', ['event', 'hosts'], 'ARRAY'),
      ],
    };
    await expect(create(4, { name: '', payloadExample, mapping })).rejects.toMatchObject({
      body: {
        message: {
          name: ["can't be blank"],
          payload_attribute_mappings: [
            'TITLE has a path that is not in the sample payload',
            'severity must be of type STRING or DATETIME',
          ],
        },
      },
    });
    const good = {
      mappings: [mapped('title', ['event', 'name']), mapped('start_time', ['event', 'when'], 'datetime')],
    };
    const made = await create(4, { payloadExample, mapping: good });
    expect(made).toMatchObject({
      payload_example: JSON.parse(payloadExample),
      payload_attribute_mappings: [
        { field_name: 'title', path: ['event', 'name'], type: 'STRING', label: null, fallback_path: null },
        { field_name: 'start_time', path: ['event', 'when'], type: 'DATETIME' },
      ],
    });
    const change = (given: Partial<UpdateHttpIntegrationRequest>) =>
      integrations.updateHttpIntegration(
        UpdateHttpIntegrationRequest.fromPartial({ projectId: 4, integrationId: made.id, ...given }),
        as(4),
      );
    await expect(change({ payloadExample: '{"event":{"name":"Down"}}' })).rejects.toMatchObject({
      body: {
        message: { payload_attribute_mappings: ['start_time has a path that is not in the sample payload'] },
      },
    });
    await expect(change({ payloadExample: '' })).rejects.toMatchObject({
      body: { message: { payload_example: ["can't be blank while fields are mapped"] } },
    });
    expect(json(await change({ active: false, type: 'PROMETHEUS' }))).toMatchObject({
      active: false,
      type: 'PROMETHEUS',
      payload_attribute_mappings: [{ field_name: 'title' }, { field_name: 'start_time' }],
    });
    expect(json(await change({ payloadExample: '', mapping: { mappings: [] } }))).toMatchObject({
      payload_example: null,
      payload_attribute_mappings: [],
    });
  });

  it.each([
    ['{"a":', 'must be valid JSON'],
    ['[{"a":1}]', 'must be a JSON object'],
    [`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, 'is nested too deeply'],
    [JSON.stringify({ a: 'x'.repeat(1 << 20) }), 'is too large (maximum is 1048576 bytes)'],
  ])('has no sample payload such as %.20s', async (payloadExample, problem) => {
    await expect(create(5, { payloadExample })).rejects.toMatchObject({
      body: { message: { payload_example: [problem] } },
    });
  });

  it('keeps a sample payload that PostgreSQL could not store as text', async () => {
    const made = await create(5, { payloadExample: '{"a":"\\u0000\\ud800","__proto__":{"b":1}}' });
    expect(made.payload_example.a).toBe('\0\ud800');
  });

  it('returns its sample payload exactly', async () => {
    const payloadExample = '{"n":12345678901234567890123, "e":1e400,"z":-0,"f":1.0,"a":1,"a":2,"__proto__":{}}';
    const letters = (reply: { json: Buffer }) => reply.json.toString();
    const given = { projectId: 13, name: 'Grafana', active: true, type: 'HTTP', payloadExample };
    const made = await integrations.createHttpIntegration(CreateHttpIntegrationRequest.fromPartial(given), as(13));
    const key = { projectId: 13, integrationId: json(made).id };
    const change = UpdateHttpIntegrationRequest.fromPartial({ ...key, name: 'G' });
    const shown = [
      made,
      await integrations.getHttpIntegration(key, as(13)),
      await integrations.updateHttpIntegration(change, as(13)),
      await integrations.resetHttpIntegrationToken(key, as(13)),
      await integrations.listHttpIntegrations({ projectId: 13, page: undefined }, as(13)),
    ];
    for (const reply of shown) expect(letters(reply)).toContain(`"payload_example":${payloadExample}`);
    expect(letters(await integrations.getHttpIntegration(key, as(13, 'free')))).not.toContain('payload_example');
  });

  it('is alone in the free tier, without mapping, also when two are made at once', async () => {
    const payloadExample = '{"a":1}';
    const mapping = { mappings: [mapped('title', ['nowhere'])] };
    const made = await Promise.allSettled(
      Array.from({ length: 4 }, () => create(6, { payloadExample, mapping }, 'free')),
    );
    const fulfilled = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(fulfilled).toHaveLength(1);
    expect(fulfilled[0]).not.toHaveProperty('payload_example');
    expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { kind: 'forbidden', body: { message: '403 Forbidden - Several integrations need Premium' } },
    });
    expect((await create(6, {}, 'premium')).payload_attribute_mappings).toEqual([]);
  });

  it('is one of a hundred at the most', async () => {
    await here.db.query(sql`
      insert into http_integrations (project_id, name, endpoint_id, key_digest, key_hint, active)
      select 8, 'I', lpad(to_hex(n), 16, '0'), decode(repeat('00', 32), 'hex'), '0000', true from generate_series(1, 99) n`);
    await create(8);
    await expect(create(8)).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('a trial', () => {
  let projectId: number;
  let integrationId: number;
  const trial = () => here.client(TrialServiceService);
  const test = (payload: string) => trial().sendTestAlert({ projectId, integrationId, payload }, as(projectId));
  const preview = async (payload: string, mappings?: ReturnType<typeof mapped>[]) =>
    json(
      await trial().previewPayload(
        { projectId, integrationId, payload, mapping: mappings && { mappings } },
        as(projectId),
      ),
    );

  beforeAll(async () => {
    // Only a request that carries the sequence of the directory waits for it here.
    here.directory.user({ username: 'ghost', bot: true });
    projectId = here.directory.project(here.directory.namespace({ tier: 'ultimate' }).id).id;
    const payloadExample = '{"event":{"name":"Sample"}}';
    const mapping = { mappings: [mapped('title', ['event', 'name'])] };
    integrationId = (await create(projectId, { payloadExample, mapping })).id;
  });

  it('becomes an alert as any payload does', async () => {
    const first = json(await test('{"event":{"name":"Down"},"fingerprint":"f"}'));
    expect(first).toEqual({ receipt_id: expect.any(String), alerts: [{ iid: 1, title: 'Down' }] });
    expect(json(await test('{"event":{"name":"Down"},"fingerprint":"f"}')).alerts).toEqual(first.alerts);
    expect(await here.db.query(sql`select events, integration_id from alerts where project_id = ${projectId}`)).toEqual(
      [{ events: 2, integration_id: integrationId }],
    );
    await expect(test('[]')).rejects.toMatchObject({ kind: 'bad_request' });
    await integrations.updateHttpIntegration(
      UpdateHttpIntegrationRequest.fromPartial({ projectId, integrationId, active: false }),
      as(projectId),
    );
    await expect(test('{}')).rejects.toMatchObject({ kind: 'forbidden' });
    const unknown = trial().sendTestAlert({ projectId, integrationId: 999_999, payload: '{}' }, as(projectId));
    await expect(unknown).rejects.toMatchObject({ body: { message: '404 HTTP integration Not Found' } });
  });

  it('can be previewed, by the stored mapping or another one', async () => {
    const before = await here.db.query(sql`select count(*) from alerts`);
    const ofSample = await preview('');
    expect(ofSample).toMatchObject({
      format: 'custom',
      items: [{ outcome: 'firing', reason: null, alert: { title: 'Sample', severity: 'critical', started_at: null } }],
    });
    const ended = await preview('{"what":{"is":"X"},"title":"Y","status":"resolved"}', [
      mapped('title', ['what', 'is']),
    ]);
    expect(ended.items).toMatchObject([{ outcome: 'end', title: 'X' }]);
    await expect(preview('{"a":', [mapped('colour', ['a'])])).rejects.toMatchObject({
      body: {
        message: {
          payload: ['must be valid JSON'],
          payload_attribute_mappings: ['colour is no field that can be mapped'],
        },
      },
    });
    expect(await here.db.query(sql`select count(*) from alerts`)).toEqual(before);
  });
});

it('settings have defaults, and change one by one', async () => {
  const get = async () => json(await settings.getAlertSettings({ projectId: 9 }, as(9)));
  const defaults = { create_issue: false, send_email: false, auto_close_incident: true, fingerprinting: true };
  expect(await get()).toEqual(defaults);
  const update = async (given: Partial<UpdateAlertSettingsRequest>) =>
    json(await settings.updateAlertSettings(UpdateAlertSettingsRequest.fromPartial({ projectId: 9, ...given }), as(9)));
  expect(await update({ createIssue: true })).toEqual({ ...defaults, create_issue: true });
  expect(await update({ autoCloseIncident: false })).toEqual({
    ...defaults,
    create_issue: true,
    auto_close_incident: false,
  });
  expect(await get()).toEqual({ ...defaults, create_issue: true, auto_close_incident: false });
});

it.each([
  ['premium', { fingerprinting: false }, { fingerprinting: true }],
  ['free', {}, {}],
])('settings that %s lacks are ignored and left out, and kept for the tier that has them', async (tier, set, back) => {
  const projectId = tier === 'free' ? 11 : 12;
  const update = async (createIssue: boolean, fingerprinting: boolean, by: string) =>
    json(
      await settings.updateAlertSettings(
        UpdateAlertSettingsRequest.fromPartial({ projectId, createIssue, fingerprinting }),
        as(projectId, by),
      ),
    );
  const rest = { send_email: false, auto_close_incident: true };
  const get = async (by: string) => json(await settings.getAlertSettings({ projectId }, as(projectId, by)));
  expect(await update(true, false, tier)).toEqual({ ...rest, ...set });
  expect(await get('ultimate')).toEqual({ ...rest, create_issue: false, fingerprinting: true, ...set });
  await update(true, true, 'ultimate');
  expect(await get(tier)).toEqual({ ...rest, ...back });
  await update(false, true, tier);
  expect(await get('ultimate')).toMatchObject({ create_issue: true });
});
