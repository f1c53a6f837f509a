import type { PipelineView } from '../../pipelines';
import type { StoredDiff } from './merge-request-change';
import type { MergeRequestView } from './merge-request-view';

/** The parts of a single merge request beyond those of lists (G-2-6). */
export interface MergeRequestDetails {
  readonly view: MergeRequestView;
  readonly diff: StoredDiff | undefined;
  /** With the full path of its project; undefined for a viewer who may not read the code of that. */
  readonly headPipeline: (PipelineView & { readonly fullPath: string }) | undefined;
  readonly subscribed: boolean;
  readonly canMerge: boolean;
  readonly firstContribution: boolean;
  /** End of the first successful deployment to production that brought it in. */
  readonly firstDeployedAt: Date | undefined;
  readonly divergedCommits: number | undefined;
}
