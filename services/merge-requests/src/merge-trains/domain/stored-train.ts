import type { CarSignal, ProjectMergeSettings } from '../../merge-requests';
import type { PushFacts } from '../../repositories';
import type { Signal, Train } from './merge-train';

/** What the pipeline of a car reports, as a signal. */
export type CarReport = (CarSignal & { kind: 'reported' }) | (Signal & { kind: 'pipeline_lost' });

/** A car as it is stored: what the train knows of it, and what building and landing it needs. */
export interface StoredCar {
  readonly id: number;
  readonly mergeRequestId: number;
  readonly iid: number;
  /** The user who added it to the train, and in whose name it lands. */
  readonly userId: number;
  readonly sourceBranch: string;
  readonly sourceSha: string;
  readonly squash: boolean;
  readonly removeSourceBranch: boolean;
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
  readonly treeSha: string | undefined;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly method: ProjectMergeSettings['mergeMethod'] | undefined;
  readonly pipelineId: number | undefined;
  /** When its pipeline was opened. */
  readonly builtAt: Date | undefined;
  /** What its landing will publish; undefined until it is built. */
  readonly facts: PushedFacts | undefined;
  readonly createdAt: Date;
}

/** What is published of the push by which it lands. */
export type PushedFacts = Pick<PushFacts, 'commitCount' | 'commitTitle' | 'readmePath'>;

/** A train as it is stored. */
export interface StoredTrain {
  readonly id: number;
  readonly projectId: number;
  readonly targetBranch: string;
  /** The train without what its pipelines report. */
  readonly train: Train;
  readonly cars: ReadonlyMap<number, StoredCar>;
  /** What the pipelines of its cars report now, as signals. */
  readonly reports: readonly CarReport[];
  /** Moves of the target branch that were reported, when they are more than it has read. */
  readonly unseenMoves: number | undefined;
  /** Why the project runs no trains; undefined while it does. */
  readonly stoppedBy: 'archived' | 'trains_disabled' | undefined;
  /** Minutes a pipeline has. */
  readonly timeoutMinutes: number;
}

/** What was written for a car that was built. */
export interface BuiltCar {
  readonly treeSha: string;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly method: string;
  /** Whether it was squashed, as the project had it when it was built. */
  readonly squash: boolean;
  readonly committedAt: Date;
  readonly facts: PushedFacts;
}
