import type { MergeRequestHook } from './merge-request-hook';

/** What every event says. */
interface Happening {
  /** Id of the event on the bus. */
  readonly eventId: string;
  readonly projectId: number;
  /** 0 when no user did it. */
  readonly actorId: number;
  readonly occurredAt: Date;
}

/** A branch or tag was made, moved or removed. */
export interface PushHappening extends Happening {
  readonly kind: 'push';
  /** Full name. */
  readonly ref: string;
  /** Name of the branch or tag. */
  readonly name: string;
  readonly tag: boolean;
  readonly action: 'created' | 'pushed' | 'removed';
  readonly before: string;
  readonly after: string;
  /** New commits; 10,001 for more than 10,000. */
  readonly commitCount: number;
  /** What new commits are counted from; undefined where all are new, and where that is not known. */
  readonly since: string | undefined;
}

/** A merge request as it stood after the change. */
export interface HookMergeRequest {
  readonly id: number;
  readonly iid: number;
  readonly authorId: number;
  readonly title: string;
  readonly state: string;
  readonly labelIds: readonly number[];
}

/** Something happened to a merge request that one hook body tells. */
export interface MergeRequestHappening extends Happening {
  readonly kind: 'merge_request';
  readonly mergeRequest: HookMergeRequest;
  readonly hook: MergeRequestHook;
}

/** A pipeline as it stands after the change. */
export interface HookPipeline {
  readonly id: number;
  readonly iid: number;
  readonly sha: string;
  readonly ref: string;
  readonly tag: boolean;
  readonly source: string;
  readonly userId: number;
  /** Undefined for a branch or tag. */
  readonly mergeRequestId: number | undefined;
  readonly status: string;
  readonly createdAt: Date | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly duration?: number | undefined;
  readonly queuedDuration?: number | undefined;
}

/** A pipeline was made, or has another status. */
export interface PipelineHappening extends Happening {
  readonly kind: 'pipeline';
  readonly pipeline: HookPipeline;
}

/** A job: a status name of a pipeline. */
export interface HookJob {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly allowFailure: boolean;
  readonly userId: number;
  readonly createdAt: Date | undefined;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

/** A job was made, or has another status. */
export interface JobHappening extends Happening {
  readonly kind: 'job';
  readonly pipeline: HookPipeline;
  readonly job: HookJob;
}

/** A deployment was made, or has another status. */
export interface DeploymentHappening extends Happening {
  readonly kind: 'deployment';
  readonly deployment: {
    readonly id: number;
    readonly userId: number;
    readonly sha: string;
    readonly ref: string;
    readonly tag: boolean;
    readonly status: string;
    readonly environment: string;
    readonly environmentSlug: string;
    readonly environmentTier: string;
    readonly environmentUrl: string;
  };
}

/** A release was made, changed or deleted. */
export interface ReleaseHappening extends Happening {
  readonly kind: 'release';
  readonly action: 'create' | 'update' | 'delete';
  /** After the change; a deleted one as it was. */
  readonly release: {
    readonly id: number;
    readonly tag: string;
    readonly name: string;
    readonly description: string;
    readonly createdAt: Date | undefined;
    readonly releasedAt: Date | undefined;
    readonly links: readonly {
      readonly id: number;
      readonly name: string;
      readonly url: string;
      readonly linkType: string;
    }[];
  };
}

/** What one hook body tells. */
export type HookEvent =
  | PushHappening
  | MergeRequestHappening
  | PipelineHappening
  | JobHappening
  | DeploymentHappening
  | ReleaseHappening;

/** Commits that the body of a push names at the most, the newest (G-6-4). */
const namedCommits = 20;

/** Commits that the body of a push names. */
export const commitsNamed = ({ tag, action, commitCount }: PushHappening): number => {
  if (action === 'removed') return 0;
  return tag ? 1 : Math.min(commitCount, namedCommits);
};
