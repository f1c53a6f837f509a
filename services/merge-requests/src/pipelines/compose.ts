import type { Database } from '@switchyard/database';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { RepositoryAccess } from '../repositories';
import { createMergeRequestPipeline, createPipeline } from './application/create-pipeline';
import type { FindMergeRequest, PipelineEdges, PipelineStore, TargetOfTrain } from './application/pipeline.edges';
import { reportCommitStatus } from './application/report-commit-status';
import { commitPipelineStore } from './storage/commit-pipeline.store';
import type { PipelineFollowers } from './storage/pipeline.followers';
import { pipelineStore } from './storage/pipeline.store';
import { commitStatusHandler } from './transport/commit-status.handler';
import { pipelineHandler } from './transport/pipeline.handler';

/** What pipelines need of the areas above them. */
export interface PipelinePorts {
  readonly findMergeRequest: FindMergeRequest;
  readonly targetOfTrain: TargetOfTrain;
  readonly followers: PipelineFollowers;
}

/** Pipelines as other areas read them. */
export type PipelineReader = Pick<PipelineStore, 'find'>;

/** The area, and what others use of it. */
export interface Pipelines extends Area {
  readonly edges: PipelineEdges;
}

/** Builds pipelines and commit statuses. */
export function composePipelines(given: Edges, repositories: RepositoryAccess, ports: PipelinePorts): Pipelines {
  const { db, config, clock, observe } = given;
  const edges: PipelineEdges = {
    openRepository: repositories.openRepository,
    protectedBranches: repositories.protectedBranches,
    pipelines: pipelineStore(db, ports.followers),
    findMergeRequest: ports.findMergeRequest,
    targetOfTrain: ports.targetOfTrain,
    externalUrl: config.SWITCHYARD_EXTERNAL_URL,
    clock,
  };
  const useCases = observe('merge_requests', {
    createPipeline: createPipeline(edges),
    createMergeRequestPipeline: createMergeRequestPipeline(edges),
    reportCommitStatus: reportCommitStatus(edges),
  });
  return {
    edges,
    services: [pipelineHandler(useCases, edges), commitStatusHandler(useCases, edges)],
  };
}

/** Finds the newest pipeline of a commit; undefined when it has none. */
export const newestPipelineOf = (db: Database) => commitPipelineStore(db).newest;
