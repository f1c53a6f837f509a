import { PipelineServiceService } from '@switchyard/protos/merge_requests/v1/pipeline';
import { boolean, dateTime, documented, hashes, integer, oneOf, text } from '../../http/params';
import { defineRoute } from '../../http/route';
import { atMost, variableKey } from '../field-facts';
import { pipelineStatuses } from './pipeline-statuses';

const pipelinePath = '/projects/:id/pipelines/:pipeline_id' as const;
const pipeline = { pipeline_id: integer() };
const mergeRequest = { merge_request_iid: integer() };

/** Pipelines (G §10 Pipelines), and those of merge requests (G-4.2-1). */
export const pipelineRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/pipelines',
    section: 'Pipelines',
    summary: 'List pipelines',
    access: { project: 'read_pipeline' },
    params: {
      scope: oneOf('running', 'pending', 'finished', 'branches', 'tags').optional(),
      status: oneOf(...pipelineStatuses).optional(),
      ref: text().optional(),
      sha: text().optional(),
      username: text().optional(),
      source: text().optional(),
      name: text().optional(),
      yaml_errors: boolean().optional(),
      updated_after: dateTime().optional(),
      updated_before: dateTime().optional(),
      created_after: dateTime().optional(),
      created_before: dateTime().optional(),
    },
    list: { orderBy: ['id', 'status', 'ref', 'updated_at', 'user_id'], sort: 'desc' },
    returns: { 200: ['PipelineItem'] },
    handle: ({ params, access, page, call }) =>
      call(PipelineServiceService).listPipelines({
        projectId: access.id,
        page,
        scope: params.scope ?? '',
        status: params.status ?? '',
        ref: params.ref ?? '',
        sha: params.sha ?? '',
        username: params.username ?? '',
        source: params.source ?? '',
        name: params.name ?? '',
        yamlErrors: params.yaml_errors,
        updatedAfter: params.updated_after,
        updatedBefore: params.updated_before,
        createdAfter: params.created_after,
        createdBefore: params.created_before,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/pipeline',
    section: 'Pipelines',
    summary: 'Create a pipeline',
    docs: {
      description:
        'Make a pipeline for an outside CI to report to. Its variables are kept with it; each key is given once.',
      example: { ref: 'main', variables: [{ key: 'TARGET', value: 'staging' }] },
    },
    access: { project: 'create_pipeline' },
    params: {
      ref: text({ notEmpty: true }),
      variables: documented(
        hashes({
          key: documented(text(), variableKey),
          value: documented(text(), atMost(10_000)).default(''),
          variable_type: oneOf('env_var', 'file').default('env_var'),
        }),
        { maxItems: 200 },
      ).optional(),
    },
    returns: { 201: 'Pipeline' },
    handle: ({ params, access, call }) =>
      call(PipelineServiceService).createPipeline({
        projectId: access.id,
        ref: params.ref,
        variables: (params.variables ?? []).map(({ key, value, variable_type }) => ({
          key,
          value,
          variableType: variable_type,
        })),
      }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/pipelines/latest',
    section: 'Pipelines',
    summary: 'Get the newest pipeline of a ref',
    access: { project: 'read_pipeline' },
    params: { ref: text().optional() },
    returns: { 200: 'Pipeline' },
    handle: ({ params, access, call }) =>
      call(PipelineServiceService).getLatestPipeline({ projectId: access.id, ref: params.ref ?? '' }),
  }),
  defineRoute({
    method: 'get',
    path: pipelinePath,
    section: 'Pipelines',
    summary: 'Get a pipeline',
    access: { project: 'read_pipeline' },
    tokens: ['job'],
    path_params: pipeline,
    returns: { 200: 'Pipeline' },
    handle: ({ path, access, call }) =>
      call(PipelineServiceService).getPipeline({ projectId: access.id, pipelineId: path.pipeline_id }),
  }),
  defineRoute({
    method: 'delete',
    path: pipelinePath,
    section: 'Pipelines',
    summary: 'Delete a pipeline',
    docs: { fails: [412] },
    access: { project: 'delete_pipeline' },
    path_params: pipeline,
    returns: { 204: undefined },
    handle: ({ path, access, unmodifiedSince, call }) =>
      call(PipelineServiceService).deletePipeline({
        projectId: access.id,
        pipelineId: path.pipeline_id,
        ifUnmodifiedSince: unmodifiedSince,
      }),
  }),
  defineRoute({
    method: 'get',
    path: `${pipelinePath}/variables`,
    section: 'Pipelines',
    summary: 'List variables of a pipeline',
    docs: { description: 'For Maintainers, and for who created the pipeline.' },
    access: { project: 'read_pipeline' },
    tokens: ['job'],
    path_params: pipeline,
    returns: { 200: ['PipelineVariable'] },
    handle: ({ path, access, call }) =>
      call(PipelineServiceService).listPipelineVariables({ projectId: access.id, pipelineId: path.pipeline_id }),
  }),
  defineRoute({
    method: 'get',
    path: `${pipelinePath}/ci_variables`,
    section: 'Pipelines',
    summary: 'List what a pipeline gets',
    docs: {
      description:
        'For an outside CI: of each key one variable, that of the pipeline itself, else of the project, of the nearest ' +
        'group above or of the instance; protected ones where the ref is protected. With a job token of the pipeline, ' +
        'or for Maintainers.',
    },
    access: { project: 'read_pipeline' },
    tokens: ['job'],
    path_params: pipeline,
    params: {
      environment: documented(text({ max: 255 }), {
        description:
          'Name of the environment that the pipeline deploys to; without it, scopes other than `*` are left out.',
      }).optional(),
    },
    returns: { 200: ['CiVariable'] },
    handle: ({ path, params, access, call }) =>
      call(PipelineServiceService).listCiVariables({
        projectId: access.id,
        pipelineId: path.pipeline_id,
        environment: params.environment ?? '',
      }),
  }),
  defineRoute({
    method: 'post',
    path: `${pipelinePath}/cancel`,
    section: 'Pipelines',
    summary: 'Cancel a pipeline',
    access: { project: 'create_pipeline' },
    path_params: pipeline,
    returns: { 201: 'Pipeline' },
    handle: ({ path, access, call }) =>
      call(PipelineServiceService).cancelPipeline({ projectId: access.id, pipelineId: path.pipeline_id }),
  }),
  defineRoute({
    method: 'post',
    path: `${pipelinePath}/retry`,
    section: 'Pipelines',
    summary: 'Retry a pipeline',
    access: { project: 'create_pipeline' },
    path_params: pipeline,
    returns: { 201: 'Pipeline' },
    handle: ({ path, access, call }) =>
      call(PipelineServiceService).retryPipeline({ projectId: access.id, pipelineId: path.pipeline_id }),
  }),
  defineRoute({
    method: 'post',
    path: `${pipelinePath}/job_token`,
    section: 'Pipelines',
    summary: 'Issue a job token for a pipeline',
    docs: {
      description:
        'For the CI that runs the pipeline. The token has the rights of the user who caused the pipeline, in this project alone, and ends with the pipeline, when it is retried, and after 24 hours. It is presented as `JOB-TOKEN`, and to git with the username `gitlab-ci-token`. The reply is the only one that holds its value.',
      fails: [409],
    },
    access: { project: 'issue_job_token' },
    path_params: pipeline,
    returns: { 201: 'JobToken' },
    handle: ({ path, access, call }) =>
      call(PipelineServiceService).issuePipelineJobToken({ projectId: access.id, pipelineId: path.pipeline_id }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
    section: 'Pipelines',
    summary: 'List pipelines of a merge request',
    access: { project: 'read_merge_request' },
    path_params: mergeRequest,
    // One order, the newest first.
    list: { orderBy: [] },
    returns: { 200: ['PipelineBasic'] },
    handle: ({ path, access, page, call }) =>
      call(PipelineServiceService).listMergeRequestPipelines({
        projectId: access.id,
        iid: path.merge_request_iid,
        page,
      }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/merge_requests/:merge_request_iid/pipelines',
    section: 'Pipelines',
    summary: 'Create a pipeline for a merge request',
    docs: { fails: [405, 409] },
    access: { project: 'create_merge_request_pipeline' },
    path_params: mergeRequest,
    params: { async: boolean().default(false) },
    returns: { 200: 'Pipeline', 202: undefined },
    handle: ({ params, path, access, call }) =>
      call(PipelineServiceService).createMergeRequestPipeline({
        projectId: access.id,
        iid: path.merge_request_iid,
        async: params.async,
      }),
  }),
];
