import type { ProjectMergeSettings } from '../../merge-requests';
import type { ProjectAccess, PushFacts } from '../../repositories';
import type { Train } from './merge-train';
import type { GreenRule, PipelineReports } from './verdict';

/** A pipeline of the train and what is reported for it. */
export interface TrainPipeline {
  readonly id: number;
  readonly reports: PipelineReports;
  /** Where the outside CI shows the run of a name. */
  readonly targetUrls: ReadonlyMap<string, string>;
  /** When it was opened. */
  readonly openedAt: Date;
  readonly finishedAt: Date | undefined;
  /** When a name of it ended that was started again since; undefined for none. */
  readonly restartedAt: Date | undefined;
}

/** A car as it is stored: what the train knows of it, and what building and landing it needs. */
export interface StoredCar {
  readonly id: number;
  readonly mergeRequestId: number;
  readonly iid: number;
  /** The user who added it to the train, and in whose name it lands. */
  readonly userId: number;
  /** Project of the source branch: of a merge request from a fork another than the train's. */
  readonly sourceProjectId: number;
  readonly sourceBranch: string;
  readonly sourceSha: string;
  readonly squash: boolean;
  /** Its order in the queue: rank, then id. */
  readonly rank: number;
  readonly removeSourceBranch: boolean;
  readonly mergeCommitMessage: string | undefined;
  readonly squashCommitMessage: string | undefined;
  readonly treeSha: string | undefined;
  readonly mergeCommitSha: string | undefined;
  readonly squashCommitSha: string | undefined;
  readonly method: ProjectMergeSettings['mergeMethod'] | undefined;
  readonly pipelineId: number | undefined;
  /** It was built by another merge method, or squashed otherwise, than the project wants now. */
  readonly outdated: boolean;
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
  /** The train as it was saved last: without what its pipelines have reported since. */
  readonly train: Train;
  readonly cars: ReadonlyMap<number, StoredCar>;
  /** Pipelines of its cars, and its probe. */
  readonly pipelines: ReadonlyMap<number, TrainPipeline>;
  /** When the project takes a pipeline for green. */
  readonly rule: GreenRule;
  /** Moves of the target branch that were reported, when they are more than it has read. */
  readonly unseenMoves: number | undefined;
  /** Why the project runs no trains; undefined while it does. */
  readonly stoppedBy: 'archived' | 'trains_disabled' | undefined;
  /** Minutes a pipeline has. */
  readonly timeoutMinutes: number;
  /** From then on it runs again by itself. */
  readonly runsAgainAt: Date | undefined;
  /** When what it does was last decided. */
  readonly controlChangedAt: Date | undefined;
  /** What a maintainer had decided before it stopped itself. */
  readonly resumes: { readonly reason: string | undefined; readonly until: Date | undefined };
  /** Why a maintainer stopped or drains it. */
  readonly controlReason: string | undefined;
  /** The project's settings now, and as the train has seen them. */
  readonly settingsDigest: string;
  readonly seenSettingsDigest: string | undefined;
  readonly dueAt: Date | undefined;
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

/** A train, and what the users who added its cars may do in its project. */
export interface TrainRights {
  readonly id: number;
  readonly projectId: number;
  readonly targetBranch: string;
  /** Those of each user; users who are deleted or blocked have none. */
  readonly users: readonly ProjectAccess[];
}
