/** A record on its way to the bus. */
export interface BusRecord {
  topic: string;
  /** Records of one topic and key are delivered in the order in which they were published. */
  key: string;
  /** JSON text. */
  body: string;
  /** `id`, `type`, `version`, `time`, and `traceparent` where there is one. */
  headers: Record<string, string>;
}

/** A record as a group receives it. */
export interface ReceivedRecord extends BusRecord {
  partition: number;
  /** Position in the partition; a decimal number, as text since Kafka's exceed 2^53. */
  offset: string;
}

/**
 * Takes one record. When it resolves the record counts as received by the group; when it rejects, the same record is
 * delivered again after a pause, and nothing later of its partition before it.
 */
export type RecordHandler = (record: ReceivedRecord) => Promise<void>;

export interface Subscription {
  /** Stops after the running records and commits them as received. */
  close(): Promise<void>;
}

/**
 * The event bus (D6). Delivery is at least once: a record may come again after a crash, a closed connection or a
 * takeover. A bus that is away fails `publish` and pauses subscriptions; neither ends the process, and both recover by
 * themselves.
 */
export interface EventBus {
  /**
   * For the start of a process. A bus that is away is no failure.
   * @param topics those that the process uses
   * @throws Error with one line that names the variable, when its settings can never work, or a topic is missing that
   *   the operator creates
   */
  check(topics: string[]): Promise<void>;
  /** Appends the records, in order; resolves when the bus has stored all of them. A failure may leave some stored. */
  publish(records: BusRecord[]): Promise<void>;
  /**
   * Delivers the topics to `handler`, from their beginning for a group that is new. Groups are independent of each
   * other; within a group each record goes to one member, and another member takes over when that one ends. Resolves
   * without waiting for the bus to be reachable.
   */
  subscribe(options: { group: string; topics: string[]; handler: RecordHandler }): Promise<Subscription>;
  /** Delivers what lies in `topic` now beyond what `group` has received, then resolves with the number of records. */
  drain(options: { group: string; topic: string; handler: RecordHandler }): Promise<number>;
  /** Records of the topics that `group` has yet to receive. */
  lag(options: { group: string; topics: string[] }): Promise<number>;
  /** Closes subscriptions, then connections. */
  close(): Promise<void>;
}
