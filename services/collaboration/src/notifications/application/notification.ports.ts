import type { Database, SqlExecutor, Tx } from '@switchyard/database';
import type { StoredSetting } from '../../notification-settings';
import type { Decision, Recipient } from '../domain/decide';
import type { NotificationEvent, Subject } from '../domain/notification-event';
import type { EventPlace, GatheredPart, InvolvedPeople, WaitingEvent } from '../domain/stored';

/** Events that wait for their decision, in the database. */
export interface NotificationEventStore {
  /** Calls `wake` when events have been kept by any process; returns what ends that. */
  onEvents(db: Database, wake: () => void): () => void;
  /** Keeps events in the caller's transaction; each once. */
  keep(tx: Tx, events: readonly (NotificationEvent & { readonly eventId: string })[]): Promise<void>;
  /** Takes up to `limit` events that are due; they belong to the caller for `leaseSeconds`. */
  claim(db: SqlExecutor, limit: number, leaseSeconds: number): Promise<WaitingEvent[]>;
  /** Marks an event as decided, with the texts it came with; false when another process was faster. */
  decided(tx: Tx, id: number, text: string): Promise<boolean>;
  /** Puts an event off after a try that failed. */
  putOff(db: SqlExecutor, id: number, seconds: number): Promise<void>;
  /** Gives an event up. */
  giveUp(db: SqlExecutor, id: number): Promise<void>;
  /** Forgets up to `limit` events of more than 30 days ago. Returns how many. */
  forget(db: SqlExecutor, limit: number): Promise<number>;
  /**
   * Keeps the events of up to `limit` more open issues that are due on a day, once for each day and issue. Returns how
   * many; fewer than `limit` were the last.
   * @param day `YYYY-MM-DD`
   */
  keepDueIssues(db: Database, day: string, limit: number): Promise<number>;
}

/** What decisions are read from; each of them a fixed number of statements, whatever the number of users. */
export interface AudienceStore {
  /** The projects and groups of subjects, by `placeName`; those that are gone are missing. One statement. */
  places(db: SqlExecutor, subjects: readonly Subject[]): Promise<Map<string, EventPlace>>;
  /** People of an issue, epic, snippet or commit; undefined when it is gone. */
  involved(db: SqlExecutor, subject: Subject): Promise<InvolvedPeople | undefined>;
  /** Users whom names mean: users, members of groups, and of the project or group of the subject for `all`. */
  mentioned(db: SqlExecutor, names: readonly string[], subject: Subject, authorId: number): Promise<number[]>;
  /** Members of a project, at most 10,000. */
  members(db: SqlExecutor, projectId: number): Promise<number[]>;
  /**
   * Users whose settings may bring them to an event of a project, or of a group with 0 for the project; at most 10,000.
   * @param groupIds see `EventPlace`
   */
  choosers(db: SqlExecutor, projectId: number, groupIds: readonly number[]): Promise<number[]>;
  /** Settings everywhere, and of some projects and groups. */
  settings(
    db: SqlExecutor,
    places: { readonly projectIds: readonly number[]; readonly groupIds: readonly number[] },
    userIds: readonly number[],
  ): Promise<StoredSetting[]>;
  recipients(db: SqlExecutor, userIds: readonly number[]): Promise<Recipient[]>;
  /** Those of `userIds` who may read a subject now, and the note on it. */
  readers(
    db: SqlExecutor,
    subject: Subject,
    noteId: number | undefined,
    userIds: readonly number[],
  ): Promise<ReadonlySet<number>>;
}

/** Mails that gather what happens to one thing. */
export interface GatheringMails {
  /**
   * Adds an event to the mails of users about its thread, which wait for `windowSeconds` from their first event; digests
   * go out at `digestAt`. Returns the mails by user.
   */
  add(
    tx: Tx,
    event: WaitingEvent,
    decisions: readonly Decision[],
    when: { readonly windowSeconds: number; readonly digestAt: Date },
  ): Promise<Map<number, number>>;
}

/** What mails have gathered. */
export interface PartStore {
  /** Parts of a mail, oldest first, at most `limit`, and how many there are. */
  partsOf(db: SqlExecutor, mailId: number, limit: number): Promise<{ parts: GatheredPart[]; total: number }>;
  /** Those parts that a user may read now. */
  readable(db: SqlExecutor, userId: number, parts: readonly GatheredPart[]): Promise<GatheredPart[]>;
}
