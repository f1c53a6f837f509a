/** Status of a pipeline (G-2-14). */
export type PipelineStatus =
  | 'created'
  | 'waiting_for_resource'
  | 'preparing'
  | 'waiting_for_callback'
  | 'pending'
  | 'running'
  | 'success'
  | 'failed'
  | 'canceling'
  | 'canceled'
  | 'skipped'
  | 'manual'
  | 'scheduled';

/** Status of one name as an outside CI reports it; `created` is a retried name without a report. */
export type CommitStatusState = 'created' | 'pending' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped';

/** The one stage of outside statuses. */
export const externalStage = 'external';

const finished: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped']);

/** True when no report is awaited any more. */
export const isFinished = (status: string): boolean => finished.has(status);

/** True while a pipeline is on its way to a final status by itself; `manual` waits for a user. */
export const isInProgress = (status: PipelineStatus): boolean => !finished.has(status) && status !== 'manual';

/** Statuses behind the list's `scope` values `running`, `pending` and `finished`. */
export const scopeStatuses: Readonly<Record<'running' | 'pending' | 'finished', readonly PipelineStatus[]>> = {
  running: ['running'],
  pending: ['created', 'waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending'],
  finished: ['success', 'failed', 'canceled'],
};

/** One name's contribution to its pipeline. */
export interface StatusOfName {
  readonly status: CommitStatusState;
  readonly allowFailure: boolean;
}

/**
 * Status of a pipeline from the newest report of each name; undefined for none, when the pipeline keeps the status it
 * has. A final status other than success may exist next to unfinished names: then the pipeline still runs.
 */
export function pipelineStatusOf(names: readonly StatusOfName[]): PipelineStatus | undefined {
  if (names.length === 0) return undefined;
  const seen = new Set(
    names.map(({ status, allowFailure }) => (allowFailure && status === 'failed' ? 'success' : status)),
  );
  const only = (...allowed: string[]): boolean => [...seen].every((status) => allowed.includes(status));
  if (only('skipped')) return 'skipped';
  if (only('success', 'skipped')) return 'success';
  if (only('created')) return 'created';
  if (only('created', 'pending', 'skipped')) return 'pending';
  if (seen.has('running') || seen.has('pending') || seen.has('created')) return 'running';
  return seen.has('failed') ? 'failed' : 'canceled';
}

/** What a report does to the name's current status. */
export type StatusTransition = 'none' | 'update' | 'renew';

/** Transitions of one row: `unfinished → anything later`. Going from running back to pending is no transition. */
const later: Readonly<Record<CommitStatusState, readonly CommitStatusState[]>> = {
  created: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'],
  pending: ['running', 'success', 'failed', 'canceled', 'skipped'],
  running: ['success', 'failed', 'canceled', 'skipped'],
  success: [],
  failed: [],
  canceled: [],
  skipped: [],
};

/**
 * What a report of `to` does to a name whose status is `from`: the same report again does nothing; a report after a
 * final status starts the name again (`renew`), because the outside CI has retried it; undefined: there is no such
 * transition.
 */
export function transitionOf(from: CommitStatusState, to: CommitStatusState): StatusTransition | undefined {
  if (from === to) return 'none';
  if (later[from].includes(to)) return 'update';
  return isFinished(from) ? 'renew' : undefined;
}

/** Times of a pipeline. */
export interface PipelineTimes {
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  /** Whole seconds from start to finish. */
  readonly duration: number | undefined;
  /** Whole seconds from creation to start. */
  readonly queuedDuration: number | undefined;
}

const seconds = (from: Date, to: Date): number => Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000));

/** Times of a pipeline that goes from `before` to `status` at `now`. A pipeline that runs again has no finish. */
export function pipelineTimes(
  status: PipelineStatus,
  before: { readonly createdAt: Date; readonly startedAt: Date | undefined; readonly finishedAt: Date | undefined },
  now: Date,
): PipelineTimes {
  const waits = status === 'created' || status === 'pending' || status === 'skipped';
  const startedAt = before.startedAt ?? (waits ? undefined : now);
  const finishedAt = isFinished(status) ? (before.finishedAt ?? now) : undefined;
  return {
    startedAt,
    finishedAt,
    duration: startedAt && finishedAt ? seconds(startedAt, finishedAt) : undefined,
    queuedDuration: startedAt ? seconds(before.createdAt, startedAt) : undefined,
  };
}
