/** Services whose events lead to hooks; each renders its own. */
export const owners = ['groups-admin', 'merge-requests', 'collaboration', 'alerts'] as const;

/** Service whose events lead to hooks. */
export type Owner = (typeof owners)[number];

/** An event that waits for its hook bodies. */
export interface PendingChange {
  readonly id: number;
  readonly eventId: string;
  /** Type of the event, as on the bus. */
  readonly type: string;
  /** The encoded event. */
  readonly body: string;
  /** Project whose events keep their order while a part of the owner is away; 0 where there is none. */
  readonly projectId: number;
  /** How often it has failed. */
  readonly tries: number;
}

/** Events that are rendered by one call. */
export const batchSize = 100;

/** Milliseconds after which a part of an owner that was away is asked again. */
export const askAgainMs = 5_000;

/** How often an event that its owner refuses is tried before it is passed over. */
export const mostTries = 5;
