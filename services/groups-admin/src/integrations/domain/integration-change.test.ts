import { AppError } from '@switchyard/errors';
import { integrationKind } from '@switchyard/integration-kinds';
import { effectiveOf, type IntegrationRow } from './integration';
import { decideDisable, decideSet, type Facts, kindToRead, kindToSet, type Sent } from './integration-change';

const kindOf = (slug: string) => {
  const kind = integrationKind(slug);
  if (kind === undefined) throw new Error(`no kind ${slug}`);
  return kind;
};
const row = (given: Partial<IntegrationRow> = {}): IntegrationRow => ({
  id: 1,
  slug: 'slack',
  active: true,
  inherits: false,
  values: {},
  switches: {},
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...given,
});
const none: Facts = { own: undefined, above: undefined, secrets: {} };
const set = (slug: string, sent: Sent, facts: Partial<Facts> = {}, useInherited = false) =>
  decideSet(kindOf(slug), { ...none, ...facts }, { sent, useInherited }, (url) =>
    url.includes('//10.') ? 'is blocked: requests to private addresses are not allowed' : undefined,
  );
const refusalOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return { kind: error.kind, ...error.body };
    throw error;
  }
  throw new Error('it was not refused');
};
const problems = (slug: string, sent: Sent) => refusalOf(() => set(slug, sent));

const url = 'https://chat.example.com/hooks/1';
const jira = { url: 'https://jira.example.com', password: 'p', username: 'ada' };

test.each<[string, Sent, object]>([
  ['slack', { webhook: 'ftp://chat.example.com' }, { webhook: ['must be a valid URL'] }],
  ['slack', { webhook: ' ' }, { webhook: ["can't be blank"] }],
  ['slack', { webhook: 'javascript:alert(1)' }, { webhook: ['must be a valid URL'] }],
  ['slack', { webhook: 'https://' }, { webhook: ['must be a valid URL'] }],
  ['slack', { webhook: 'https:///x' }, { webhook: ['must be a valid URL'] }],
  ['slack', { webhook: 'https://a b' }, { webhook: ['must be a valid URL'] }],
  ['slack', { webhook: `https://a/${'x'.repeat(2_048)}` }, { webhook: ['is too long (maximum is 2048 characters)'] }],
  [
    'slack',
    { webhook: 'http://10.0.0.1/' },
    { webhook: ['is blocked: requests to private addresses are not allowed'] },
  ],
  [
    'slack',
    { webhook: '', branches_to_be_notified: 'some', labels_to_be_notified_behavior: 'none' },
    {
      webhook: ["can't be blank"],
      branches_to_be_notified: ['is not included in the list'],
      labels_to_be_notified_behavior: ['is not included in the list'],
    },
  ],
  ['asana', {}, { api_key: ["can't be blank"] }],
  ['jira', { ...jira, username: '' }, { username: ["can't be blank"] }],
  ['jira', { ...jira, jira_issue_regex: '(' }, { jira_issue_regex: ['is not a valid regular expression'] }],
  ['jira', { ...jira, jira_issue_regex: '(?=a)' }, { jira_issue_regex: ['is not a valid regular expression'] }],
  [
    'jira',
    { ...jira, jira_issue_transition_id: 'done' },
    { jira_issue_transition_id: ['IDs must be a list of numbers that can be split with , or ;'] },
  ],
  ['irker', { recipients: '#a', server_port: 70_000 }, { server_port: ['is not included in the list'] }],
  ['pushover', { api_key: 'a', user_key: 'b', priority: '3' }, { priority: ['is not included in the list'] }],
  ['datadog', { api_key: 'a', datadog_tags: 'a:b\nc' }, { datadog_tags: ['have an invalid format'] }],
  ['datadog', { api_key: 'a', datadog_site: 'a/../b' }, { datadog_site: ['is invalid'] }],
  ['telegram', { token: 't', room: '1', thread: 'x' }, { thread: ['is not a number'] }],
  ['emails-on-push', { recipients: 'a@example.com b' }, { recipients: ['are not all e-mail addresses: b'] }],
])('G-4.4-2: %s refuses %j', (slug, sent, message) => {
  expect(problems(slug, sent)).toEqual({ kind: 'invalid', message });
});

test('a thousand recipients with invalid ones between are refused in a few words', () => {
  const recipients = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? `a${at}@example.com` : `bad${at}`));
  expect(problems('emails-on-push', { recipients: recipients.join(',') })).toMatchObject({
    message: {
      recipients: ["can't exceed 750", 'are not all e-mail addresses: bad1, bad3, bad5, bad7, bad9 and 495 more'],
    },
  });
  const enough = recipients.filter((one) => !one.startsWith('bad')).join(' ');
  expect(set('emails-on-push', { recipients: enough }).values).toEqual({ recipients: enough });
});

test('G-4.4-7: what is not sent stays, a blank text goes', () => {
  const own = row({ values: { channel: '#a', username: 'bot' }, switches: { push_events: false } });
  const next = set('slack', { webhook: url, username: '', issues_events: false }, { own, secrets: { webhook: 'old' } });
  expect(next).toEqual({
    active: true,
    inherits: false,
    values: { channel: '#a' },
    switches: { push_events: false, issues_events: false },
    secrets: { webhook: url },
  });
});

test('parameters and switches that the kind does not have are ignored', () => {
  const next = set('asana', { api_key: 'k', webhook: 'x', note_events: true, push_events: false });
  expect(next).toMatchObject({ secrets: { api_key: 'k' }, values: {}, switches: { push_events: false } });
});

test('G-4.4-11: notify_only_default_branch is another way to say which branches', () => {
  const sent = (flag: boolean, more: Sent = {}) =>
    set('slack', { webhook: url, notify_only_default_branch: flag, ...more });
  expect(sent(true).values).toEqual({ branches_to_be_notified: 'default' });
  expect(sent(false).values).toEqual({ branches_to_be_notified: 'all' });
  expect(sent(true, { branches_to_be_notified: 'protected' }).values).toEqual({ branches_to_be_notified: 'protected' });
});

test('a secret does not follow an address that changes', () => {
  const own = row({ slug: 'jenkins', values: { jenkins_url: 'https://ci.example.com', project_name: 'p' } });
  const facts = { own, secrets: { password: 'secret' } };
  const sent = { jenkins_url: 'https://ci.example.com', project_name: 'q' };
  expect(set('jenkins', sent, facts).secrets).toEqual({ password: 'secret' });
  expect(set('jenkins', { ...sent, jenkins_url: 'https://evil.example.com' }, facts).secrets).toEqual({});
});

test('secrets that cannot be decrypted are given anew, or taken away, before anything else changes', () => {
  const sent = { jenkins_url: 'https://ci.example.com', project_name: 'p', username: 'ada' };
  const own = row({ slug: 'jenkins', values: sent });
  const facts = { own, secrets: undefined };
  expect(refusalOf(() => set('jenkins', { username: 'bob' }, facts))).toEqual({
    kind: 'invalid',
    message: { password: ['cannot be decrypted, and must be given'] },
  });
  expect(set('jenkins', { password: 'new' }, facts).secrets).toEqual({ password: 'new' });
  expect(set('jenkins', { username: '', password: '' }, facts).secrets).toEqual({});
  expect(set('jenkins', { jenkins_url: 'https://evil.example.com' }, facts).secrets).toEqual({});
});

test('G-4.4-6: settings are inherited, and own ones break with them without their secrets', () => {
  const above = row({ id: 9, values: { channel: '#group' }, switches: { note_events: false } });
  expect(set('slack', { webhook: url }, { above }, true)).toMatchObject({ inherits: true, values: {}, secrets: {} });
  expect(set('slack', { webhook: url }, {}, true)).toMatchObject({ inherits: false, secrets: { webhook: url } });
  expect(refusalOf(() => set('slack', {}, { above }))).toMatchObject({ message: { webhook: ["can't be blank"] } });
  expect(set('slack', { webhook: url }, { above, own: row({ inherits: true }) })).toEqual({
    active: true,
    inherits: false,
    values: { channel: '#group' },
    switches: { note_events: false },
    secrets: { webhook: url },
  });
});

test('what counts in a place', () => {
  const above = row({ id: 9 });
  expect(effectiveOf(none)).toBeUndefined();
  expect(effectiveOf({ own: undefined, above })).toMatchObject({ inherited: true, active: true, row: { id: 9 } });
  expect(effectiveOf({ own: undefined, above: row({ active: false }) })).toBeUndefined();
  expect(effectiveOf({ own: row({ inherits: true }), above })).toMatchObject({ row: { id: 1 }, source: { id: 9 } });
  expect(effectiveOf({ own: row({ inherits: true }), above: undefined })).toMatchObject({ active: false });
  expect(effectiveOf({ own: row({ active: false }), above })).toMatchObject({ active: false, inherited: false });
});

test('G-4.4-4: disabling forgets all settings, and is refused where there is nothing', () => {
  const disable = (slug: string, facts: Partial<Facts>) => decideDisable(kindOf(slug), { ...none, ...facts });
  const off = { active: false, inherits: false, values: {}, switches: {}, secrets: {} };
  expect(disable('slack', { own: row({ values: { channel: '#a' } }) })).toEqual(off);
  expect(disable('slack', { above: row() })).toEqual(off);
  expect(refusalOf(() => disable('slack', {}))).toEqual({ kind: 'not_found', message: '404 Integration Not Found' });
  expect(refusalOf(() => disable('jira-cloud-app', { own: row() }))).toEqual({
    kind: 'unprocessable',
    message: 'You cannot disable the GitLab for Jira Cloud app integration from the API',
  });
  const own = row({ updatedAt: new Date('2026-03-01T10:00:00.900Z') });
  const disableSince = (since: string) => decideDisable(kindOf('slack'), { ...none, own }, new Date(since));
  expect(disableSince('2026-03-01T10:00:00Z')).toEqual(off);
  expect(refusalOf(() => disableSince('2026-03-01T09:59:59Z'))?.kind).toBe('precondition_failed');
});

test('G-4.4-8: kinds that only their installation creates, of projects alone, of development alone', () => {
  expect(refusalOf(() => set('gitlab-slack-application', {}))).toEqual({
    kind: 'unprocessable',
    message: 'You cannot create the GitLab for Slack app integration from the API',
  });
  expect(set('gitlab-slack-application', { channel: '#a' }, { own: row() }).values).toEqual({ channel: '#a' });
  const [group, project] = [{ kind: 'group', id: 1 } as const, { kind: 'project', id: 1 } as const];
  for (const ask of [kindToRead, kindToSet]) {
    for (const slug of ['apple-app-store', 'google-play', 'jenkins'])
      expect(refusalOf(() => ask(slug, group, false))).toEqual({
        kind: 'bad_request',
        message: '400 Integration not available',
      });
    expect(ask('jenkins', project, false).slug).toBe('jenkins');
    expect(ask('mock-ci', group, true).slug).toBe('mock-ci');
  }
  for (const slug of ['mock-ci', 'mock-monitoring', 'nothing']) {
    expect(refusalOf(() => kindToRead(slug, group, false))).toMatchObject({
      error: 'slug does not have a valid value',
    });
    expect(refusalOf(() => kindToSet(slug, group, false))).toEqual({ kind: 'not_allowed', error: '405 Not Allowed' });
  }
});
