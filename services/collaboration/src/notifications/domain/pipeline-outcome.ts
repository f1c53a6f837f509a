/** How a pipeline ended, as far as later ones of its ref are compared with it: others, such as `canceled`, say nothing. */
export type PipelineOutcome = 'success' | 'failed';

/** A pipeline that has ended. */
export interface EndedPipeline {
  readonly id: number;
  readonly projectId: number;
  /** Branch or tag name, or the full name of a merge request's ref. */
  readonly ref: string;
  readonly tag: boolean;
  readonly outcome: PipelineOutcome;
}

/** The outcome that a status stands for; undefined where it is none. */
export const outcomeOf = (status: string): PipelineOutcome | undefined =>
  status === 'success' || status === 'failed' ? status : undefined;

/**
 * What a pipeline's end is to its owner: a success after a failure of the same ref is a fix.
 * @param previous outcome before it of its ref; undefined when there is none, or a newer pipeline has ended
 */
export function pipelineAction(
  outcome: PipelineOutcome,
  previous: PipelineOutcome | undefined,
): 'failed_pipeline' | 'fixed_pipeline' | 'success_pipeline' {
  if (outcome === 'failed') return 'failed_pipeline';
  return previous === 'failed' ? 'fixed_pipeline' : 'success_pipeline';
}

/** The ref as a mail names it: `!7` for one of a merge request. */
export const refName = (ref: string): string => ref.replace(/^refs\/merge-requests\/(\d+)\/.*$/s, '!$1');
