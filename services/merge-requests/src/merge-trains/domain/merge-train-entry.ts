import type { ProjectRow, UserRow } from '@switchyard/directory';
import type { MergeRequest } from '../../merge-requests';
import type { Pipeline } from '../../pipelines';
import type { QueuePlace } from './queue-place';

/** An entry of a merge train with everything its public representation embeds, from one statement. */
export interface MergeTrainEntry {
  readonly id: number;
  /** G-3-2. */
  readonly status: string;
  readonly targetBranch: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly mergedAt: Date | undefined;
  /** Whole seconds from being added to landing. */
  readonly duration: number | undefined;
  readonly project: ProjectRow;
  readonly mergeRequest: Pick<
    MergeRequest,
    'id' | 'iid' | 'projectId' | 'title' | 'description' | 'state' | 'createdAt' | 'updatedAt'
  >;
  /** The user who added it; the ghost for a deleted user. */
  readonly user: UserRow | undefined;
  readonly pipeline:
    | Pick<Pipeline, 'id' | 'iid' | 'projectId' | 'sha' | 'ref' | 'status' | 'source' | 'createdAt' | 'updatedAt'>
    | undefined;
  /** Where it stands in the queue; undefined once it has landed. */
  readonly place: QueuePlace | undefined;
}

/** Which entries: waiting to be merged, or merged and being merged (G-3-2). */
export type MergeTrainScope = 'active' | 'complete';

/** What a list of entries is narrowed by. */
export interface MergeTrainFilter {
  readonly targetBranch?: string;
  readonly scope?: MergeTrainScope;
}
