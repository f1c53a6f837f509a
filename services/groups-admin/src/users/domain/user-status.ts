import { emojiName, isEmoji } from '@switchyard/texts';
import { lengthProblems, note, type Problems } from '../../rules';

/** What a user says they do at present. */
export interface UserStatus {
  /** Name of an emoji. */
  readonly emoji: string;
  readonly message: string;
  readonly availability: string;
  /** From then on there is no status; null: it stays. */
  readonly clear_at: Date | null;
}

/** A change of a status; undefined fields keep their value, or get the default where all are replaced. */
export interface StatusChange {
  readonly emoji: string | undefined;
  readonly message: string | undefined;
  readonly availability: string | undefined;
  /** Seconds; 0 for never. */
  readonly clearAfterSeconds: number | undefined;
  /** Whether undefined fields keep their value. */
  readonly partial: boolean;
}

const defaultEmoji = 'speech_balloon';
const noAvailability = 'not_set';

/** Longest message, characters. */
const maxMessageLength = 100;

/** Longest time before a status is cleared: ten years in seconds. */
const maxClearAfter = 315_360_000;

/** What is wrong with a change; empty when it is valid. */
export function statusProblems({ emoji, message, availability, clearAfterSeconds = 0 }: StatusChange): Problems {
  const problems: Problems = {};
  if (emoji && !isEmoji(emojiName(emoji))) note(problems, 'emoji', ['is not a valid emoji name']);
  note(problems, 'message', lengthProblems(message, maxMessageLength));
  if (availability && !['not_set', 'busy'].includes(availability))
    note(problems, 'availability', ['is not included in the list']);
  if (clearAfterSeconds < 0 || clearAfterSeconds > maxClearAfter)
    note(problems, 'clear_status_after', ['is not included in the list']);
  return problems;
}

const emojiOf = (emoji: string | undefined): string => (emoji ? emojiName(emoji) : defaultEmoji);

/** The status after a change; undefined when it says nothing, so that the user has none. */
export function changeStatus(before: UserStatus | undefined, change: StatusChange, now: Date): UserStatus | undefined {
  const kept = change.partial ? before : undefined;
  const emoji = change.emoji === undefined ? (kept?.emoji ?? defaultEmoji) : emojiOf(change.emoji);
  const message = change.message ?? kept?.message ?? '';
  const availability = (change.availability ?? kept?.availability) || noAvailability;
  const seconds = change.clearAfterSeconds;
  const cleared = seconds === undefined || seconds === 0 ? null : new Date(now.getTime() + seconds * 1_000);
  const clear_at = seconds === undefined ? (kept?.clear_at ?? null) : cleared;
  const isBlank = emoji === defaultEmoji && message === '' && availability === noAvailability;
  return isBlank ? undefined : { emoji, message, availability, clear_at };
}
