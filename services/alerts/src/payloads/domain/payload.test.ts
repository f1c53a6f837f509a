import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { parseJson } from './exact-json';
import { readPayload } from './payload';
import type { PayloadRules } from './payload-custom';
import type { PayloadItem, ReportedAlert } from './reported-alert';

const digest = (text: string): string => createHash('sha1').update(text).digest('hex');
const now = new Date('2026-03-01T12:00:00Z');
const rules: PayloadRules = { digest, mappings: [], fingerprinting: true, now };

const readText = (text: string) => readPayload(parseJson(text), text, rules);
const read = (payload: unknown, given: Partial<PayloadRules> = {}) =>
  readPayload(payload, JSON.stringify(payload), { ...rules, ...given });

function custom(payload: unknown, given: Partial<PayloadRules> = {}): ReportedAlert {
  const found = read(payload, given);
  const [item] = found?.items ?? [];
  if (found?.format !== 'custom' || item?.kind !== 'reported') throw new Error('not a custom payload');
  return item.alert;
}

const group = (alerts: unknown, more: object = {}) => ({
  receiver: 'team',
  status: 'firing',
  alerts,
  groupLabels: {},
  commonLabels: {},
  commonAnnotations: {},
  externalURL: 'http://alertmanager',
  version: '4',
  groupKey: '{}:{}',
  ...more,
});
const item = (given: object = {}) => ({
  status: 'firing',
  labels: { alertname: 'Down' },
  annotations: {},
  startsAt: '2026-03-01T10:00:00.123456789Z',
  endsAt: '0001-01-01T00:00:00Z',
  generatorURL: 'http://prometheus/graph?g0.expr=up+%3D%3D+0&g0.tab=1',
  ...given,
});
const items = (alerts: unknown, more: object = {}): readonly PayloadItem[] => read(group(alerts, more))?.items ?? [];
function metrics(given: object = {}, more: object = {}): ReportedAlert {
  const [one] = items([item(given)], more);
  if (one?.kind !== 'reported') throw new Error('rejected');
  return one.alert;
}

describe('the content decides the format', () => {
  it('nine keys and version "4" make the metrics format', () => {
    expect(read(group([]))?.format).toBe('metrics');
    expect(read(group([], { version: 4 }))?.format).toBe('custom');
    expect(read(group([], { truncatedAlerts: 0 }))?.format).toBe('metrics');
  });

  it.each(Object.keys(group([])))('without %s it is the custom one', (key) => {
    const payload: Record<string, unknown> = group([]);
    delete payload[key];
    expect(read(payload)?.format).toBe('custom');
  });

  it.each([[[]], [null], ['text'], [1], [group({})], [group('x')]])('%j is no payload', (payload) =>
    expect(read(payload)).toBeUndefined(),
  );
});

describe('a custom payload', () => {
  it('may be empty and still is an alert', () =>
    expect(custom({})).toMatchObject({
      isEnd: false,
      title: 'New: Alert',
      severity: 'critical',
      hosts: [],
      fingerprint: undefined,
      startsAt: undefined,
      endsAt: undefined,
      payload: '{}',
    }));

  it('gives every attribute its place and keeps the others', () => {
    const payload = {
      title: 'Disk full',
      description: 'no room',
      start_time: '2026-03-01T10:00:00+02:00',
      service: 'db',
      monitoring_tool: 'watcher',
      hosts: ['a', ['b', 1]],
      severity: 'HIGH',
      fingerprint: 'disk',
      platform_environment_name: 'production',
      platform_incident_markdown: '**look**',
      rack: { row: 7, door: ['left', null, true] },
      note: '',
    };
    expect(custom(payload)).toMatchObject({
      title: 'Disk full',
      description: 'no room',
      startsAt: new Date('2026-03-01T08:00:00Z'),
      service: 'db',
      monitoringTool: 'watcher',
      hosts: ['a', 'b', '1'],
      severity: 'high',
      fingerprint: digest('disk'),
      environment: 'production',
      incidentMarkdown: '**look**',
      attributes: [
        { name: 'rack/row', value: '7' },
        { name: 'rack/door/0', value: 'left' },
        { name: 'rack/door/2', value: 'true' },
      ],
      payload: JSON.stringify(payload),
    });
    expect(custom({ gitlab_environment_name: 'production' }).environment).toBe('production');
  });

  it.each([
    ['critical', 'critical'],
    ['High', 'high'],
    ['MEDIUM', 'medium'],
    [' low ', 'low'],
    ['info', 'info'],
    ['unknown', 'unknown'],
    ['page', 'critical'],
    [undefined, 'critical'],
    [3, 'critical'],
    [['high'], 'critical'],
  ])('severity %j is %s', (severity, meant) => expect(custom({ severity }).severity).toBe(meant));

  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01 10:00:00 UTC', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.987654321-0330', '2026-03-01T13:30:00.987Z'],
    ['2026-03-01T10:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T10:00:00+0000', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01 10:00:00+00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.5-07', '2026-03-01T17:00:00.500Z'],
    ['2026-03-01 10:00:00 -0530', '2026-03-01T15:30:00.000Z'],
    ['2026-03-01 10:00:00.123456789 +0100 CET', '2026-03-01T09:00:00.123Z'],
    ['2026-03-01 10:00:00 +0000 UTC m=+0.000012345', '2026-03-01T10:00:00.000Z'],
    ['20260301T100000Z', '2026-03-01T10:00:00.000Z'],
    ['20260301T100000,25+0130', '2026-03-01T08:30:00.250Z'],
    ['20260301T1000', '2026-03-01T10:00:00.000Z'],
    ['2026/03/01 10:00:00', '2026-03-01T10:00:00.000Z'],
    ['Sun, 01 Mar 2026 10:00:00 GMT', '2026-03-01T10:00:00.000Z'],
    ['Sun, 01 Mar 2026 10:00:00 +0000', '2026-03-01T10:00:00.000Z'],
    ['Sun, 1 Mar 2026 10:00:00 -0500 (EST)', '2026-03-01T15:00:00.000Z'],
    ['1 March 2026 10:00 UTC', '2026-03-01T10:00:00.000Z'],
    ['Sun Mar 01 2026 10:00:00 GMT+0100', '2026-03-01T09:00:00.000Z'],
    ['Sun Mar 01 2026 10:00:00 GMT+0100 (Central European Standard Time)', '2026-03-01T09:00:00.000Z'],
    ['30 Feb 2026 10:00:00 GMT', undefined],
    ['1 Brumaire 2026 10:00:00 GMT', undefined],
    ['1 Mar 2026 10:00:00', undefined],
    ['2026-03/01', undefined],
    ['20260301100000 +0000', undefined],
    ['2026-03-01T10:00:00+25', undefined],
    ['soon +0000', undefined],
    [1_772_359_200_000, '2026-03-01T10:00:00.000Z'],
    ['1772359200000', '2026-03-01T10:00:00.000Z'],
    [1_772_359_200, '2026-03-01T10:00:00.000Z'],
    ['0001-01-01T00:00:00Z', undefined],
    ['2026-02-30T25:00:00Z', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
    [{}, undefined],
    [-1, undefined],
    [1e300, undefined],
  ])('end_time %j is %s', (end_time, timestamp) => {
    const { isEnd, endsAt } = custom({ end_time });
    expect({ isEnd, endsAt: endsAt?.toISOString() }).toEqual({ isEnd: timestamp !== undefined, endsAt: timestamp });
  });

  it('ends by its status as well', () => {
    expect(custom({ status: 'Resolved' })).toMatchObject({ isEnd: true, endsAt: undefined });
    expect(custom({ status: 'ok' }).isEnd).toBe(false);
  });

  it('is cut to its lengths, counted in characters', () => {
    const long = '😀'.repeat(2_000);
    const { title, description, service, monitoringTool, hosts } = custom({
      title: long,
      description: long,
      service: long,
      monitoring_tool: long,
      hosts: ['x'.repeat(200), 'y'.repeat(200), 'z'],
    });
    expect([title, description, service, monitoringTool].map((text) => [...(text ?? '')].length)).toEqual([
      200, 1_000, 100, 100,
    ]);
    expect(hosts).toEqual(['x'.repeat(200), 'y'.repeat(55)]);
  });

  it('has neither NUL nor lone surrogates in what is stored as text', () =>
    expect(custom({ title: 'a\0b\ud800c😀', hosts: '\udfff' })).toMatchObject({ title: 'a�b�c😀', hosts: ['�'] }));

  it('takes a number or a truth value as text, and nothing else', () => {
    expect(custom({ title: 5, service: false })).toMatchObject({ title: '5', service: 'false' });
    expect(custom({ title: { a: 1 }, description: [] })).toMatchObject({ title: 'New: Alert', description: undefined });
    expect(custom({ title: '  ' }).title).toBe('New: Alert');
  });

  it('keeps names that reach a prototype as names', () =>
    expect(custom(JSON.parse('{"__proto__":{"polluted":1},"constructor":"x"}')).attributes).toEqual([
      { name: '__proto__/polluted', value: '1' },
      { name: 'constructor', value: 'x' },
    ]));

  it('keeps a hundred further attributes at most', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`a${at}`, { b: 'x'.repeat(2_000) }]));
    const { attributes } = custom(many);
    expect(attributes).toHaveLength(100);
    expect(attributes[99]).toEqual({ name: 'a99/b', value: 'x'.repeat(1_000) });
  });
});

describe('the fingerprint of a custom payload', () => {
  it.each([
    ['abc', 'abc'],
    [7, '7'],
    [['a', ['b', 1]], 'ab1'],
    [{ b: 1, a: { d: 2, c: [3] } }, '{"a":{"c":[3],"d":2},"b":1}'],
  ])('%j is given', (fingerprint, text) => {
    expect(custom({ fingerprint }).fingerprint).toBe(digest(text));
    expect(custom({ fingerprint }, { fingerprinting: false }).fingerprint).toBe(digest(text));
  });

  it.each([[null], [''], [' '], [false], [[]], [{}]])('%j is none', (fingerprint) =>
    expect(custom({ title: 'x', fingerprint }, { fingerprinting: false }).fingerprint).toBeUndefined(),
  );

  it('is made of the payload without start, end, hosts and status', () => {
    const { fingerprint } = custom({ title: 'x', b: { d: 1, c: 2 } });
    const other = { b: { c: 2, d: 1 }, hosts: 'h', title: 'x', start_time: 'now', end_time: 1_772_359_200_000 };
    expect(custom(other).fingerprint).toBe(fingerprint);
    expect(custom({ ...other, status: 'resolved' }).fingerprint).toBe(fingerprint);
    expect(custom({ ...other, status: 'degraded' }).fingerprint).not.toBe(fingerprint);
    expect(custom({ ...other, title: 'y' }).fingerprint).not.toBe(fingerprint);
  });

  it('is none where the project does not want one', () =>
    expect(custom({ title: 'x' }, { fingerprinting: false }).fingerprint).toBeUndefined());

  it('of objects does not depend on the order of their keys', () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, one]) => [key, reversed(one)]),
            )
          : value;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), (payload) => {
        expect(custom(reversed(payload)).fingerprint).toBe(custom(payload).fingerprint);
      }),
    );
  });

  it('costs little where a long name lies above many values', () => {
    const payload = { ['k'.repeat(400_000)]: Array.from({ length: 100_000 }, (_, at) => at % 10) };
    const startedAt = performance.now();
    custom(payload);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('a mapping', () => {
  const mappings: PayloadRules['mappings'] = [
    { field: 'title', path: ['event', 'name'], fallbackPath: ['event', 'short'] },
    { field: 'hosts', path: ['nodes', 0, 'names'], fallbackPath: undefined },
    { field: 'fingerprint', path: ['event', 'id'], fallbackPath: undefined },
    { field: 'end_time', path: ['over', 'at'], fallbackPath: undefined },
    { field: 'environment_name', path: ['env'], fallbackPath: undefined },
    { field: 'severity', path: ['level'], fallbackPath: undefined },
  ];

  it('goes first', () =>
    expect(
      custom(
        {
          title: 'standard',
          fingerprint: 'standard',
          event: { name: 'mapped', id: ['x', 1] },
          nodes: [{ names: ['n1'] }],
          over: { at: '2026-03-01T10:00:00Z' },
          env: 'staging',
          level: 'low',
        },
        { mappings },
      ),
    ).toMatchObject({
      title: 'mapped',
      fingerprint: digest('x1'),
      hosts: ['n1'],
      isEnd: true,
      environment: 'staging',
      severity: 'low',
    }));

  it('that leads nowhere leaves it to the fallback, then to the property of the format', () => {
    expect(custom({ event: { name: '', short: 'short' }, title: 'x' }, { mappings }).title).toBe('short');
    expect(custom({ event: 'none', title: 'x', hosts: 'h' }, { mappings })).toMatchObject({ title: 'x', hosts: ['h'] });
  });

  it('of start, end or hosts does not change the automatic fingerprint', () => {
    const { fingerprint } = custom({ a: 1, nodes: [{ b: 2 }] }, { mappings });
    expect(fingerprint).toBeDefined();
    const begun = custom({ a: 1, over: {} }, { mappings }).fingerprint;
    expect(custom({ a: 1, over: { at: 1_772_359_200_000 } }, { mappings }).fingerprint).toBe(begun);
  });

  it('never reaches what a payload inherits', () =>
    expect(
      custom({}, { mappings: [{ field: 'title', path: ['constructor', 'name'], fallbackPath: undefined }] }).title,
    ).toBe('New: Alert'));
});

describe('an item of a metrics payload', () => {
  it('gives every attribute its place', () => {
    const given = {
      labels: { alertname: 'Down', severity: 'page', gitlab_environment_name: 'production', instance: 'db1' },
      annotations: {
        summary: 'It is down',
        description: 'since ten',
        runbook: 'http://runbook',
        platform_incident_markdown: '*md*',
        extra: 'kept',
      },
    };
    expect(metrics(given)).toMatchObject({
      isEnd: false,
      title: 'It is down',
      description: 'since ten',
      severity: 'high',
      monitoringTool: 'Prometheus',
      startsAt: new Date('2026-03-01T10:00:00.123Z'),
      endsAt: undefined,
      environment: 'production',
      runbook: 'http://runbook',
      incidentMarkdown: '*md*',
      query: 'up == 0',
      yLabel: 'It is down',
      attributes: [
        { name: 'extra', value: 'kept' },
        { name: 'labels/instance', value: 'db1' },
      ],
      payload: JSON.stringify(item(given)),
    });
    expect(metrics({ annotations: { gitlab_y_label: 'y', title: 't' } })).toMatchObject({ yLabel: 'y', title: 't' });
    expect(metrics({ annotations: { gitlab_incident_markdown: '*md*' } }).incidentMarkdown).toBe('*md*');
    expect(metrics({ generatorURL: undefined, generatorUrl: 'http://p?g0.expr=1' }).query).toBe('1');
  });

  it.each([
    ['S1', 'critical'],
    ['p1', 'critical'],
    ['Emergency', 'critical'],
    ['fatal', 'critical'],
    ['s2', 'high'],
    ['p2', 'high'],
    ['major', 'high'],
    ['page', 'high'],
    ['s3', 'medium'],
    ['p3', 'medium'],
    ['error', 'medium'],
    ['alert', 'medium'],
    ['s4', 'low'],
    ['p4', 'low'],
    ['warn', 'low'],
    ['WARNING', 'low'],
    ['minor', 'low'],
    ['s5', 'info'],
    ['p5', 'info'],
    ['debug', 'info'],
    ['information', 'info'],
    ['notice', 'info'],
    ['none', 'critical'],
    [undefined, 'critical'],
  ])('severity %j is %s', (severity, meant) =>
    expect(metrics({ labels: { alertname: 'a', severity } }).severity).toBe(meant),
  );

  it('is rejected alone, with the reason', () =>
    expect(
      items([
        item(),
        'text',
        null,
        item({ labels: {} }),
        item({ startsAt: undefined }),
        item({ startsAt: '' }),
        item({ startsAt: 'ten' }),
        item({ labels: 'none', annotations: { title: 'last' } }),
      ]).map((one) => (one.kind === 'reported' ? one.alert.title : one.reason)),
    ).toEqual([
      'Down',
      'not_an_object',
      'not_an_object',
      'title_missing',
      'starts_at_missing',
      'starts_at_missing',
      'starts_at_invalid',
      'last',
    ]));

  it('accepts timestamps in the same forms', () =>
    expect(metrics({ startsAt: '2026-03-01T10:00:00+0000', endsAt: 'Sun, 01 Mar 2026 11:00:00 +0000' })).toMatchObject({
      startsAt: new Date('2026-03-01T10:00:00Z'),
      endsAt: new Date('2026-03-01T11:00:00Z'),
    }));

  it.each([
    [{ status: 'firing', endsAt: '2026-03-01T11:00:00Z' }, 'resolved', false],
    [{ status: 'resolved', endsAt: '2026-03-01T11:00:00Z' }, 'firing', true],
    [{ status: 'resolved' }, 'firing', true],
    [{ status: undefined, endsAt: '2026-03-01T11:00:00Z' }, 'firing', true],
    [{ status: undefined, endsAt: '2026-03-01T13:00:00Z' }, 'firing', false],
    [{ status: undefined }, 'resolved', true],
    [{ status: undefined }, 'firing', false],
  ])('%j in a group that is %s ends: %s', (given, status, isEnd) =>
    expect(metrics(given, { status }).isEnd).toBe(isEnd),
  );

  it('goes by the sender’s fingerprint, else by start, title and query', () => {
    const labels = { alertname: 'Down', instance: 'a' };
    expect(metrics({ labels }).fingerprint).toBe(digest('2026-03-01T10:00:00.123456789Z/Down/up == 0'));
    expect(metrics({ generatorURL: '' }).fingerprint).toBe(digest('2026-03-01T10:00:00.123456789Z/Down/'));
    expect(metrics({ labels, fingerprint: 'f00' }).fingerprint).toBe(digest('f00'));
    expect(metrics({ fingerprint: '' }).fingerprint).toBe(metrics().fingerprint);
  });
});

describe('an integer that JavaScript’s numbers do not hold', () => {
  const one = (text: string): ReportedAlert => {
    const [found] = readText(text)?.items ?? [];
    if (found?.kind !== 'reported') throw new Error('rejected');
    return found.alert;
  };
  const fingerprintOf = (text: string) => one(text).fingerprint;

  it('distinguishes alerts of custom payloads', () => {
    expect(fingerprintOf('{"id": 9007199254740993}')).not.toBe(fingerprintOf('{"id": 9007199254740992}'));
    expect(fingerprintOf('{"a": [{"id":-12345678901234567890}]}')).not.toBe(
      fingerprintOf('{"a": [{"id":-12345678901234567891}]}'),
    );
    expect(fingerprintOf('{"id": 9007199254740993 }')).toBe(fingerprintOf('{"id":9007199254740993}'));
    expect(fingerprintOf('{"id": 9007199254740993}')).not.toBe(fingerprintOf('{"id": "9007199254740993"}'));
    expect(fingerprintOf('{"fingerprint": 9007199254740993}')).toBe(digest('9007199254740993'));
    expect(fingerprintOf('{"fingerprint": ["a", 9007199254740993]}')).toBe(digest('a9007199254740993'));
    expect(fingerprintOf('{"fingerprint": {"b": 9007199254740993}}')).toBe(digest('{"b":9007199254740993}'));
  });

  it('keeps its digits at every position', () => {
    expect(
      one('{"title": 9007199254740993, "hosts": [18446744073709551615], "trace": {"id": 18446744073709551615}}'),
    ).toMatchObject({
      title: '9007199254740993',
      hosts: ['18446744073709551615'],
      attributes: [{ name: 'trace/id', value: '18446744073709551615' }],
    });
    const text = JSON.stringify(group([item({ id: 'n', annotations: { n: 'n' } })])).replaceAll(
      '"n"',
      '9007199254740993',
    );
    const { payload, attributes } = one(text.replace('9007199254740993:', '"n":'));
    expect(attributes).toEqual([{ name: 'n', value: '9007199254740993' }]);
    expect(payload).toContain('"annotations":{"n":9007199254740993}');
    expect(payload).toContain('"id":9007199254740993');
  });
});

describe('any JSON', () => {
  const noise = fc.jsonValue({ maxDepth: 5 });
  const fields = fc.record(
    Object.fromEntries(
      [
        ...['title', 'description', 'start_time', 'end_time', 'service', 'monitoring_tool', 'hosts', 'severity'],
        ...['fingerprint', 'platform_environment_name', 'status', 'anything'],
      ].map((name) => [name, noise]),
    ),
    { requiredKeys: [] },
  );
  const anyItem = fc.record(
    Object.fromEntries(
      ['status', 'labels', 'annotations', 'startsAt', 'endsAt', 'generatorURL', 'fingerprint'].map((name) => [
        name,
        noise,
      ]),
    ),
    { requiredKeys: [] },
  );

  const stored = (alert: ReportedAlert): string[] =>
    [
      ...[alert.title, alert.description, alert.service, alert.monitoringTool, alert.environment, alert.runbook],
      ...[alert.incidentMarkdown, alert.query, alert.yLabel, alert.generatorUrl, ...alert.hosts],
      ...alert.attributes.flatMap(({ name, value }) => [name, value]),
    ].filter((text): text is string => text !== undefined);

  it('is read without fail into what can be stored', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          noise,
          fields,
          fc.array(fc.oneof(anyItem, noise)).map((alerts) => group(alerts)),
        ),
        (payload) => {
          for (const one of read(payload)?.items ?? []) {
            if (one.kind === 'rejected') continue;
            const { alert } = one;
            expect([...alert.title].length).toBeGreaterThan(0);
            expect([...alert.title].length).toBeLessThanOrEqual(200);
            expect([...(alert.description ?? '')].length).toBeLessThanOrEqual(1_000);
            expect([...alert.hosts.join('')].length).toBeLessThanOrEqual(255);
            expect(alert.fingerprint ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}$/);
            for (const text of stored(alert)) expect(text).not.toMatch(/[\0\p{Surrogate}]/u);
            expect(() => JSON.parse(alert.payload)).not.toThrow();
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
