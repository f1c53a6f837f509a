import { JobServiceService } from '@switchyard/protos/merge_requests/v1/job';
import { documented, integer, oneOf } from '../../http/params';
import { defineRoute, type Forward } from '../../http/route';

const section = 'Dependency list exports';

const params = {
  artifact_type: documented(oneOf('cyclonedx'), { description: 'The one kind of file that is taken.' }).optional(),
  artifact_format: documented(oneOf('gzip', 'raw'), {
    description: 'What the file has to be; without it, it may be either.',
  }).optional(),
};

const toReports = (
  projectId: number,
  pipelineId: number,
  given: Record<string, string | number | undefined>,
): Forward => {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return {
    forward: {
      to: 'imports-exports',
      path: `/projects/${projectId}/pipelines/${pipelineId}/reports${query === '' ? '' : `?${query}`}`,
    },
  };
};

const description =
  'A multipart form with a CycloneDX report (1.2 to 1.6) in JSON, or gzip of it, as `file`; at most 100 MB, packed or not. One of the same name replaces the one before. It is checked as it comes: 400 names what is wrong. A user attaches 300 a minute, with what jobs attach as that user.';

/** Reports of what pipelines are built from (G-13-10). */
export const dependencyReportRoutes = [
  defineRoute({
    method: 'post',
    path: '/projects/:id/pipelines/:pipeline_id/artifacts',
    section,
    summary: 'Attach a CycloneDX report to a pipeline',
    docs: { description: `${description} A pipeline has at most 100.`, fails: [408, 413] },
    access: { project: 'create_commit_status' },
    tokens: ['job'],
    path_params: { pipeline_id: integer({ min: 0 }) },
    upload: 'file',
    limit: 'dependency_reports',
    params,
    returns: { 201: 'DependencyReport' },
    handle: async ({ access, path, params: given }) => toReports(access.id, path.pipeline_id, given),
  }),
  defineRoute({
    method: 'post',
    path: '/jobs/:job_id/artifacts',
    section,
    summary: 'Attach a CycloneDX report to a job',
    docs: {
      description: `The form of a runner, with a job token of the job's pipeline in \`JOB-TOKEN\`. ${description}`,
      fails: [408, 413],
    },
    access: { located: 'create_commit_status' },
    tokens: ['job'],
    path_params: { job_id: integer({ min: 0 }) },
    upload: 'file',
    limit: 'dependency_reports',
    params,
    locate: {
      thing: 'Job',
      read: 'read_pipeline',
      place: ({ path, call }) => call(JobServiceService).locateJob({ jobId: path.job_id }),
    },
    returns: { 201: 'DependencyReport' },
    async handle({ access, path, params: given, call }) {
      const { pipelineId } = await call(JobServiceService).locateJob({ jobId: path.job_id });
      return toReports(access.id, pipelineId, { ...given, job_id: path.job_id });
    },
  }),
];
