import { conflict, forbidden, isAppError, notFound } from '@switchyard/errors';
import { levels } from '@switchyard/rights';
import type { Caller } from '../../callers';
import type { IssuedJobToken, PipelineEdges } from './pipeline.edges';
import { mayDecideOn } from './pipeline-right';

/**
 * Issues a token with the rights of the user who caused a pipeline. The run is marked first, so that its end is published
 * and ends the token, whichever comes first at groups-admin. A Developer could get a Maintainer's rights by it, so it is
 * for Maintainers.
 * @throws AppError forbidden, not_found; conflict for a finished pipeline, or one whose user is gone
 */
export const issueJobToken =
  (edges: PipelineEdges) =>
  async (caller: Caller, projectId: number, pipelineId: number): Promise<IssuedJobToken> => {
    if (!caller.admin && caller.level < levels.maintainer) throw forbidden();
    const view = await edges.pipelines.find(projectId, pipelineId);
    if (view === undefined) throw notFound('Pipeline');
    if (!(await mayDecideOn(edges, caller, projectId, view.pipeline.ref))) throw forbidden();
    const run = await edges.pipelines.beginJobTokens(projectId, pipelineId);
    if (run === undefined) throw conflict('The pipeline has finished');
    try {
      return await edges.issueJobToken({ projectId, pipelineId, run, userId: view.pipeline.userId }, caller.requestId);
    } catch (error) {
      if (isAppError(error, 'not_found')) throw conflict('The user who caused the pipeline no longer exists');
      throw error;
    }
  };
