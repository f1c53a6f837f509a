import { AppError, forbidden, notFound } from '@switchyard/errors';
import { PipelineServiceService } from '@switchyard/protos/merge_requests/v1/pipeline';
import { levels } from '@switchyard/rights';
import { type CallContext, entity, fixedOrder, implement, nothing, page, pageRequest, viewerOf } from '@switchyard/rpc';
import { callerOf } from '../../callers';
import type { createMergeRequestPipeline, createPipeline } from '../application/create-pipeline';
import type { issueJobToken } from '../application/issue-job-token';
import type { listCiVariables } from '../application/list-ci-variables';
import type { PipelineEdges } from '../application/pipeline.edges';
import { mayDecideOn } from '../application/pipeline-right';
import { type PipelineFilter, type PipelineView, shortRef } from '../domain/pipeline';
import type { PipelineVariableType } from '../domain/pipeline-variable';
import {
  presentCiVariable,
  presentPackagePipeline,
  presentPipeline,
  presentPipelineBasic,
  presentPipelineVariable,
} from '../presenters/pipeline.presenter';

/** The use cases behind the RPCs. */
export interface PipelineUseCases {
  readonly createPipeline: ReturnType<typeof createPipeline>;
  readonly issueJobToken: ReturnType<typeof issueJobToken>;
  readonly createMergeRequestPipeline: ReturnType<typeof createMergeRequestPipeline>;
  readonly listCiVariables: ReturnType<typeof listCiVariables>;
}

/** Least levels that see what others gave a pipeline, and that remove one. */
const { maintainer, owner } = levels;

/** Pipelines answered at once (see the proto). */
const maxPipelines = 100;

/** gRPC side of pipelines. */
export function pipelineHandler(useCases: PipelineUseCases, edges: PipelineEdges) {
  const { pipelines, externalUrl, clock } = edges;
  const placeOf = ({ access }: CallContext) => ({ externalUrl, fullPath: access?.fullPath ?? '' });
  const whole = (view: PipelineView | undefined, context: CallContext) => {
    if (view === undefined) throw notFound('Pipeline');
    return presentPipeline(view.pipeline, view.user, placeOf(context));
  };

  /**
   * A pipeline of a train decides what is removed: acting on it takes the right to merge. Pipelines never change their
   * ref.
   */
  async function requireRight(projectId: number, pipelineId: number, context: CallContext): Promise<void> {
    const view = await pipelines.find(projectId, pipelineId);
    if (view === undefined) throw notFound('Pipeline');
    const right = await mayDecideOn(edges, callerOf(context), projectId, view.pipeline.ref);
    if (right === false) throw forbidden();
  }

  return implement(
    PipelineServiceService,
    {
      async listPipelines(request, context) {
        const { rows, page: info } = await pipelines.list(
          request.projectId,
          {
            scope: (request.scope || undefined) as PipelineFilter['scope'],
            status: request.status || undefined,
            ref: request.ref === '' ? undefined : shortRef(request.ref),
            sha: request.sha || undefined,
            username: request.username || undefined,
            source: request.source || undefined,
            updatedAfter: request.updatedAfter,
            updatedBefore: request.updatedBefore,
            createdAfter: request.createdAfter,
            createdBefore: request.createdBefore,
            name: request.name || undefined,
            yamlErrors: request.yamlErrors,
          },
          pageRequest(request.page, { orderBy: 'id', descending: true }),
        );
        const place = placeOf(context);
        return page(
          rows.map(({ pipeline }) => ({ ...presentPipelineBasic(pipeline, place), name: pipeline.name ?? null })),
          { ...info, keyset: request.page?.keyset ?? false },
        );
      },

      getPipeline: async ({ projectId, pipelineId }, context) =>
        entity(whole(await pipelines.find(projectId, pipelineId), context)),

      async getLatestPipeline({ projectId, ref }, context) {
        const { defaultBranch } = await edges.openRepository(projectId);
        return entity(
          whole(await pipelines.newestOfRef(projectId, ref === '' ? defaultBranch : shortRef(ref)), context),
        );
      },

      async createPipeline({ projectId, ref, variables }, context) {
        const given = variables.map(({ key, value, variableType }) => ({
          key,
          value,
          type: variableType as PipelineVariableType,
        }));
        return entity(whole(await useCases.createPipeline(callerOf(context), projectId, ref, given), context));
      },

      async listPipelineVariables({ projectId, pipelineId }, context) {
        const view = await pipelines.find(projectId, pipelineId);
        if (view === undefined) throw notFound('Pipeline');
        const { userId, level, admin } = callerOf(context);
        // A caller without a token has the id 0, which makes no pipeline.
        if (!admin && level < maintainer && view.pipeline.userId !== userId) throw forbidden();
        return entity((await pipelines.variables(pipelineId)).map(presentPipelineVariable));
      },

      async listCiVariables({ projectId, pipelineId, environment }, context) {
        const job = context.actor.job;
        const reader = {
          ...callerOf(context),
          isPipeline: job !== undefined && job.projectId === projectId && job.pipelineId === pipelineId,
          isJob: job !== undefined,
        };
        const variables = await useCases.listCiVariables(reader, {
          projectId,
          pipelineId,
          environment: environment || undefined,
        });
        return entity(variables.map(presentCiVariable));
      },

      async cancelPipeline({ projectId, pipelineId }, context) {
        await requireRight(projectId, pipelineId, context);
        await pipelines.cancel(projectId, pipelineId, context.actor.userId, clock());
        return entity(whole(await pipelines.find(projectId, pipelineId), context));
      },

      async retryPipeline({ projectId, pipelineId }, context) {
        await requireRight(projectId, pipelineId, context);
        await pipelines.retry(projectId, pipelineId, context.actor.userId, clock());
        return entity(whole(await pipelines.find(projectId, pipelineId), context));
      },

      async issuePipelineJobToken({ projectId, pipelineId }, context) {
        const { token, expiresAt } = await useCases.issueJobToken(callerOf(context), projectId, pipelineId);
        return entity({ token, expires_at: expiresAt.toISOString() });
      },

      async deletePipeline({ projectId, pipelineId, ifUnmodifiedSince }, context) {
        if (!context.actor.admin && (context.access?.level ?? 0) < owner) throw new AppError('forbidden');
        await requireRight(projectId, pipelineId, context);
        await pipelines.remove(projectId, pipelineId, ifUnmodifiedSince);
        return nothing();
      },

      async listMergeRequestPipelines({ projectId, iid, page: wanted }, context) {
        const mergeRequest = await edges.findMergeRequest({ projectId, iid });
        if (mergeRequest === undefined) throw notFound();
        // Those of a fork are for who reads its code: their addresses name it.
        const { sourceProjectId, projectPath } = mergeRequest;
        const [fork] =
          sourceProjectId === projectId ? [] : await edges.codeReaders(viewerOf(context), [sourceProjectId]);
        const { rows, page: info } = await pipelines.ofMergeRequest(
          mergeRequest,
          sourceProjectId === projectId || fork !== undefined,
          fixedOrder(wanted, 'id', 'desc'),
        );
        const pathOf = (id: number): string => (id === fork?.id ? fork.fullPath : projectPath);
        return page(
          rows.map(({ pipeline }) =>
            presentPipelineBasic(pipeline, { externalUrl, fullPath: pathOf(pipeline.projectId) }),
          ),
          { ...info, keyset: wanted?.keyset ?? false },
        );
      },

      async batchGetPipelines({ projectId, pipelineIds }, context) {
        const found = await pipelines.byIds(pipelineIds.slice(0, maxPipelines));
        const projectIds = projectId > 0 ? [projectId] : [...new Set(found.map(({ pipeline }) => pipeline.projectId))];
        const readable = await edges.codeReaders(viewerOf(context), projectIds);
        if (projectId > 0 && readable.length === 0) throw forbidden();
        const paths = new Map(readable.map(({ id, fullPath }) => [id, fullPath]));
        return entity(
          found.flatMap((one) => {
            const fullPath = paths.get(one.pipeline.projectId);
            return fullPath === undefined ? [] : [presentPackagePipeline(one, { externalUrl, fullPath })];
          }),
        );
      },

      async locatePipeline({ pipelineId }) {
        const projectId = await pipelines.projectOf(pipelineId);
        if (projectId === undefined) throw notFound('Pipeline');
        return { projectId };
      },

      async createMergeRequestPipeline({ async: later, ...key }, context) {
        const made = await useCases.createMergeRequestPipeline(callerOf(context), key);
        return later ? nothing(202) : entity(whole(made, context));
      },
    },
    { batchGetPipelines: { callers: ['packages'], onBehalfOf: true } },
  );
}
