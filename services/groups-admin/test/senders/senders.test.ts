import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { integrationKinds } from '@switchyard/integration-kinds';
import type { Secrets, SettingValue } from '../../src/integrations/domain/integration';
import { decideDelivery } from '../../src/integrations/domain/integration-delivery';
import { mailSenders, senderSettings, senders } from '../../src/integrations/domain/senders';
import { changeBody } from '../../src/integrations/domain/senders/change-body';
import { changes } from './changes';

const url = 'https://chat.example.com/hooks/1?key=k';
const server = 'https://ci.example.com/base';
const login = { values: { username: 'bot' }, secrets: { password: 'p:w' } };

/** Settings with which each kind that sends is tried. */
const settings: Record<string, { values?: Record<string, SettingValue>; secrets?: Secrets }> = {
  asana: { secrets: { api_key: 'k' } },
  assembla: { values: { subdomain: 'acme/x' }, secrets: { token: 't&' } },
  bamboo: { values: { ...login.values, bamboo_url: server, build_key: 'WEB-1' }, secrets: login.secrets },
  buildkite: { values: { project_url: server }, secrets: { token: 'webhook:status' } },
  campfire: { values: { subdomain: 'acme', room: '123' }, secrets: { token: 't' } },
  datadog: {
    values: { datadog_ci_visibility: true, datadog_env: 'ci', datadog_tags: 'a:b\nc:d' },
    secrets: { api_key: 'k' },
  },
  discord: { secrets: { webhook: url, note_channel: 'https://chat.example.com/notes' } },
  'drone-ci': { values: { drone_url: server }, secrets: { token: 't' } },
  'emails-on-push': { values: { recipients: 'a@example.com, b@example.com' } },
  github: { values: { repository_url: 'https://github.com/acme/web.git' }, secrets: { token: 't' } },
  'hangouts-chat': { secrets: { webhook: url } },
  jenkins: { values: { ...login.values, jenkins_url: server, project_name: 'team/web' }, secrets: login.secrets },
  jira: {
    values: { ...login.values, url: 'https://jira.example.com', jira_issue_transition_id: '31;41' },
    secrets: login.secrets,
  },
  matrix: { values: { room: '!abc:example.com' }, secrets: { token: 't' } },
  mattermost: { values: { channel: 'builds' }, secrets: { webhook: url } },
  'microsoft-teams': { secrets: { webhook: url } },
  packagist: { values: { username: 'ada' }, secrets: { token: 't' } },
  'pipelines-email': { values: { recipients: 'a@example.com' } },
  pivotaltracker: { secrets: { token: 't' } },
  pumble: { secrets: { webhook: url } },
  pushover: { values: { priority: '2', device: 'phone' }, secrets: { api_key: 'a', user_key: 'u' } },
  slack: { values: { username: 'Forge', push_channel: '#code,#all' }, secrets: { webhook: url } },
  'squash-tm': { values: { url: server }, secrets: { token: 't' } },
  teamcity: { values: { ...login.values, teamcity_url: server, build_type: 'Web_Build' }, secrets: login.secrets },
  telegram: { values: { room: '-100', thread: '7' }, secrets: { token: '1:t' } },
  'unify-circuit': { secrets: { webhook: url } },
  'webex-teams': { secrets: { webhook: url } },
};

/** With every switch on, and no filter. */
const open = { notify_only_broken_pipelines: false, branches_to_be_notified: 'all' };

/** JSON inside of a request, so that a golden file can be read. */
function shown(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? 'null');
  } catch {
    return body;
  }
}

test.each(integrationKinds.filter(({ sends }) => sends).map((kind) => [kind.slug, kind] as const))(
  '%s sends for each event what its golden file says',
  (slug, kind) => {
    const { values = {}, secrets = {} } = settings[slug] ?? {};
    const all = Object.fromEntries(kind.switches.map((name) => [name, true]));
    const ready = senderSettings(slug, values, secrets, all);
    const sent = Object.entries(changes).flatMap(([name, change]) => {
      if (decideDelivery(kind, { values: { ...values, ...open }, switches: all }, change, undefined) === undefined)
        return [];
      const mail = mailSenders[slug]?.(ready, change);
      const requests = senders[slug]?.(ready, change).map((request) => ({ ...request, body: shown(request.body) }));
      return mail === undefined && (requests ?? []).length === 0 ? [] : [[name, mail ?? requests] as const];
    });
    expect(sent.length).toBeGreaterThan(0);
    const file = join(__dirname, 'golden', `${slug}.json`);
    const now = JSON.parse(JSON.stringify(Object.fromEntries(sent)));
    // `DOCUMENT=record npm test -- services/groups-admin/test/senders` writes them anew.
    if (process.env.DOCUMENT === 'record') writeFileSync(file, `${JSON.stringify(now, undefined, 2)}\n`);
    expect(now).toEqual(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined);
  },
);

test('there is a sender for each kind that sends, a golden file for each, and no other', () => {
  const slugs = integrationKinds.filter(({ sends }) => sends).map(({ slug }) => slug);
  expect([...Object.keys(senders), ...Object.keys(mailSenders)].sort()).toEqual(slugs);
  expect(readdirSync(join(__dirname, 'golden')).sort()).toEqual(slugs.map((slug) => `${slug}.json`));
});

test('Jira finds keys by an expression and a prefix of its own', () => {
  const sent = (values: Record<string, SettingValue>) =>
    senders
      .jira?.(senderSettings('jira', { ...settings.jira?.values, ...values }, login.secrets), changes.push as never)
      .map((request) => request.url.replace('https://jira.example.com/rest/api/2/issue/', ''));
  expect(sent({ jira_issue_prefix: '#', jira_issue_regex: '\\d+' })).toEqual(['345/comment']);
  expect(sent({ jira_issue_regex: 'WEB-13' })).toEqual(['WEB-13/comment']);
});

test('the mail of a push counts its commits', () => {
  const push = changes.push as NonNullable<typeof changes.push>;
  const subjectOf = (count: number) => {
    const body = changeBody(JSON.stringify({ ...JSON.parse(push.body.json), total_commits_count: count }));
    return mailSenders['emails-on-push']?.(senderSettings('emails-on-push', {}, {}), { ...push, body })?.subject;
  };
  expect([1, 2].map(subjectOf)).toEqual(['[Git][acme/web][main] 1 commit', '[Git][acme/web][main] 2 commits']);
});
