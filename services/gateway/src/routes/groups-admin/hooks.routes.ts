import { WebhookServiceService, type WebhookSettings } from '@switchyard/protos/groups_admin/v1/webhook';
import type { Access } from '@switchyard/protos/rpc/v1/identity';
import { boolean, csv, documented, hashes, integer, nullable, oneOf, text } from '../../http/params';
import { defineRoute, type Route, type RouteAccess } from '../../http/route';
import { atMost } from '../field-facts';
import { parentOf } from './parents';

type Place = 'group' | 'project' | 'instance';

const ofProjects = [
  'push_events',
  'tag_push_events',
  'issues_events',
  'confidential_issues_events',
  'merge_requests_events',
  'note_events',
  'confidential_note_events',
  'pipeline_events',
  'job_events',
  'deployment_events',
  'releases_events',
  'emoji_events',
  'milestone_events',
  'wiki_page_events',
  'feature_flag_events',
  'resource_access_token_events',
  'resource_deploy_token_events',
  'vulnerability_events',
  'repository_update_events',
  'alert_events',
] as const;

const places = {
  project: { root: '/projects/:id/hooks', of: 'a project', component: 'ProjectHook', switches: ofProjects },
  group: {
    root: '/groups/:id/hooks',
    of: 'a group',
    component: 'GroupHook',
    switches: [...ofProjects, 'member_events', 'subgroup_events', 'project_events'],
  },
  instance: {
    root: '/hooks',
    of: 'the instance',
    component: 'SystemHook',
    switches: ['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
  },
} as const;

/** Maintainers of projects, Owners of groups, administrators. */
const accessTo: Record<Place, { readonly read: RouteAccess; readonly write: RouteAccess }> = {
  project: { read: { project: 'admin_project' }, write: { project: 'admin_hook' } },
  group: { read: { group: 'admin_group' }, write: { group: 'admin_group' } },
  instance: { read: 'admin', write: 'admin' },
};

const entryValue = () => documented(text(), { minLength: 1, maxLength: 2_048 });
const entryKey = () =>
  documented(text(), { minLength: 1, maxLength: 255, pattern: '^[A-Za-z]([A-Za-z0-9_.-]*[A-Za-z0-9])?$' });
const entries = (description: string) =>
  documented(hashes({ key: entryKey(), value: entryValue() }), { maxItems: 20, description }).optional();
const optionalText = (maxLength: number, description?: string) =>
  documented(nullable(text()), {
    ...atMost(maxLength),
    ...(description === undefined ? {} : { description }),
  }).optional();

const url = () =>
  documented(text(), {
    minLength: 1,
    maxLength: 2_048,
    description: 'http or https; `{name}` stands for a URL variable.',
  });

const settings = {
  name: optionalText(255),
  description: optionalText(2_048),
  token: optionalText(2_048, 'Sent as `X-Gitlab-Token`; never shown.'),
  signing_token: optionalText(
    100,
    'Key of the signature by Standard Webhooks: `whsec_` and 24 to 64 bytes as base64; never shown.',
  ),
  push_events_branch_filter: optionalText(255, 'Branches of push events; all without one.'),
  branch_filter_strategy: oneOf('wildcard', 'regex', 'all_branches').optional(),
  enable_ssl_verification: boolean().optional(),
  custom_webhook_template: optionalText(4_096, 'JSON in which `{{path.to.value}}` stands for a value of the body.'),
  custom_headers: entries('All custom headers; their values are never shown.'),
  url_variables: entries('All variables of the address; their values are never shown.'),
};

type Settings = { [K in keyof typeof settings]?: unknown } & { url?: string | undefined };
type Entries = { key: string; value: string }[] | undefined;

/** null empties a text. */
const textOf = (value: unknown): string | undefined => (value === undefined ? undefined : ((value as string) ?? ''));
const entriesOf = (list: Entries) => list && { entries: list };

const settingsOf = (params: Settings, switches: readonly string[]): WebhookSettings => ({
  url: params.url,
  name: textOf(params.name),
  description: textOf(params.description),
  token: textOf(params.token),
  signingToken: textOf(params.signing_token),
  pushEventsBranchFilter: textOf(params.push_events_branch_filter),
  branchFilterStrategy: textOf(params.branch_filter_strategy),
  enableSslVerification: params.enable_ssl_verification as boolean | undefined,
  customWebhookTemplate: textOf(params.custom_webhook_template),
  customHeaders: entriesOf(params.custom_headers as Entries),
  urlVariables: entriesOf(params.url_variables as Entries),
  switches: Object.fromEntries(
    switches.flatMap((name) => {
      const on = (params as Record<string, unknown>)[name];
      return typeof on === 'boolean' ? [[name, on]] : [];
    }),
  ),
});

const hookId = { hook_id: integer({ min: 1 }) };

/** Webhooks of projects, of groups and of the instance are one resource on three paths. */
const hookRoutesOf = (place: Place): Route[] => {
  const { root, of, component } = places[place];
  const switches: readonly string[] = places[place].switches;
  const { read, write } = accessTo[place];
  const shared = { section: 'Webhooks', ...(place === 'group' ? ({ tier: 'premium' } as const) : {}) } as const;
  const one = { ...shared, path: `${root}/:hook_id`, path_params: hookId } as const;
  const where = (access: Access | undefined) =>
    place === 'instance' || access === undefined ? { groupId: 0, projectId: 0 } : parentOf(place, access);
  const switchParams = Object.fromEntries(switches.map((name) => [name, boolean().optional()]));
  const entryRoutes = (kind: 'header' | 'variable'): Route[] => {
    const [name, noun] = kind === 'header' ? ['custom_headers', 'custom header'] : ['url_variables', 'URL variable'];
    const entry = {
      ...shared,
      path: `${root}/:hook_id/${name}/:key`,
      path_params: { ...hookId, key: entryKey() },
      access: write,
    } as const;
    return [
      defineRoute({
        ...entry,
        method: 'put',
        summary: `Set a ${noun} of a webhook of ${of}`,
        docs: { example: { value: 'a secret' } },
        params: { value: entryValue() },
        returns: { 204: undefined },
        handle: ({ params, path, access, call }) =>
          call(WebhookServiceService).setWebhookEntry({
            place: where(access),
            webhookId: path.hook_id,
            kind,
            entry: { key: path.key, value: params.value },
          }),
      }),
      defineRoute({
        ...entry,
        method: 'delete',
        summary: `Delete a ${noun} of a webhook of ${of}`,
        docs: { fails: [400] },
        returns: { 204: undefined },
        handle: ({ path, access, call }) =>
          call(WebhookServiceService).deleteWebhookEntry({
            place: where(access),
            webhookId: path.hook_id,
            kind,
            key: path.key,
          }),
      }),
    ];
  };
  return [
    defineRoute({
      ...shared,
      method: 'get',
      path: root,
      summary: `List the webhooks of ${of}`,
      access: read,
      list: {},
      returns: { 200: [component] },
      handle: ({ access, page, call }) => call(WebhookServiceService).listWebhooks({ place: where(access), page }),
    }),
    defineRoute({
      ...one,
      method: 'get',
      summary: `Get a webhook of ${of}`,
      access: read,
      returns: { 200: component },
      handle: ({ path, access, call }) =>
        call(WebhookServiceService).getWebhook({ place: where(access), webhookId: path.hook_id }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: root,
      summary: `Create a webhook of ${of}`,
      docs: { example: { url: 'https://receiver.example.com/hooks', push_events: true, token: 'a secret' } },
      access: write,
      params: { url: url(), ...settings, ...switchParams },
      returns: { 201: component },
      handle: ({ params, access, call }) =>
        call(WebhookServiceService).createWebhook({ place: where(access), settings: settingsOf(params, switches) }),
    }),
    defineRoute({
      ...one,
      method: 'put',
      summary: `Change a webhook of ${of}`,
      docs: { description: 'What is not sent stays.', example: { push_events: false } },
      access: write,
      params: { url: url().optional(), ...settings, ...switchParams },
      returns: { 200: component },
      handle: ({ params, path, access, call }) =>
        call(WebhookServiceService).updateWebhook({
          place: where(access),
          webhookId: path.hook_id,
          settings: settingsOf(params, switches),
        }),
    }),
    defineRoute({
      ...one,
      method: 'delete',
      summary: `Delete a webhook of ${of}`,
      docs: { fails: [412] },
      access: write,
      returns: { 204: undefined },
      handle: ({ path, access, unmodifiedSince, call }) =>
        call(WebhookServiceService).deleteWebhook({
          place: where(access),
          webhookId: path.hook_id,
          ifUnmodifiedSince: unmodifiedSince,
        }),
    }),
    ...entryRoutes('header'),
    ...entryRoutes('variable'),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${root}/:hook_id/test/:trigger`,
      path_params: { ...hookId, trigger: text() },
      summary: `Test a webhook of ${of}`,
      docs: {
        description:
          'Sends a sample of the event at once, and answers once the receiver has. A test that is delivered enables a webhook that was disabled.',
        fails: [400, 422],
      },
      access: write,
      returns: { 201: 'HookTested' },
      handle: ({ path, access, call }) =>
        call(WebhookServiceService).testWebhook({
          place: where(access),
          webhookId: path.hook_id,
          trigger: path.trigger,
        }),
    }),
    defineRoute({
      ...shared,
      method: 'get',
      path: `${root}/:hook_id/events`,
      path_params: hookId,
      summary: `List what a webhook of ${of} sent lately`,
      docs: { description: 'Requests of the last two days with what came back, the newest first.' },
      access: read,
      params: {
        status: documented(csv(), {
          description:
            'Statuses such as `404`, or `successful`, `client_failure`, `server_failure`, `internal_failure` (no answer).',
        }).optional(),
      },
      list: {},
      returns: { 200: ['HookEvent'] },
      handle: ({ params, path, access, page, call }) =>
        call(WebhookServiceService).listWebhookEvents({
          place: where(access),
          webhookId: path.hook_id,
          page,
          statuses: params.status ?? [],
        }),
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${root}/:hook_id/events/:event_id/resend`,
      path_params: { ...hookId, event_id: integer({ min: 1 }) },
      summary: `Send again what a webhook of ${of} sent`,
      docs: { description: 'Sends the same content with the same `Idempotency-Key` at once.', fails: [422] },
      access: write,
      returns: { 201: 'HookResent' },
      handle: ({ path, access, call }) =>
        call(WebhookServiceService).resendWebhookEvent({
          place: where(access),
          webhookId: path.hook_id,
          eventId: path.event_id,
        }),
    }),
  ];
};

/** Webhooks (G-6-3 … G-6-6). */
export const hookRoutes: readonly Route[] = [
  ...hookRoutesOf('project'),
  ...hookRoutesOf('group'),
  ...hookRoutesOf('instance'),
  defineRoute({
    method: 'post',
    path: '/hooks/:hook_id',
    path_params: hookId,
    section: 'Webhooks',
    summary: 'Test a webhook of the instance with a push event',
    docs: { fails: [422] },
    access: 'admin',
    returns: { 201: 'HookTested' },
    handle: ({ path, call }) =>
      call(WebhookServiceService).testWebhook({
        place: { groupId: 0, projectId: 0 },
        webhookId: path.hook_id,
        trigger: 'push_events',
      }),
  }),
];
