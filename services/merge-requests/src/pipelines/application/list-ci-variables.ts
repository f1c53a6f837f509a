import { forbidden, notFound } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { maintainer } from '../../repositories';
import { type CiVariable, precedence } from '../domain/pipeline-variable';
import type { PipelineEdges } from './pipeline.edges';
import { isOnProtectedRef } from './protected-ref';

/** Who reads what a pipeline gets. */
export interface VariableReader extends Caller {
  /** With a job token. */
  readonly isJob: boolean;
  /** With a job token of this very pipeline. */
  readonly isPipeline: boolean;
}

/**
 * What an outside CI gets for a pipeline: the variables that it was made with over those of project, groups and
 * instance. Hidden values are for the pipeline alone.
 * @throws AppError not_found; forbidden; too_large
 */
export const listCiVariables =
  (edges: PipelineEdges) =>
  async (
    reader: VariableReader,
    {
      projectId,
      pipelineId,
      environment,
    }: { readonly projectId: number; readonly pipelineId: number; readonly environment: string | undefined },
  ): Promise<CiVariable[]> => {
    const view = await edges.pipelines.find(projectId, pipelineId);
    if (view === undefined) throw notFound('Pipeline');
    const mayRead = reader.isJob ? reader.isPipeline : reader.admin || reader.level >= maintainer;
    if (!mayRead) throw forbidden();
    const [own, inherited] = await Promise.all([
      edges.pipelines.variables(pipelineId),
      edges.resolveVariables({
        projectId,
        protectedRef: await isOnProtectedRef(edges, view.pipeline),
        environment,
        withHidden: reader.isPipeline,
        requestId: reader.requestId,
      }),
    ]);
    return precedence(own, inherited);
  };
