import type { Change } from '../../changes';

/** What is delivered to. */
export type TargetKind = 'project_hook' | 'group_hook' | 'system_hook' | 'integration';

/** What became of a delivery: it waits, was sent, failed and is tried again, was given up, or was never to be sent. */
export type Fate = 'queued' | 'sent' | 'failed' | 'given_up' | 'skipped';

/** A delivery to queue, or a line of the ledger that says why there is none. */
export interface NewDelivery {
  readonly targetKind: TargetKind;
  readonly targetId: number;
  /** The place of its change; content and order follow from it. */
  readonly changePosition: number;
  /** Whose queue it waits in, such as `hook:12`: at most 200 characters. */
  readonly receiver: string;
  /** The object; deliveries to one receiver about one object keep their order. */
  readonly objectKey: string;
  /** The same for every try. A second delivery with it to the same receiver is not queued. */
  readonly idempotencyKey: string;
  /** Project whose ledger names it; 0 for none. */
  readonly projectId: number;
  /** Group whose ledger names it; 0 for none. */
  readonly groupId: number;
  readonly decision: 'queued' | 'skipped';
  /** Why: `event_switch`, `branch_filter`, `disabled` … */
  readonly rule: string;
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: number;
  readonly targetKind: TargetKind;
  readonly targetId: number;
  readonly receiver: string;
  readonly objectKey: string;
  readonly idempotencyKey: string;
  readonly projectId: number;
  readonly groupId: number;
  readonly kind: string;
  readonly action: string;
  /** Tries before this one. */
  readonly attempts: number;
  /** Of several requests, how many have succeeded. */
  readonly partsSent: number;
  /** A user asked for it: it is sent at once, and not repeated. */
  readonly isRequested: boolean;
}

/** A delivery with its content; undefined once that is pruned. */
export interface DeliveryWithChange {
  readonly delivery: DueDelivery;
  readonly change: Change | undefined;
}

/** A delivery in the hand of one process. */
export interface LeasedDelivery extends DeliveryWithChange {
  readonly lease: string;
}

/** One request and what came back. */
export interface Attempt {
  readonly url: string;
  /** Secret values are masked. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseStatus: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  /** Why there is no answer. */
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly at: Date;
}

/** How a try ended. */
export interface Outcome {
  readonly delivery: DueDelivery;
  readonly fate: Exclude<Fate, 'queued'>;
  /** Of `skipped`: why; else undefined. */
  readonly rule?: string | undefined;
  readonly partsSent: number;
  readonly attempts: readonly Attempt[];
  readonly responseStatus: number | undefined;
  readonly error: string | undefined;
  /** When it is tried again; undefined when it is not. */
  readonly retryAt: Date | undefined;
}

/** How a try of a leased delivery ended. */
export type LeasedOutcome = Outcome & { readonly lease: string };

/** What one process wants to send next. */
export interface Wanted {
  /** 0 for none. */
  readonly limit: number;
  /** Receivers that get one place, since they failed lately. */
  readonly slow: readonly string[];
  readonly now: Date;
  /** When the leases end. */
  readonly until: Date;
}

/** Whether an answer counts as delivered (G-6-2). */
export const isDelivered = (status: number): boolean => status >= 200 && status < 300;
