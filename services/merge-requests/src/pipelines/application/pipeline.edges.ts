import type { PageInfo, PageRequest } from '@switchyard/database';
import type { ProjectAccess, RepositoryAccess } from '../../repositories';
import type {
  CommitStatus,
  CommitStatusFilter,
  CommitStatusView,
  JobFilter,
  JobView,
  NewPipeline,
  Pipeline,
  PipelineFilter,
  PipelineView,
  ReportRefusal,
  StatusReport,
} from '../domain/pipeline';
import type { CiVariable, PipelineVariable } from '../domain/pipeline-variable';

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

/** The access of a user who causes pipelines to their project; undefined when the user may not act any more. */
export type AccessOfCauser = (projectId: number, userId: number) => Promise<ProjectAccess | undefined>;

/** Of which pipeline the variables are resolved; see `VariableService.ResolveVariables`. */
export interface VariableQuery {
  readonly projectId: number;
  readonly protectedRef: boolean;
  readonly environment: string | undefined;
  readonly withHidden: boolean;
  /** Id of the public request. */
  readonly requestId: string;
}

/** The variables of project, groups and instance that a pipeline gets. @throws AppError too_large; unavailable */
export type ResolveVariables = (query: VariableQuery) => Promise<CiVariable[]>;

/** Where pipelines and commit statuses are kept. Rows of a list come with the page they are. */
export interface PipelineStore {
  /** Pipelines of a project. */
  list(
    projectId: number,
    filter: PipelineFilter,
    request: PageRequest,
  ): Promise<{ rows: PipelineView[]; page: PageInfo }>;
  /**
   * Pipelines of a merge request: its own, and those of its heads on its source branch.
   * @param withSource false leaves out the latter
   */
  ofMergeRequest(
    mergeRequest: Pick<TestedMergeRequest, 'id' | 'sourceProjectId' | 'sourceBranch'>,
    withSource: boolean,
    request: PageRequest,
  ): Promise<{ rows: PipelineView[]; page: PageInfo }>;
  /** Statuses of a commit; of each name the newest report unless `all`. */
  listStatuses(filter: CommitStatusFilter, request: PageRequest): Promise<{ rows: CommitStatusView[]; page: PageInfo }>;
  find(projectId: number, pipelineId: number): Promise<PipelineView | undefined>;
  /** The project of a pipeline; undefined without it. */
  projectOf(pipelineId: number): Promise<number | undefined>;
  /** Those pipelines that exist, in any order. */
  byIds(pipelineIds: readonly number[]): Promise<PipelineView[]>;
  /** The variables that it was made with, in the order in which they were given. */
  variables(pipelineId: number): Promise<PipelineVariable[]>;
  newestOfRef(projectId: number, ref: string): Promise<PipelineView | undefined>;
  /** Ref of the newest pipeline of a commit. */
  refOfCommit(projectId: number, sha: string): Promise<{ ref: string; tag: boolean } | undefined>;
  /**
   * Makes a pipeline that waits for reports, and makes it the head pipeline of the merge requests it is about; its
   * variables are stored encrypted.
   */
  create(pipeline: NewPipeline, variables?: readonly PipelineVariable[]): Promise<Pipeline>;
  /** Notes that a head is not to be tested, by a pipeline with the status `skipped`; nothing where it has a pipeline. */
  skip(pipeline: NewPipeline): Promise<void>;
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
  /** Marks the present run as one with job tokens; returns its number, undefined when the pipeline has finished. */
  beginJobTokens(projectId: number, pipelineId: number): Promise<number | undefined>;
  /** @throws AppError not_found; precondition_failed when it changed after `unmodifiedSince` */
  remove(projectId: number, pipelineId: number, unmodifiedSince?: Date): Promise<void>;
}

/** Commit statuses as jobs of their pipelines. */
export interface JobStore {
  /** A page of jobs, newest first. */
  list(filter: JobFilter, request: PageRequest): Promise<{ rows: JobView[]; page: PageInfo }>;
  find(projectId: number, jobId: number): Promise<JobView | undefined>;
  /** Project and pipeline of a job; undefined without it. */
  locate(jobId: number): Promise<{ readonly projectId: number; readonly pipelineId: number } | undefined>;
}

/** A job token, which is shown once. */
export interface IssuedJobToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Issues a job token for a run of a pipeline; groups-admin owns them. */
export type JobTokenIssuer = (
  run: { readonly projectId: number; readonly pipelineId: number; readonly run: number; readonly userId: number },
  requestId: string,
) => Promise<IssuedJobToken>;

/** What the use cases of pipelines work with. */
export interface PipelineEdges
  extends Pick<RepositoryAccess, 'openRepository' | 'protectedBranches' | 'protectedTags' | 'codeReaders'> {
  readonly pipelines: PipelineStore;
  readonly jobs: JobStore;
  readonly findMergeRequest: FindMergeRequest;
  readonly targetOfTrain: TargetOfTrain;
  readonly accessOfCauser: AccessOfCauser;
  readonly resolveVariables: ResolveVariables;
  readonly issueJobToken: JobTokenIssuer;
  readonly externalUrl: string;
  readonly clock: () => Date;
}
