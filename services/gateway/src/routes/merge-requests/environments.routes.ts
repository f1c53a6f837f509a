import { EnvironmentServiceService } from '@switchyard/protos/merge_requests/v1/environment';
import { mutuallyExclusive } from '../../http/check-parameters';
import { boolean, dateTime, documented, integer, nullable, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, webAddress } from '../field-facts';

const path = '/projects/:id/environments' as const;
const environmentPath = `${path}/:environment_id` as const;
const environment = { environment_id: integer() };

const fields = {
  description: documented(nullable(text()), atMost(10_000)).optional(),
  external_url: documented(nullable(text()), webAddress).optional(),
  tier: oneOf('production', 'staging', 'testing', 'development', 'other').optional(),
};
const autoStopAt = { description: 'When it is stopped by itself.' };

/** Name of an environment. */
export const environmentName = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?=.*[^ ])(?!/)[A-Za-z0-9_/{}$. -]*[A-Za-z0-9_{}$. -]$',
};

/** Environments (G §10). */
export const environmentRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Environments',
    summary: 'List environments',
    access: { project: 'read_environment' },
    params: {
      name: text().optional(),
      search: text().optional(),
      states: oneOf('available', 'stopping', 'stopped').optional(),
    },
    relations: [mutuallyExclusive('name', 'search')],
    // One order, that of the names.
    list: { orderBy: [] },
    returns: { 200: ['EnvironmentItem'] },
    handle: ({ params, access, page, call }) =>
      call(EnvironmentServiceService).listEnvironments({
        projectId: access.id,
        page,
        name: params.name ?? '',
        search: params.search ?? '',
        state: params.states ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Environments',
    summary: 'Create an environment',
    docs: {
      description: 'Deployments make their environments themselves. Without a tier it is guessed from the name.',
      example: { name: 'review/fix', external_url: 'https://fix.review.example.com' },
    },
    access: { project: 'write_environment' },
    params: {
      name: documented(text({ notEmpty: true }), environmentName),
      ...fields,
      auto_stop_at: documented(dateTime(), autoStopAt).optional(),
    },
    returns: { 201: 'EnvironmentItem' },
    handle: ({ params, access, call }) =>
      call(EnvironmentServiceService).createEnvironment({
        projectId: access.id,
        name: params.name,
        description: params.description ?? '',
        externalUrl: params.external_url ?? '',
        tier: params.tier ?? '',
        autoStopAt: params.auto_stop_at,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${path}/stop_stale`,
    section: 'Environments',
    summary: 'Stop stale environments',
    docs: { description: 'Stop every environment that was changed and deployed to before a date.' },
    access: { project: 'write_environment' },
    params: {
      before: documented(dateTime(), { description: 'Between ten years and one week ago.' }),
    },
    returns: { 200: 'StaleEnvironments' },
    handle: ({ params, access, call }) =>
      call(EnvironmentServiceService).stopStaleEnvironments({ projectId: access.id, before: params.before }),
  }),
  defineRoute({
    method: 'delete',
    path: `${path}/review_apps`,
    section: 'Environments',
    summary: 'Delete review apps',
    docs: {
      description:
        'Schedule the deletion of stopped environments whose names begin with `review/`: they are deleted in a week, unless a deployment starts them again. By default the reply only says which ones.',
    },
    access: { project: 'write_environment' },
    params: {
      before: documented(dateTime(), { description: 'Made before; 30 days ago without it.' }).optional(),
      limit: integer({ min: 1, max: 1_000 }).default(100),
      dry_run: boolean().default(true),
    },
    returns: { 202: 'ReviewApps' },
    handle: ({ params, access, call }) =>
      call(EnvironmentServiceService).deleteReviewApps({
        projectId: access.id,
        before: params.before,
        limit: params.limit,
        dryRun: params.dry_run,
      }),
  }),
  defineRoute({
    method: 'get',
    path: environmentPath,
    section: 'Environments',
    summary: 'Get an environment',
    access: { project: 'read_environment' },
    path_params: environment,
    returns: { 200: 'Environment' },
    handle: ({ path: { environment_id }, access, call }) =>
      call(EnvironmentServiceService).getEnvironment({ projectId: access.id, environmentId: environment_id }),
  }),
  defineRoute({
    method: 'put',
    path: environmentPath,
    section: 'Environments',
    summary: 'Update an environment',
    docs: { description: 'The name stays.', example: { tier: 'staging' } },
    access: { project: 'write_environment' },
    path_params: environment,
    params: { ...fields, auto_stop_at: documented(nullable(dateTime()), autoStopAt).optional() },
    returns: { 200: 'EnvironmentItem' },
    handle: ({ path: { environment_id }, params, access, call }) =>
      call(EnvironmentServiceService).updateEnvironment({
        projectId: access.id,
        environmentId: environment_id,
        description: params.description === null ? '' : params.description,
        externalUrl: params.external_url === null ? '' : params.external_url,
        tier: params.tier ?? '',
        autoStopAt: params.auto_stop_at ?? undefined,
        clearAutoStopAt: params.auto_stop_at === null,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: environmentPath,
    section: 'Environments',
    summary: 'Delete an environment',
    docs: { description: 'With its deployments. It has to be stopped before.', fails: [412] },
    access: { project: 'write_environment' },
    path_params: environment,
    returns: { 204: undefined },
    handle: ({ path: { environment_id }, access, unmodifiedSince, call }) =>
      call(EnvironmentServiceService).deleteEnvironment({
        projectId: access.id,
        environmentId: environment_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${environmentPath}/stop`,
    section: 'Environments',
    summary: 'Stop an environment',
    docs: { description: 'The next successful deployment starts it again.' },
    access: { project: 'write_environment' },
    path_params: environment,
    returns: { 200: 'EnvironmentItem' },
    handle: ({ path: { environment_id }, access, call }) =>
      call(EnvironmentServiceService).stopEnvironment({ projectId: access.id, environmentId: environment_id }),
  }),
];
