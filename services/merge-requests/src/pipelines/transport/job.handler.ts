import { notFound } from '@switchyard/errors';
import { JobServiceService } from '@switchyard/protos/merge_requests/v1/job';
import { type CallContext, entity, fixedOrder, implement, json, page } from '@switchyard/rpc';
import { parseSha, readCommits } from '../../git';
import type { PipelineEdges } from '../application/pipeline.edges';
import type { JobFilter, JobView } from '../domain/pipeline';
import { presentJob, presentTrace } from '../presenters/job.presenter';

/** gRPC side of jobs. */
export function jobHandler(edges: Pick<PipelineEdges, 'jobs' | 'pipelines' | 'openRepository' | 'externalUrl'>) {
  const { jobs, pipelines, openRepository, externalUrl } = edges;

  /** Renders jobs with their commits, which one process of git reads. */
  async function present(projectId: number, rows: readonly JobView[], { access }: CallContext) {
    if (rows.length === 0) return [];
    const { repo } = await openRepository(projectId);
    const shas = [...new Set(rows.map(({ status }) => status.sha))].map(parseSha);
    const commits = new Map((await readCommits(repo, shas)).map((commit) => [commit.id as string, commit]));
    const place = { externalUrl, fullPath: access?.fullPath ?? '' };
    return rows.map((row) => presentJob(row, commits.get(row.status.sha), place));
  }

  async function listed(
    filter: JobFilter,
    request: Parameters<typeof fixedOrder>[0],
    context: CallContext,
  ): Promise<ReturnType<typeof page>> {
    const { rows, page: info } = await jobs.list(filter, fixedOrder(request, 'id', 'desc'));
    return page(await present(filter.projectId, rows, context), { ...info, keyset: request?.keyset ?? false });
  }

  async function existing(projectId: number, jobId: number): Promise<JobView> {
    const job = await jobs.find(projectId, jobId);
    if (job === undefined) throw notFound();
    return job;
  }

  const statusesOf = (scope: readonly string[]) => (scope.length === 0 ? undefined : scope);

  return implement(JobServiceService, {
    listProjectJobs: ({ projectId, scope, page: wanted }, context) =>
      listed({ projectId, statuses: statusesOf(scope), retried: true }, wanted, context),

    async listPipelineJobs({ projectId, pipelineId, scope, includeRetried, page: wanted }, context) {
      const filter = { projectId, pipelineId, statuses: statusesOf(scope), retried: includeRetried };
      if ((await pipelines.find(projectId, pipelineId)) === undefined) throw notFound('Pipeline');
      return listed(filter, wanted, context);
    },

    async getJob({ projectId, jobId }, context) {
      const [job] = await present(projectId, [await existing(projectId, jobId)], context);
      return entity(job);
    },

    async locateJob({ jobId }) {
      const place = await jobs.locate(jobId);
      if (place === undefined) throw notFound();
      return place;
    },

    async getJobTrace({ projectId, jobId }) {
      const { targetUrl } = (await existing(projectId, jobId)).status;
      if (!targetUrl) throw notFound();
      return json(Buffer.from(presentTrace(targetUrl)));
    },
  });
}
