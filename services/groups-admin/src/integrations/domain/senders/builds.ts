import { refChange, refOf, type SentChange } from './change-body';
import { hookHeaders } from './hook-headers';
import { basic, below, escaped, jsonRequest, type OutgoingRequest, type SenderSettings } from './outgoing';

/** Whether a push leaves a branch or tag behind. */
const isThere = (change: SentChange): boolean => refChange(change) !== 'removed';

/** Whether a merge request is open, and was opened or has other commits. */
export function hasNewCode({ action, body }: SentChange): boolean {
  const attributes = (name: string): string => body.text(`object_attributes.${name}`);
  const isOpen = ['opened', 'open', 'reopened'].includes(attributes('state'));
  const what = attributes('action') || action;
  return isOpen && (what === 'open' || what === 'reopen' || attributes('oldrev') !== '');
}

const verified = (settings: SenderSettings) => ({ verifyTls: settings.flag('enable_ssl_verification') });

/** A user with a password, where there is a user. */
const signedIn = (settings: SenderSettings): Record<string, string> =>
  settings.text('username') === '' ? {} : basic(settings.text('username'), settings.text('password'));

/** Bamboo: a build of the plan. */
export const bamboo = (settings: SenderSettings, change: SentChange): OutgoingRequest[] =>
  change.kind === 'push' && isThere(change)
    ? [
        {
          method: 'GET',
          url: below(settings.text('bamboo_url'), '/updateAndBuild.action', {
            buildKey: settings.text('build_key'),
            os_authType: 'basic',
          }),
          headers: signedIn(settings),
          ...verified(settings),
        },
      ]
    : [];

/** TeamCity: a build of the branch that was pushed, or of the source branch of the merge request. */
export function teamcity(settings: SenderSettings, change: SentChange): OutgoingRequest[] {
  const isWanted = change.kind === 'push' ? isThere(change) : change.kind === 'merge_request' && hasNewCode(change);
  if (!isWanted) return [];
  const branch = change.kind === 'push' ? refOf(change) : change.body.text('object_attributes.source_branch');
  return [
    {
      method: 'POST',
      url: below(settings.text('teamcity_url'), '/httpAuth/app/rest/buildQueue'),
      headers: { 'Content-Type': 'application/xml', ...signedIn(settings) },
      body: `<build branchName="${escaped(branch)}"><buildType id="${escaped(settings.text('build_type'))}"/></build>`,
      ...verified(settings),
    },
  ];
}

/** Drone: the hook body as it is. */
export function droneCi(settings: SenderSettings, change: SentChange): OutgoingRequest[] {
  const isWanted = change.kind === 'merge_request' ? hasNewCode(change) : isThere(change);
  if (!isWanted) return [];
  const [name = '', ...owner] = change.body.text('project.path_with_namespace').split('/').reverse();
  const url = below(settings.text('drone_url'), '/hook', {
    owner: owner.reverse().join('/'),
    name,
    access_token: settings.text('token'),
  });
  return [jsonRequest(url, change.body.json, { headers: hookHeaders(change), ...verified(settings) })];
}

/** Buildkite: the hook body as it is, to the webhook whose token is the first part of the setting. */
export function buildkite(settings: SenderSettings, change: SentChange): OutgoingRequest[] {
  const [token = ''] = settings.text('token').split(':');
  const url = below('https://webhook.buildkite.com', `/deliver/${encodeURIComponent(token)}`);
  return [jsonRequest(url, change.body.json, { headers: hookHeaders(change) })];
}

/** Jenkins: the hook body as it is, to the project. */
export const jenkins = (settings: SenderSettings, change: SentChange): OutgoingRequest[] => [
  jsonRequest(
    below(
      settings.text('jenkins_url'),
      `/project/${settings.text('project_name').split('/').map(encodeURIComponent).join('/')}`,
    ),
    change.body.json,
    { headers: { ...hookHeaders(change), ...signedIn(settings) }, ...verified(settings) },
  ),
];

/** Packagist, or another registry of packages: the hook body as it is. */
export const packagist = (settings: SenderSettings, change: SentChange): OutgoingRequest[] => [
  jsonRequest(
    below(settings.text('server') || 'https://packagist.org', '/api/update-package', {
      username: settings.text('username'),
      apiToken: settings.text('token'),
    }),
    change.body.json,
    { headers: hookHeaders(change) },
  ),
];

/** Squash TM: the hook body as it is. */
export const squashTm = (settings: SenderSettings, change: SentChange): OutgoingRequest[] => [
  jsonRequest(settings.text('url'), change.body.json, {
    headers: {
      ...hookHeaders(change),
      ...(settings.text('token') === '' ? {} : { 'X-Squash-TM-Token': settings.text('token') }),
    },
    secretHeaders: ['X-Squash-TM-Token'],
  }),
];

/** Assembla: the hook body of a push. */
export const assembla = (settings: SenderSettings, change: SentChange): OutgoingRequest[] => [
  jsonRequest(
    below('https://atlas.assembla.com', `/spaces/${encodeURIComponent(settings.text('subdomain'))}/github_tool`, {
      secret_key: settings.text('token'),
    }),
    `{"payload":${change.body.json}}`,
  ),
];

/** Datadog: the hook body as it is; pipelines and jobs where it watches them. */
export function datadog(settings: SenderSettings, change: SentChange): OutgoingRequest[] {
  const isOfCi = change.kind === 'pipeline' || change.kind === 'job';
  if (isOfCi && !settings.flag('datadog_ci_visibility')) return [];
  const base = settings.text('api_url') || `https://webhook-intake.${settings.text('datadog_site')}`;
  const tags = settings
    .text('datadog_tags')
    .split(/[\n,]+/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const url = below(base, settings.text('api_url') === '' ? '/api/v2/webhook' : '', {
    service: settings.text('datadog_service'),
    env: settings.text('datadog_env'),
    tags: tags.join(','),
  });
  return [
    jsonRequest(url, change.body.json, {
      headers: { ...hookHeaders(change), 'DD-API-KEY': settings.text('api_key') },
      secretHeaders: ['DD-API-KEY'],
    }),
  ];
}

const states: Readonly<Record<string, string>> = {
  success: 'success',
  failed: 'failure',
  canceled: 'error',
  running: 'pending',
  pending: 'pending',
  created: 'pending',
};

/** GitHub: the state of the pipeline as a status of its commit. */
export function github(settings: SenderSettings, { kind, body }: SentChange): OutgoingRequest[] {
  const state = states[body.text('object_attributes.status')];
  const [, host = '', path = ''] =
    /^https?:\/\/([^/]+)\/([^/]+\/[^/?#]+?)(?:\.git)?\/*$/.exec(settings.text('repository_url')) ?? [];
  if (kind !== 'pipeline' || state === undefined || path === '') return [];
  const api = host.toLowerCase() === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
  const ref = body.text('object_attributes.ref');
  const id = body.text('object_attributes.id');
  return [
    jsonRequest(
      `${api}/repos/${path}/statuses/${encodeURIComponent(body.text('object_attributes.sha'))}`,
      {
        state,
        target_url: body.text('object_attributes.url') || `${body.text('project.web_url')}/-/pipelines/${id}`,
        description: `Pipeline #${id} is ${body.text('object_attributes.status')}`.slice(0, 140),
        context: settings.flag('static_context') ? 'ci/switchyard' : `ci/switchyard/${ref}`.slice(0, 255),
      },
      {
        headers: {
          Accept: 'application/vnd.github+json',
          Authorization: `Bearer ${settings.text('token')}`,
        },
      },
    ),
  ];
}
