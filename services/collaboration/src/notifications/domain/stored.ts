import type { People, Reason } from './decide';
import type { NotificationEvent } from './notification-event';

/** Who has to do with a subject, as its owner knows it. */
export interface InvolvedPeople extends Omit<People, 'mentionedIds' | 'memberIds'> {
  /** Description, the first 32,768 characters; empty where there is none. */
  readonly text: string;
}

/** An event that waits for its decision. */
export interface WaitingEvent extends NotificationEvent {
  readonly id: number;
  /** This try included. */
  readonly attempts: number;
}

/** The project or group that an event happened in. */
export interface EventPlace {
  /** Full path. */
  readonly path: string;
  /** Groups above a project, or a group and those above it, from the root down. */
  readonly groupIds: number[];
  /** Full path of the project or group whose mail is switched off; undefined: it is on. */
  readonly silencedBy: string | undefined;
}

/** An event that a mail tells of, with what it says. */
export interface GatheredPart extends NotificationEvent {
  readonly reason: Reason;
  /** Body of the note, its first 32,768 characters; undefined where there is none, or where it is gone. */
  readonly note: string | undefined;
}
