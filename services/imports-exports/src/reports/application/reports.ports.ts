import type { Tx } from '@switchyard/database';
import type { NewReport, Report, ReportedPipeline } from '../domain/report';

/** Reports as rows. */
export interface ReportStore {
  /**
   * Adds a report; one of the same pipeline, job and name is replaced, and its blob removed an hour later: an export may
   * be reading it. Undefined when the received blob was pruned. Fails with `bad_request` when the pipeline has 100
   * reports.
   */
  add(tx: Tx, report: NewReport): Promise<Report | undefined>;
  /** Reports of pipelines, in the order of pipelines, names and jobs. */
  ofPipelines(pipelineIds: readonly number[]): Promise<Report[]>;
  /** Pipelines after one, by project and id, whose last report came so many days ago or earlier. */
  oldPipelines(days: number, after: ReportedPipeline, limit: number): Promise<ReportedPipeline[]>;
  /**
   * Removes the reports of pipelines of a project that came so many days ago or earlier, and their blobs an hour later: an export may be
   * reading them. Returns how many.
   */
  removeOld(days: number, projectId: number, pipelineIds: readonly number[]): Promise<number>;
  /** Removes up to `limit` reports of deleted projects; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}

/** What merge-requests says of pipelines and jobs. */
export interface ReportTargets {
  /** Fails with `not_found` unless the project has the pipeline. */
  requirePipeline(projectId: number, pipelineId: number, requestId: string): Promise<void>;
  /**
   * Those of at most 100 pipelines of a project that are the newest of a branch or tag that is there. Fails with
   * `not_found`.
   */
  newest(projectId: number, pipelineIds: readonly number[], requestId: string): Promise<number[]>;
}
