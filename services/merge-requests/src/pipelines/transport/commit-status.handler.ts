import { notFound } from '@switchyard/errors';
import { CommitStatusServiceService } from '@switchyard/protos/merge_requests/v1/commit_status';
import { entity, implement, page, pageRequest } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import { resolveRevision } from '../../git';
import type { PipelineEdges } from '../application/pipeline.edges';
import type { reportCommitStatus } from '../application/report-commit-status';
import { shortRef } from '../domain/pipeline';
import { type CommitStatusState, externalStage } from '../domain/pipeline-status';
import { presentCommitStatus } from '../presenters/pipeline.presenter';

/** gRPC side of commit statuses. */
export function commitStatusHandler(
  useCases: { readonly reportCommitStatus: ReturnType<typeof reportCommitStatus> },
  { pipelines, openRepository, externalUrl }: Pick<PipelineEdges, 'pipelines' | 'openRepository' | 'externalUrl'>,
) {
  return implement(CommitStatusServiceService, {
    async setCommitStatus(request, context) {
      const { job } = context.actor;
      // A job has the rights of another user: what it reports counts for its own pipeline alone (G-5-13).
      if (job !== undefined && request.pipelineId > 0 && request.pipelineId !== job.pipelineId)
        throw notFound('Pipeline');
      const { status, author } = await useCases.reportCommitStatus(callerOf(context), {
        projectId: request.projectId,
        revision: request.sha,
        state: request.state as CommitStatusState,
        ref: request.ref || undefined,
        name: request.name || undefined,
        targetUrl: request.targetUrl,
        description: request.description,
        coverage: request.coverage,
        pipelineId: job?.pipelineId ?? (request.pipelineId || undefined),
      });
      return entity(presentCommitStatus(status, author, externalUrl));
    },

    async listCommitStatuses(request) {
      const { repo } = await openRepository(request.projectId);
      const revision = await resolveRevision(repo, request.sha);
      if (revision === undefined) throw notFound('Commit');
      const wanted = pageRequest(request.page, { orderBy: 'id' });
      if (request.stage !== '' && request.stage !== externalStage) {
        return page([], { keyset: false, page: wanted.page, perPage: wanted.perPage, total: 0, hasNext: false });
      }
      const { rows, page: info } = await pipelines.listStatuses(
        {
          projectId: request.projectId,
          sha: revision.sha,
          ref: request.ref === '' ? undefined : shortRef(request.ref),
          name: request.name || undefined,
          pipelineId: request.pipelineId || undefined,
          all: request.all,
        },
        wanted,
      );
      return page(
        rows.map(({ status, author }) => presentCommitStatus(status, author, externalUrl)),
        { ...info, keyset: request.page?.keyset ?? false },
      );
    },
  });
}
