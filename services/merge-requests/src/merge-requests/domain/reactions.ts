/** A reaction of a user to a merge request. */
export interface Reaction {
  readonly userId: number;
  /** Name of the emoji, without colons. */
  readonly name: string;
}

/** What collaboration publishes about the reactions to a merge request. */
export interface ReactionChange {
  readonly mergeRequestId: number;
  /** Version of the counters that the change came with: what is older than a reaction changes nothing of it. */
  readonly version: number;
  /** Reactions that were given, or are there. */
  readonly given: readonly Reaction[];
  /** Reactions that were taken back; `others`: all but those given. */
  readonly taken: readonly Reaction[] | 'others';
}
