import { JobServiceService } from '@switchyard/protos/merge_requests/v1/job';
import { boolean, integer, manyOf } from '../../http/params';
import { defineRoute } from '../../http/route';
import { pipelineStatuses } from './pipeline-statuses';

const jobPath = '/projects/:id/jobs/:job_id' as const;
const job = { job_id: integer() };

const scope = manyOf(...pipelineStatuses).optional();

/** Jobs: the status names of pipelines (G §10). */
export const jobRoutes = [
  defineRoute({
    method: 'get',
    path: '/projects/:id/jobs',
    section: 'Jobs',
    summary: 'List jobs of a project',
    access: { project: 'read_pipeline' },
    params: { scope },
    // One order, the newest first.
    list: { orderBy: [] },
    returns: { 200: ['Job'] },
    handle: ({ params, access, page, call }) =>
      call(JobServiceService).listProjectJobs({ projectId: access.id, page, scope: params.scope ?? [] }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/pipelines/:pipeline_id/jobs',
    section: 'Jobs',
    summary: 'List jobs of a pipeline',
    docs: { description: 'One of each status name; with `include_retried` those that were started again as well.' },
    access: { project: 'read_pipeline' },
    path_params: { pipeline_id: integer() },
    params: { scope, include_retried: boolean().default(false) },
    // One order, the newest first.
    list: { orderBy: [] },
    returns: { 200: ['Job'] },
    handle: ({ path, params, access, page, call }) =>
      call(JobServiceService).listPipelineJobs({
        projectId: access.id,
        pipelineId: path.pipeline_id,
        page,
        scope: params.scope ?? [],
        includeRetried: params.include_retried,
      }),
  }),
  defineRoute({
    method: 'get',
    path: jobPath,
    section: 'Jobs',
    summary: 'Get a job',
    access: { project: 'read_pipeline' },
    path_params: job,
    returns: { 200: 'Job' },
    handle: ({ path, access, call }) => call(JobServiceService).getJob({ projectId: access.id, jobId: path.job_id }),
  }),
  defineRoute({
    method: 'get',
    path: `${jobPath}/trace`,
    section: 'Jobs',
    summary: 'Get where the log of a job is',
    docs: {
      description:
        'One line with the `target_url` that the outside CI has reported; 404 without one. It is no redirect: clients would send their token along.',
      contentTypes: ['text/plain'],
    },
    access: { project: 'read_pipeline' },
    path_params: job,
    returns: { 200: undefined },
    handle: async ({ path, access, call }) => ({
      raw: (await call(JobServiceService).getJobTrace({ projectId: access.id, jobId: path.job_id })).json,
      contentType: 'text/plain; charset=utf-8',
    }),
  }),
];
