/** How something would have reached a user. */
export type LedgerChannel = 'mail' | 'todo';

/**
 * Why it was sent or not. Sent: `mention`, `participation`, `subscription`, `watch`, `custom_flag`, `own_pipeline`,
 * `membership`, `role`, `own_account`, `address`, and the action of a to-do. Not sent: `level`, `flag`, `unsubscribed`, `stopped`,
 * `own_activity`, `access`, `emails_disabled`, `inactive`, `no_address`, `invalid_address`.
 */
export type LedgerRule = string;

/** What an entry is about. */
export interface LedgerTarget {
  /** `Issue`, `MergeRequest`, `Commit`, `Snippet`, `Pipeline`, `Epic`, `Project`, `Namespace`, `AlertManagement::Alert`; empty for none. */
  readonly type: string;
  /** 0 for none. */
  readonly id: number;
  /** 0 for none. */
  readonly iid: number;
}

/** What was decided for one user about one event. */
export interface NewLedgerEntry {
  readonly userId: number;
  /** 0 for none. */
  readonly projectId: number;
  /** Group where there is no project; 0 for none. */
  readonly groupId: number;
  readonly target: LedgerTarget;
  /** Name of what happened, as the flags of notification settings where there is one. */
  readonly event: string;
  readonly channel: LedgerChannel;
  readonly decision: 'send' | 'digest' | 'skip';
  readonly rule: LedgerRule;
  /** What the rule rests on, such as the level and where it comes from; empty for nothing. */
  readonly detail: string;
  /** The mail; undefined for none. */
  readonly mailId?: number | undefined;
}

/** What became of a decision. */
export type Fate = 'not_sent' | 'shown' | 'queued' | 'sent' | 'withheld' | 'refused' | 'given_up';

/** An entry as it is read. */
export interface LedgerRow {
  readonly id: number;
  readonly createdAt: Date;
  readonly userId: number;
  readonly projectId: number;
  readonly groupId: number;
  readonly target: LedgerTarget;
  readonly event: string;
  readonly channel: LedgerChannel;
  readonly decision: NewLedgerEntry['decision'];
  readonly rule: LedgerRule;
  readonly detail: string;
  /** Bare address that the mail goes to; empty for a user. */
  readonly address: string;
  readonly fate: Fate;
  /** Tries so far. */
  readonly attempts: number;
  /** Why the last try failed, or the rule by which a mail was withheld when it was to be sent; empty for neither. */
  readonly error: string;
}
