import { decide, takesBranch } from './decide';
import { alertStatus, type Health, healthAfter, healthy } from './health';
import { eventHeader, kindOfSwitch, ruleFor } from './switches';
import { readTemplate, renderTemplate } from './template';
import { blank, changed, filledUrl, requireSound } from './webhook-change';

const now = new Date('2026-01-01T00:00:00Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const failed = { succeeded: false, isFirst: true, isRequested: false };
const failures = (count: number, from: Health = healthy): Health =>
  Array.from({ length: count }).reduce<Health>((health) => healthAfter(health, failed, now), from);

test('G-6-6: disabled for a minute after 4 failures, longer each time up to 24 h, for good after 40 until a test succeeds', () => {
  expect(alertStatus(failures(3), now)).toBe('executable');
  const four = failures(4);
  expect(four).toEqual({ recentFailures: 4, backoffCount: 1, disabledUntil: after(60_000) });
  expect([alertStatus(four, now), alertStatus(four, after(60_000))]).toEqual(['temporarily_disabled', 'executable']);
  expect(healthAfter(four, failed, after(60_000)).disabledUntil).toEqual(after(180_000));
  expect(healthAfter({ ...four, backoffCount: 30 }, failed, after(60_000)).disabledUntil).toEqual(after(86_460_000));
  const forty = failures(40);
  expect(alertStatus(forty, after(1e12))).toBe('disabled');
  expect(healthAfter(forty, { ...failed, succeeded: true }, now)).toBe(forty);
  expect(healthAfter(forty, { ...failed, succeeded: true, isRequested: true }, now)).toBe(healthy);
  expect(healthAfter(four, { ...failed, succeeded: true, isFirst: false }, now)).toBe(healthy);
  expect(healthAfter(four, { ...failed, isFirst: false }, now)).toBe(four);
});

const hook = {
  place: { kind: 'project', id: 1 },
  events: ['push_events', 'issues_events'],
  branchFilter: 'main',
  branchStrategy: 'wildcard',
  ...healthy,
} as const;
const change = { kind: 'push', confidential: false, ref: 'main' };
const system = { ...hook, place: { kind: 'instance', id: 0 }, events: [] } as const;
const ofGroup = { ...hook, place: { kind: 'group', id: 1 } } as const;
test.each([
  [hook, change, { decision: 'queued', rule: 'push_events' }],
  [hook, { ...change, ref: 'topic' }, { decision: 'skipped', rule: 'branch_filter' }],
  [hook, { ...change, kind: 'issue', ref: '' }, { decision: 'queued', rule: 'issues_events' }],
  [hook, { ...change, kind: 'issue', confidential: true }, undefined],
  [hook, { ...change, kind: 'merge_request' }, undefined],
  [hook, { ...change, kind: 'user' }, undefined],
  [hook, { ...change, kind: 'constructor' }, undefined],
  [{ ...hook, ...failures(4) }, change, { decision: 'skipped', rule: 'temporarily_disabled' }],
  [{ ...hook, ...failures(40) }, change, { decision: 'skipped', rule: 'disabled' }],
  [system, { ...change, kind: 'user' }, { decision: 'queued', rule: 'system_event' }],
  [system, { ...change, kind: 'issue' }, undefined],
  [system, change, undefined],
  [ofGroup, { ...change, kind: 'epic', ref: '' }, { decision: 'queued', rule: 'issues_events' }],
  [ofGroup, { ...change, kind: 'epic', confidential: true }, undefined],
  [
    { ...ofGroup, events: ['confidential_issues_events'] },
    { ...change, kind: 'epic', confidential: true },
    { decision: 'queued', rule: 'confidential_issues_events' },
  ],
  [system, { ...change, kind: 'epic' }, undefined],
])('who gets what: %#', (rule, given, expected) => expect(decide(rule, given, now)).toEqual(expected));

test.each([
  [undefined, 'wildcard', 'any', true],
  ['release/*', 'wildcard', 'release/1', true],
  ['release/*', 'wildcard', 'main', false],
  ['^(main|next)$', 'regex', 'next', true],
  ['^(main|next)$', 'regex', 'maintain', false],
  ['(', 'regex', '(', false],
  ['main', 'all_branches', 'topic', true],
] as const)('filter %s by %s takes %s: %s', (filter, strategy, branch, taken) =>
  expect(takesBranch(filter, strategy, branch)).toBe(taken),
);

test('what is confidential has switches of its own, reactions too', () => {
  expect(ruleFor('project', { kind: 'note', confidential: true })).toBe('confidential_note_events');
  expect(ruleFor('project', { kind: 'emoji', confidential: true })).toBe('confidential_note_events');
  expect(eventHeader('group', { kind: 'epic', confidential: true })).toBe('Confidential Issue Hook');
  expect(kindOfSwitch('confidential_issues_events')).toEqual({ kind: 'issue', confidential: true });
  expect(kindOfSwitch('wiki_page_events')).toBeUndefined();
});

const body = { a: { b: 'say "hi"\n', n: 1, list: [{ c: true }] }, object_attributes: { title: 'T' } };
test.each([
  ['{"x": "{{a.b}}!"}', { x: 'say "hi"\n!' }],
  ['{"x": {{a.b}}, "n": {{ a.n }}, "c": {{a.list.0.c}}}', { x: 'say "hi"\n', n: 1, c: true }],
  ['{"x": {{a.missing.more}}, "y": "<{{a.missing}}>", "z": "{{a.list}}"}', { x: null, y: '<>', z: '[{"c":true}]' }],
  ['{"p": {{a.__proto__.x}}, "q": "\\\\"}', { p: null, q: '\\' }],
])('template %s', (text, expected) => expect(JSON.parse(renderTemplate(readTemplate(text), body))).toEqual(expected));

test.each(['{', '{"a": {{}}}', '{"a": {{#each a}}}', '{"a": {{a..b}}}', '{{a', 'x', `"${'x'.repeat(4_096)}"`])(
  'template %s is refused',
  (text) => expect(() => readTemplate(text)).toThrow(),
);

test('a template that multiplies a large value ends at a mebibyte', () => {
  const template = readTemplate(`[${Array.from({ length: 400 }, () => '{{a}}').join(',')}]`);
  expect(() => renderTemplate(template, { a: 'x'.repeat(10_000) })).toThrow('too large');
});

const rules = {
  url: (url: string) => (url.startsWith('http') ? undefined : 'is no address'),
  header: (_name: string, value: string) => (value.includes('\n') ? 'has line breaks' : undefined),
};
const place = { kind: 'project', id: 1 } as const;
const problemsOf = (given: object): unknown => {
  try {
    requireSound(changed(place, blank(place), { switches: {}, url: 'http://a.example', ...given }), rules);
    return undefined;
  } catch (error) {
    return (error as { body: { message: unknown } }).body.message;
  }
};
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
test.each([
  [{ signingToken: secret, token: 't', headers: { 'X-A': 'b' }, template: '{}' }, undefined],
  [{ url: 'http://{host}/{key}', variables: { host: 'a.example', key: 'k' } }, undefined],
  [
    {
      url: 'ftp://x',
      template: '{',
      signingToken: 'whsec_AAAA',
      branchFilter: '(',
      branchStrategy: 'regex',
      headers: { 'X-A\r\nB': 'c', 'X-D': '' },
      token: 'a\nb',
    },
    {
      token: ['has line breaks'],
      signing_token: ['must be whsec_ with 24 to 64 bytes as base64'],
      url: ['is no address'],
      push_events_branch_filter: ['is not a valid regular expression'],
      custom_webhook_template: ['is not JSON with {{path.to.value}} in the place of values'],
      custom_headers: ['has the key "X-A\\r\\nB", which is invalid', 'has no value for X-D'],
    },
  ],
  [{ url: 'http://{host}/' }, { url: ['has the variable {host}, which has no value'] }],
])('%# is checked as a whole', (given, expected) => expect(problemsOf(given)).toEqual(expected));

test('an address is filled once: a value is not looked through for variables', () =>
  expect(filledUrl('http://{a}/{b}', { a: '{b}', b: 'c' })).toBe('http://{b}/c'));
