import type { EnsureLabels } from '@switchyard/directory';
import type { CommandSteps } from '@switchyard/texts';
import type { JobStore } from '../../jobs/storage/job.store';
import type { MergeTrainStore } from '../../merge-trains/storage/merge-train.store';
import type { PipelineStore } from '../../pipelines/storage/pipeline.store';
import type { OpenProjectRepository } from '../../repositories/application/open-project-repository';
import type { ChangeRefs } from '../../repositories/application/ref-change';
import type { ProtectedBranch } from '../../repositories/domain/protected-branch';
import type { Committer } from '../../repositories/domain/repository';
import type { MergeRequestStore } from '../storage/merge-request.store';
import type { MergeRequestDirectory } from '../storage/merge-request-directory.store';

/** Who asks, and what they are in the project the request is about. */
export interface Caller {
  /** 0: anonymous. */
  readonly userId: number;
  readonly username: string;
  readonly admin: boolean;
  readonly external: boolean;
  /** Access level in the project, 0 to 50. */
  readonly level: number;
  /** Licence tier that applies. */
  readonly tier: string;
  /** Id of the public request, for calls to other services. */
  readonly requestId: string;
}

/** Brings what is known of the threads of a merge request up to date; leaves it as events told where their owner does not answer. */
export type RefreshThreads = (projectId: number, mergeRequestId: number) => Promise<void>;

/** What the use cases of merge requests work with. */
export interface MergeRequestEdges {
  readonly mergeRequests: MergeRequestStore;
  readonly mergeTrains: MergeTrainStore;
  readonly pipelines: PipelineStore;
  readonly jobs: JobStore;
  readonly directory: MergeRequestDirectory;
  readonly protectedBranches: { all(projectId: number): Promise<ProtectedBranch[]> };
  readonly committers: { committer(userId: number): Promise<Committer> };
  readonly openRepository: OpenProjectRepository;
  readonly changeRefs: ChangeRefs;
  readonly refreshThreads: RefreshThreads;
  readonly ensureLabels: EnsureLabels;
  readonly commandSteps: CommandSteps;
  readonly externalUrl: string;
  readonly clock: () => Date;
}
