export type { FindMergeRequest, TargetOfTrain, TestedMergeRequest } from './application/pipeline.edges';
export {
  composePipelines,
  newestPipelineOf,
  type PipelineReader,
  type Pipelines,
  rotateSecrets,
  type SkipPipeline,
} from './compose';
export type { NewPipeline, Pipeline, PipelineView } from './domain/pipeline';
export { externalStage, isFinished, isInProgress, type PipelineStatus } from './domain/pipeline-status';
export { presentPipeline, presentPipelineBasic, statusWord } from './presenters/pipeline.presenter';
export { lockHead } from './storage/head-lock';
export { publishCreated } from './storage/pipeline.events';
export type { HeadPipelines, PipelineChange, TestedCars } from './storage/pipeline.followers';
export { cancelPipelines, insertPipeline, pipelineReader } from './storage/pipeline.store';
