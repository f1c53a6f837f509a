import { DeploymentServiceService } from '@switchyard/protos/merge_requests/v1/deployment';
import { boolean, dateTime, documented, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { refName } from '../field-facts';
import { environmentName } from './environments.routes';

const path = '/projects/:id/deployments' as const;
const deploymentPath = `${path}/:deployment_id` as const;
const deployment = { deployment_id: integer() };

/** Deployments, which an outside CI reports (G §10). */
export const deploymentRoutes = [
  defineRoute({
    method: 'get',
    path,
    section: 'Deployments',
    summary: 'List deployments',
    access: { project: 'read_environment' },
    params: {
      environment: text().optional(),
      status: oneOf('created', 'running', 'success', 'failed', 'canceled', 'skipped', 'blocked').optional(),
      updated_after: dateTime().optional(),
      updated_before: dateTime().optional(),
      finished_after: dateTime().optional(),
      finished_before: dateTime().optional(),
    },
    list: { orderBy: ['id', 'iid', 'created_at', 'updated_at', 'finished_at', 'ref'], sort: 'asc' },
    returns: { 200: ['Deployment'] },
    handle: ({ params, access, page, call }) =>
      call(DeploymentServiceService).listDeployments({
        projectId: access.id,
        page,
        environment: params.environment ?? '',
        status: params.status ?? '',
        updatedAfter: params.updated_after,
        updatedBefore: params.updated_before,
        finishedAfter: params.finished_after,
        finishedBefore: params.finished_before,
      }),
  }),
  defineRoute({
    method: 'post',
    path,
    section: 'Deployments',
    summary: 'Create a deployment',
    docs: {
      description:
        'Report what an outside CI puts on an environment, which is made if need be. A deployment that succeeds is linked to the merge requests that landed since the last successful one of its environment.',
      example: { environment: 'production', ref: 'main', tag: false, status: 'success' },
    },
    access: { project: 'write_environment' },
    tokens: ['job'],
    params: {
      environment: documented(text({ notEmpty: true }), environmentName),
      sha: documented(text(), { pattern: '^[0-9A-Fa-f]{40}$' }),
      ref: documented(text({ notEmpty: true }), refName),
      tag: boolean(),
      status: oneOf('created', 'running', 'success', 'failed', 'canceled'),
    },
    returns: { 201: 'Deployment' },
    handle: ({ params, access, call }) =>
      call(DeploymentServiceService).createDeployment({
        projectId: access.id,
        environment: params.environment,
        sha: params.sha,
        ref: params.ref,
        tag: params.tag,
        status: params.status,
      }),
  }),
  defineRoute({
    method: 'get',
    path: deploymentPath,
    section: 'Deployments',
    summary: 'Get a deployment',
    access: { project: 'read_environment' },
    path_params: deployment,
    returns: { 200: 'Deployment' },
    handle: ({ path: { deployment_id }, access, call }) =>
      call(DeploymentServiceService).getDeployment({ projectId: access.id, deploymentId: deployment_id }),
  }),
  defineRoute({
    method: 'put',
    path: deploymentPath,
    section: 'Deployments',
    summary: 'Update a deployment',
    docs: {
      description: 'Report how a deployment goes on. What has ended stays as it is.',
      example: { status: 'success' },
    },
    access: { project: 'write_environment' },
    tokens: ['job'],
    path_params: deployment,
    params: { status: oneOf('running', 'success', 'failed', 'canceled') },
    returns: { 200: 'Deployment' },
    handle: ({ path: { deployment_id }, params, access, call }) =>
      call(DeploymentServiceService).updateDeployment({
        projectId: access.id,
        deploymentId: deployment_id,
        status: params.status,
      }),
  }),
  defineRoute({
    method: 'delete',
    path: deploymentPath,
    section: 'Deployments',
    summary: 'Delete a deployment',
    docs: {
      description: 'One that runs stays, and so does the last successful one of its environment.',
      fails: [412],
    },
    access: { project: 'write_environment' },
    path_params: deployment,
    returns: { 204: undefined },
    handle: ({ path: { deployment_id }, access, unmodifiedSince, call }) =>
      call(DeploymentServiceService).deleteDeployment({
        projectId: access.id,
        deploymentId: deployment_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
];
