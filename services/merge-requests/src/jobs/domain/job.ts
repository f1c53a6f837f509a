/** Durable work outside requests. */
export type JobRequest =
  /** Publish facts about merge requests whose rows were not locked when they became true. `key`: project and what happened. */
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
  /** Measure the repository of a project. */
  | { readonly kind: 'repository_size'; readonly projectId: number }
  /** Pack the repository of a project, and its wiki, where there is more than git finds its way in fast. */
  | { readonly kind: 'pack_repository'; readonly projectId: number }
  /** Make the repository of a fork, unless a request has touched it already. */
  | { readonly kind: 'copy_repository'; readonly projectId: number }
  /** Remove what is left of a repository where it lay before it was moved to another storage. */
  | { readonly kind: 'remove_former_copy'; readonly projectId: number }
  /**
   * Take up what was pushed to forks while the target of their merge requests was marked for deletion. `after`: id of
   * the last one that was seen to.
   */
  | { readonly kind: 'follow_sources'; readonly projectId: number; readonly after: number }
  /** Take the head that the source branch of a merge request has now: another process has the fork that was pushed to. */
  | { readonly kind: 'follow_source'; readonly mergeRequestId: number; readonly actorId: number }
  /** Do what a push asks for by its options (`change`: that of the branch), in the project of the merge request. */
  | { readonly kind: 'push_options'; readonly projectId: number; readonly changeId: number; readonly change: object }
  /** Delete the merge requests of a user who was deleted with what they wrote. */
  | { readonly kind: 'delete_authored'; readonly userId: number }
  /** Check the open merge requests into a branch again. */
  | { readonly kind: 'recheck'; readonly projectId: number; readonly targetBranch: string };

/** A job that this process works on. */
export interface ClaimedJob {
  readonly id: number;
  readonly request: JobRequest;
  readonly generation: number;
  readonly attempts: number;
}

/** Kinds of jobs that share workers. */
export interface Lane {
  readonly kinds: readonly JobRequest['kind'][];
  /** Jobs of these kinds that one process works on at a time; the memory of pods counts them (deploy/helm). */
  readonly places: number;
  /** Of these, those of one project, over all processes. */
  readonly ofProject: number;
  /** Milliseconds for which requests gather before the queue is read; 0 where a landing would come later by it. */
  readonly restMs: number;
}

/**
 * Landings have workers of their own: checking whether two hundred merge requests can still be merged, or rebasing in a
 * large repository, would hold every landing of the process up for seconds. So have the copies of forks and the
 * packing of repositories, each of which may take minutes. In the lanes of landings and checks no project has all places, so that none waits for
 * the long work of another one. The cost of jobs are git processes, which the processors bound: hence so few.
 */
export const lanes: readonly Lane[] = [
  { kinds: ['merge_train', 'settle_merge'], places: 4, ofProject: 2, restMs: 0 },
  {
    kinds: [
      'mergeability',
      'auto_merge',
      'rebase',
      'train_ref',
      'recheck',
      'merge_request_facts',
      'repository_size',
      'follow_sources',
      'follow_source',
      'push_options',
      'delete_authored',
    ],
    places: 3,
    ofProject: 2,
    restMs: 10,
  },
  { kinds: ['copy_repository', 'remove_former_copy'], places: 2, ofProject: 1, restMs: 10 },
  { kinds: ['pack_repository'], places: 1, ofProject: 1, restMs: 10 },
];
