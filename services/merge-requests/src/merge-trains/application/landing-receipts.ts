import type { BatchMember, BatchMove, BranchMove, KeptPipeline, LandingReceipt } from '../domain/landing-receipt';

/**
 * Receipts of landings and their verdicts. Lists are by id, and read receipts that come after
 * `after` (0: all).
 */
export interface LandingReceipts {
  /** Those that no one has verified yet. */
  unverified(after: number, limit: number): Promise<LandingReceipt[]>;
  /** Those that were found to differ. */
  differing(after: number, limit: number): Promise<LandingReceipt[]>;
  all(after: number, limit: number): Promise<LandingReceipt[]>;
  /** Notes what the verifier found; the newest look counts. */
  record(receiptId: number, differences: readonly string[]): Promise<void>;
  /**
   * Entries of trains that have landed, or skipped the train, without a receipt: there are none. At most `limit`, by
   * id.
   */
  withoutReceipt(limit: number): Promise<{ carId: number; projectId: number; mergeRequestIid: number }[]>;
  /** How many landings differ from their receipts. */
  countDiffering(): Promise<number>;
  /**
   * What is still kept of the pipeline and of the reports that a receipt names; undefined when the pipeline was
   * deleted.
   */
  pipelineOf(receipt: LandingReceipt): Promise<KeptPipeline | undefined>;
  /** What the receipts of a batch say of it: those written with this one, by its own transaction. */
  membersOf(receipt: LandingReceipt): Promise<BatchMember[]>;
  /**
   * Moves of a receipt's branch that led away from the base of its batch, or to one of `commits`; as long as they are
   * remembered (7 days).
   */
  batchMoves(receipt: LandingReceipt, base: string, commits: readonly string[]): Promise<BatchMove[]>;
  /** Moves of the target branch since a landing, oldest first, as long as they are remembered (7 days). */
  movesSince(receipt: LandingReceipt): Promise<BranchMove[]>;
}
