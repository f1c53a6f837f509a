import type { Tx } from '@switchyard/database';
import type { PreparedRequest } from '@switchyard/outbound';
import type { Change } from '../../changes';
import type { DueDelivery, LeasedDelivery, LeasedOutcome, Outcome, TargetKind, Wanted } from '../domain/delivery';

/** A request that cannot be made of a delivery. Its message is meant for users, and is what the ledger says. */
export class CannotBeMade extends Error {}

/** What one kind of target makes of deliveries. */
export interface DeliveryTarget {
  /**
   * The requests of a delivery, in their order, with its idempotency key where the receiver reads one; or why it is not
   * sent after all. Calls of one moment may share a statement. What it throws counts as a failed try, which the ledger
   * explains with the message of a `CannotBeMade`.
   */
  prepare(delivery: DueDelivery, change: Change): Promise<readonly PreparedRequest[] | { readonly skip: string }>;
  /** Writes what follows for the target, in the transaction that records the outcomes. */
  settled(tx: Tx, outcomes: readonly Outcome[], at: Date): Promise<void>;
}

/** Targets by kind. */
export type Targets = ReadonlyMap<TargetKind, DeliveryTarget>;

/** The queue of deliveries. */
export interface DeliveryStore {
  /**
   * Records outcomes, gives their lanes free, and leases the first deliveries of due lanes, in one transaction: each
   * costs a write to disk. An outcome whose lease was lost is dropped. `also` runs within it with what was recorded.
   */
  exchange(
    outcomes: readonly LeasedOutcome[],
    wanted: Wanted,
    also: (tx: Tx, recorded: readonly Outcome[]) => Promise<void>,
  ): Promise<LeasedDelivery[]>;
  /** Records a delivery that a user asked for and that was sent at once. */
  record(
    outcome: Outcome,
    change: Change,
    now: Date,
    also: (tx: Tx, recorded: readonly Outcome[]) => Promise<void>,
  ): Promise<number>;
  /** Calls `wake` when deliveries were queued; returns what ends that. */
  onDeliveries(wake: () => void): () => void;
}
