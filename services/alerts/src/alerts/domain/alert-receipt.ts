import type { PayloadFormat, RejectionReason } from '../../payloads';

/** Why a message changed nothing. */
export type IgnoreReason = 'already_ended' | 'ended_before_this_start' | 'no_open_alert' | 'no_fingerprint';

/** Why an item changed nothing. */
export type OutcomeReason = IgnoreReason | RejectionReason;

/** The outcome of one item of a payload. */
export interface ItemOutcome {
  readonly outcome: 'created' | 'counted' | 'resolved' | 'ignored' | 'rejected';
  readonly reason: OutcomeReason | undefined;
  /** Number of the alert within its project. */
  readonly iid: number | undefined;
  readonly title: string | undefined;
}

/** The stored record of a payload. */
export interface AlertReceipt {
  /** UUID. */
  readonly id: string;
  readonly integrationId: number;
  readonly receivedAt: Date;
  readonly format: PayloadFormat;
  /** In the order of the payload. */
  readonly items: readonly ItemOutcome[];
}
