import type { PageInfo, PageRequest } from '@switchyard/database';
import type { RepositoryAccess } from '../../repositories';
import type {
  CommitStatus,
  CommitStatusFilter,
  CommitStatusView,
  NewPipeline,
  Pipeline,
  PipelineFilter,
  PipelineView,
  ReportRefusal,
  StatusReport,
} from '../domain/pipeline';
import type { PipelineVariable } from '../domain/pipeline-variable';

/** A merge request as pipelines know it. */
export interface TestedMergeRequest {
  readonly id: number;
  readonly iid: number;
  readonly sourceProjectId: number;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  /** Head of the source branch as last seen. */
  readonly sourceSha: string | undefined;
  /** It is open, and its source branch exists. */
  readonly open: boolean;
  /** Full path of its project. */
  readonly projectPath: string;
}

/** Finds a merge request; undefined when there is none. Merge requests implement it. */
export type FindMergeRequest = (key: { projectId: number; iid: number }) => Promise<TestedMergeRequest | undefined>;

/** The target branch of a train of the project; undefined when there is none. */
export type TargetOfTrain = (projectId: number, trainId: number) => Promise<string | undefined>;

/** Where pipelines and commit statuses are kept. Rows of a list come with the page they are. */
export interface PipelineStore {
  /** Pipelines of a project. */
  list(
    projectId: number,
    filter: PipelineFilter,
    request: PageRequest,
  ): Promise<{ rows: PipelineView[]; page: PageInfo }>;
  /** Pipelines of a merge request: its own, and those of its heads on its source branch. */
  ofMergeRequest(
    mergeRequest: Pick<TestedMergeRequest, 'id' | 'sourceProjectId' | 'sourceBranch'>,
    request: PageRequest,
  ): Promise<{ rows: PipelineView[]; page: PageInfo }>;
  /** Statuses of a commit; of each name the newest report unless `all`. */
  listStatuses(filter: CommitStatusFilter, request: PageRequest): Promise<{ rows: CommitStatusView[]; page: PageInfo }>;
  find(projectId: number, pipelineId: number): Promise<PipelineView | undefined>;
  /** The variables that it was made with, in the order in which they were given. */
  variables(pipelineId: number): Promise<PipelineVariable[]>;
  newestOfRef(projectId: number, ref: string): Promise<PipelineView | undefined>;
  /** Ref of the newest pipeline of a commit. */
  refOfCommit(projectId: number, sha: string): Promise<{ ref: string; tag: boolean } | undefined>;
  /** Makes a pipeline that waits for reports, and makes it the head pipeline of the merge requests it is about. */
  create(pipeline: NewPipeline): Promise<Pipeline>;
  /**
   * Takes a report: finds or makes its pipeline, sets the name's status, recomputes the pipeline, and lets the merge
   * requests whose head it is follow, all in one transaction.
   */
  report(report: StatusReport, committedAt: Date | undefined, now: Date): Promise<CommitStatus | ReportRefusal>;
  statusView(statusId: number): Promise<CommitStatusView | undefined>;
  /** Cancels what has not finished; a finished pipeline stays as it is. */
  cancel(projectId: number, pipelineId: number, actorId: number, now: Date): Promise<void>;
  /** Starts the failed and canceled names again; without any the pipeline stays as it is. */
  retry(projectId: number, pipelineId: number, actorId: number, now: Date): Promise<void>;
  /** @throws AppError not_found; precondition_failed when it changed after `unmodifiedSince` */
  remove(projectId: number, pipelineId: number, unmodifiedSince?: Date): Promise<void>;
}

/** What the use cases of pipelines work with. */
export interface PipelineEdges extends Pick<RepositoryAccess, 'openRepository' | 'protectedBranches'> {
  readonly pipelines: PipelineStore;
  readonly findMergeRequest: FindMergeRequest;
  readonly targetOfTrain: TargetOfTrain;
  readonly externalUrl: string;
  readonly clock: () => Date;
}
