/** Durable work outside requests. */
export type JobRequest =
  /** Publish facts about merge requests whose rows were not locked when they became true. `key`: what happened. */
  | {
      readonly kind: 'merge_request_facts';
      readonly key: string;
      readonly actorId: number;
      readonly facts: readonly { readonly mergeRequestId: number; readonly fact: object }[];
    }
  /** Check the open merge requests of a project whose status is not known. */
  | { readonly kind: 'mergeability'; readonly projectId: number }
  /** Merge by itself if everything allows it now. */
  | { readonly kind: 'auto_merge'; readonly mergeRequestId: number }
  /** Replay the source branch on the target branch. */
  | { readonly kind: 'rebase'; readonly mergeRequestId: number; readonly actorId: number; readonly skipCi: boolean }
  /** Finish, or undo, a merge whose process crashed. */
  | { readonly kind: 'settle_merge'; readonly mergeRequestId: number }
  /** Do what a merge train has to do. */
  | { readonly kind: 'merge_train'; readonly trainId: number }
  /** Remove `refs/merge-requests/<iid>/train`, which pointed at `sha` if that is known, unless a car needs it. */
  | { readonly kind: 'train_ref'; readonly projectId: number; readonly iid: number; readonly sha?: string | undefined }
  /** Check the open merge requests into a branch again. */
  | { readonly kind: 'recheck'; readonly projectId: number; readonly targetBranch: string };

/** A job that this process works on. */
export interface ClaimedJob {
  readonly id: number;
  readonly request: JobRequest;
  readonly generation: number;
  readonly attempts: number;
}
