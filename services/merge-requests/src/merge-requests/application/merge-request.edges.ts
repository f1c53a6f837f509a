import type { Tx } from '@switchyard/database';
import type { EnsureLabels, TrackerLinks } from '@switchyard/directory';
import type { CommandSteps } from '@switchyard/texts';
import type { JobRequests } from '../../jobs';
import type { PipelineReader } from '../../pipelines';
import type { RepositoryAccess } from '../../repositories';
import type { NoteCounters } from '../domain/note-counters';
import type { ReactionChange } from '../domain/reactions';
import type { MergeRequestDirectory } from './merge-request.directory';
import type { MergeRequestStore } from './merge-request.ports';

/**
 * Brings what is known of the threads of a merge request up to date; leaves it as events published where their owner
 * does not reply.
 */
export type RefreshThreads = (projectId: number, mergeRequestId: number) => Promise<void>;

/**
 * Stores what collaboration publishes about the notes of a merge request (D4), in the caller's transaction. What is not
 * newer than what is known changes nothing.
 */
export type KeepNoteCounters = (tx: Tx, counters: NoteCounters) => Promise<void>;

/** Stores what collaboration publishes about reactions to a merge request, in the caller's transaction. */
export type KeepReactions = (tx: Tx, change: ReactionChange) => Promise<void>;

/** Stores that a reviewer of a merge request has published a review, in the caller's transaction. */
export type KeepReview = (tx: Tx, mergeRequestId: number, userId: number) => Promise<void>;

/** What merge trains have to know of branches. */
export interface TrainTargets {
  /**
   * A target branch was moved to `sha`: its train, if it has cars and did not do that itself, reads the branch again.
   */
  targetMoved(projectId: number, targetBranch: string, sha: string): Promise<void>;
}

/** What following ref changes works with, apart from the repositories, which come with each change. */
export interface FollowEdges {
  readonly mergeRequests: MergeRequestStore;
  readonly mergeTrains: TrainTargets;
  readonly jobs: JobRequests;
  readonly directory: MergeRequestDirectory;
  readonly externalUrl: string;
  readonly clock: () => Date;
}

/** What the use cases of merge requests work with. */
export interface MergeRequestEdges extends FollowEdges, RepositoryAccess {
  readonly pipelines: PipelineReader;
  readonly refreshThreads: RefreshThreads;
  readonly ensureLabels: EnsureLabels;
  readonly trackerLinks: TrackerLinks;
  readonly commandSteps: CommandSteps;
}
