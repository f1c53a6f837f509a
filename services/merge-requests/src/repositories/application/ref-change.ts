import type { Tx } from '@switchyard/database';
import type {
  PushedOptions,
  PushFacts,
  RefChange,
  RefChangeOutcome,
  RefChangeSource,
  RefUpdate,
  Settlement,
} from '../domain/ref-change';

export {
  branchOf,
  creates,
  deletes,
  type PushedOptions,
  type RefChange,
  type RefChangeOutcome,
  type RefChangeSource,
  type RefUpdate,
  type Sha,
  tagOf,
  zeroSha,
} from '../domain/ref-change';

/** A requested change of refs of one project. The caller checks rights before. */
export interface ChangeRefsRequest {
  readonly projectId: number;
  /** User who asks; 0 for the service itself. */
  readonly actorId: number;
  readonly source: RefChangeSource;
  readonly updates: readonly RefUpdate[];
  /** Kept with the intent and handed to subscribers, so that a merge whose process crashed can be finished from it. */
  readonly cause?: string;
  /** Options of a push, kept with the intents of `refs` and handed to subscribers: what they ask for survives a crash. */
  readonly options?: { readonly given: PushedOptions; readonly refs: readonly string[] } | undefined;
  /** Takes what subscribers have to say to the user, a line each. */
  readonly say?: Say;
  /** Whether all of its refs move, or none, where another process moves them; a mover of the caller's own knows. */
  readonly atomic?: boolean;
  /** What is to be published of the one update, where the caller knows it already. */
  readonly facts?: Pick<PushFacts, 'commitCount' | 'commitTitle' | 'readmePath'>;
  /**
   * Its intents, where `BeginRefChange` has committed them.
   */
  readonly begun?: string;
  /**
   * Runs in the transaction that commits the results. It may not run: after a crash before it the reconciler records
   * the results, so a subscriber must be able to do the same.
   */
  readonly settled?: (tx: Tx, settlements: readonly Settlement[]) => Promise<void>;
}

/**
 * The one way by which refs move (D7): commits an intent per update, moves each ref by compare-and-swap, commits the
 * results together with their `repository.pushed` events, and then runs the subscribers. Objects must be in the
 * repository before. Resolves when the results are committed and the subscribers have had their first run; a subscriber
 * that failed is run again by the reconciler. One outcome per update, in order.
 * @throws AppError unavailable when the outcome is unknown: the reconciler settles it within seconds
 */
export type ChangeRefs = (request: ChangeRefsRequest) => Promise<RefChangeOutcome[]>;

/** Takes a line for the screen of the user who made a change; it goes nowhere when they have gone. */
export type Say = (line: string) => void;

/** How refs are moved. */
export interface RefChanging {
  readonly changeRefs: ChangeRefs;
  readonly beginRefChange: BeginRefChange;
}

/**
 * Writes the intents of a request in the caller's transaction, in which the reason for it is committed: one commit less
 * where a request follows from a decision. Once that has committed, the request has to be made with what is returned
 * as `begun`.
 */
export type BeginRefChange = (
  tx: Tx,
  request: Pick<ChangeRefsRequest, 'projectId' | 'actorId' | 'source' | 'cause' | 'updates'>,
) => Promise<string>;

/**
 * Notified of every move after its result has been committed, at least once, usually in order; changes of one ref made
 * at the same time may be notified concurrently, so a subscriber that needs the order reads the ref. Not notified of
 * `internal` moves. Must be idempotent by `change.id`. Notified again, later and with growing pauses, after it threw.
 */
export interface LocalSubscriber {
  /** `changes`: the subscriber may itself move refs. */
  afterRefChange(change: RefChange, changes: RefChanging, say: Say): Promise<void>;
}
