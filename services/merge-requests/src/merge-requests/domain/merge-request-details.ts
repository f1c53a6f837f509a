import type { PipelineView } from '../../pipelines';
import type { StoredDiff } from './merge-request-change';
import type { MergeRequestView } from './merge-request-view';

/** The parts of a single merge request beyond those of lists (G-2-6). */
export interface MergeRequestDetails {
  readonly view: MergeRequestView;
  readonly diff: StoredDiff | undefined;
  readonly headPipeline: PipelineView | undefined;
  readonly subscribed: boolean;
  readonly canMerge: boolean;
  readonly firstContribution: boolean;
  /** End of the first successful deployment to production that brought it in. */
  readonly firstDeployedAt: Date | undefined;
  readonly divergedCommits: number | undefined;
}
