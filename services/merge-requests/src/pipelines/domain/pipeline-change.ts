import type { CommitStatus, Pipeline, StatusReport } from './pipeline';
import {
  type CommitStatusState,
  isFinished,
  type PipelineStatus,
  type PipelineTimes,
  pipelineTimes,
  transitionOf,
} from './pipeline-status';

/** What a report does to the current status of its name. */
export interface ReportDecision {
  readonly save: 'insert' | 'update' | 'retire_and_insert';
  /** Whether the pipeline's status may change by it. */
  readonly recomputes: boolean;
}

/**
 * Decides about a report (D8).
 * @param current the newest status of the name; undefined for a new name
 * @returns the refusal when there is no such transition
 */
export function decideReport(
  current: Pick<CommitStatus, 'status'> | undefined,
  { state, coverage }: Pick<StatusReport, 'state' | 'coverage'>,
): ReportDecision | { readonly from: CommitStatusState } {
  if (current === undefined) return { save: 'insert', recomputes: true };
  const transition = transitionOf(current.status, state);
  if (transition === undefined) return { from: current.status };
  return {
    save: transition === 'renew' ? 'retire_and_insert' : 'update',
    recomputes: transition !== 'none' || coverage !== undefined,
  };
}

/** Times of a commit status that takes a report; a status that does not change keeps its times. */
export const reportTimes = (
  current: CommitStatusState | undefined,
  state: CommitStatusState,
  now: Date,
): { readonly startedAt: Date | undefined; readonly finishedAt: Date | undefined } =>
  current === state
    ? { startedAt: undefined, finishedAt: undefined }
    : { startedAt: hasStarted(state) ? now : undefined, finishedAt: isFinished(state) ? now : undefined };

const hasStarted = (state: CommitStatusState): boolean =>
  state === 'running' || state === 'success' || state === 'failed';

/** What changes a pipeline. */
export interface PipelineCause {
  readonly status: PipelineStatus;
  /** Names the retry, where that is the cause. */
  readonly retriedAs?: string;
  readonly now: Date;
}

/** How a pipeline changes. */
export interface PipelineDecision {
  readonly status: PipelineStatus;
  readonly times: PipelineTimes;
  /** Whether the merge requests whose head it is are notified. */
  readonly notifies: boolean;
  /** It has failed by this change. */
  readonly failed: boolean;
}

/** Moves a pipeline to the status that its names result in. One that runs again has no finish. */
export function decidePipeline(
  { status: previous, createdAt, startedAt, finishedAt }: Pipeline,
  { status, retriedAs, now }: PipelineCause,
): PipelineDecision {
  const resumes = isFinished(previous) && !isFinished(status);
  return {
    status,
    times: pipelineTimes(status, { createdAt, startedAt, finishedAt: resumes ? undefined : finishedAt }, now),
    notifies: status !== previous || retriedAs !== undefined,
    failed: status === 'failed' && previous !== 'failed',
  };
}

/** A pipeline that has not finished can be canceled. */
export const canCancel = ({ status }: Pick<Pipeline, 'status'>): boolean => !isFinished(status);

/** A pipeline can be retried when some of its names are, or when it was canceled before it had any. */
export const canRetry = ({ status }: Pick<Pipeline, 'status'>, retriedNames: number): boolean =>
  retriedNames > 0 || status === 'canceled';

/** States of a name that canceling its pipeline ends. */
export const cancelable: readonly CommitStatusState[] = ['created', 'pending', 'running'];

/** States of a name that a retry starts again. */
export const retryable: readonly CommitStatusState[] = ['failed', 'canceled'];
