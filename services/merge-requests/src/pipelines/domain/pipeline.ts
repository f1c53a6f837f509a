import type { UserRow } from '@switchyard/directory';
import type { CommitStatusState, PipelineStatus } from './pipeline-status';

/** A pipeline as it is stored (G-2-13). Durations are whole seconds. */
export interface Pipeline {
  readonly id: number;
  /** Number within the project. */
  readonly iid: number;
  readonly projectId: number;
  readonly sha: string;
  readonly beforeSha: string | undefined;
  /** Branch or tag name, or the full name of a merge request ref. */
  readonly ref: string;
  readonly tag: boolean;
  /** What made it: `external`, `api`, `merge_request_event` … */
  readonly source: string;
  readonly status: PipelineStatus;
  readonly userId: number;
  readonly mergeRequestId: number | undefined;
  readonly name: string | undefined;
  /** Percent. */
  readonly coverage: number | undefined;
  readonly yamlErrors: string | undefined;
  readonly committedAt: Date | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly duration: number | undefined;
  readonly queuedDuration: number | undefined;
  readonly archived: boolean;
  /** A job token was issued for its present run, so the end of that is published. */
  readonly jobTokensIssued: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A report about one name of a pipeline. */
export interface CommitStatus {
  readonly id: number;
  readonly pipelineId: number;
  readonly sha: string;
  readonly ref: string;
  readonly name: string;
  readonly status: CommitStatusState;
  readonly targetUrl: string | undefined;
  readonly description: string | undefined;
  readonly coverage: number | undefined;
  readonly allowFailure: boolean;
  readonly userId: number;
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

/** A pipeline and who triggered it. */
export interface PipelineView {
  readonly pipeline: Pipeline;
  readonly user: UserRow | undefined;
}

/** A status and who reported it. */
export interface CommitStatusView {
  readonly status: CommitStatus;
  readonly author: UserRow | undefined;
}

/** A status as a job of its pipeline. */
export interface JobView extends CommitStatusView {
  readonly pipeline: Pipeline;
}

/** What a list of jobs is narrowed by. */
export interface JobFilter {
  readonly projectId: number;
  readonly pipelineId?: number;
  /** Of which a job has one. */
  readonly statuses?: readonly string[] | undefined;
  /** Those that were started again as well. */
  readonly retried: boolean;
}

/** What a list of pipelines is narrowed by. */
export interface PipelineFilter {
  readonly scope?: 'running' | 'pending' | 'finished' | 'branches' | 'tags';
  readonly status?: string;
  readonly ref?: string;
  readonly sha?: string;
  readonly username?: string;
  readonly source?: string;
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly name?: string;
  readonly yamlErrors?: boolean;
}

/** What a list of commit statuses is narrowed by. */
export interface CommitStatusFilter {
  readonly projectId: number;
  readonly sha: string;
  readonly ref?: string;
  readonly name?: string;
  readonly pipelineId?: number;
  /** Older reports of a name as well. */
  readonly all: boolean;
}

/** A report as it comes in. */
export interface StatusReport {
  readonly projectId: number;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly name: string;
  readonly state: CommitStatusState;
  readonly targetUrl: string | undefined;
  readonly description: string | undefined;
  readonly coverage: number | undefined;
  /** The pipeline it belongs to; undefined: the newest of commit and ref. */
  readonly pipelineId: number | undefined;
  readonly userId: number;
}

/** A pipeline to make. */
export interface NewPipeline {
  readonly projectId: number;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly source: string;
  readonly userId: number;
  readonly mergeRequestId?: number;
  readonly committedAt: Date | undefined;
  /** Where it begins; default `created`. */
  readonly status?: PipelineStatus;
}

/** Why a report was not taken: there is no such transition, or nothing to belong to. */
export type ReportRefusal = { readonly from: CommitStatusState } | 'no pipeline';

/** Name of a status that gives none. */
export const defaultStatusName = 'default';

const trainRef = /^refs\/merge-requests\/(?:probes\/)?\d+\/train$/;
const probeRef = /^refs\/merge-requests\/probes\/(\d{1,15})\/train$/;

/** True for the ref of a merge train's car: reports never make or revive a pipeline on it (D8). */
export const isTrainRef = (ref: string): boolean => trainRef.test(ref);

/** The train whose target branch a pipeline on `ref` tests (D8); undefined for other refs. */
export const probedTrain = (ref: string): number | undefined => {
  const [, id] = probeRef.exec(ref) ?? [];
  return id === undefined ? undefined : Number(id);
};

/** The number of the merge request that a ref belongs to, its train's ref included; undefined for other refs. */
export const mergeRequestOf = (ref: string): number | undefined => {
  const [, iid] = /^refs\/merge-requests\/(\d{1,15})\/\w+$/.exec(ref) ?? [];
  return iid === undefined ? undefined : Number(iid);
};

/** A branch or tag by its short name; other refs stay as they are. */
export const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, '');
