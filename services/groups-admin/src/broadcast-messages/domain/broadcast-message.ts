import { isBlank } from '@switchyard/texts';
import { lengthProblems, note, type Problems, refuse } from '../../rules';

/** What administrators write of a broadcast message (api.md 2, Broadcast message). */
export interface BroadcastMessageContent {
  readonly message: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Colour of the text, `#rgb` or `#rrggbb`. */
  readonly font: string;
  /** From 10 to 50; empty for everyone. */
  readonly targetAccessLevels: readonly number[];
  /** Pages, with `*` for any characters; empty for all. */
  readonly targetPath: string;
  readonly broadcastType: string;
  readonly dismissable: boolean;
  /** Colours of a banner. */
  readonly theme: string;
}

/** A change of a broadcast message; what is absent stays. */
export type BroadcastMessageChange = Partial<BroadcastMessageContent>;

const standardTheme = 'indigo';

const defaults = {
  font: '#FFFFFF',
  targetAccessLevels: [],
  targetPath: '',
  broadcastType: 'banner',
  dismissable: false,
  theme: standardTheme,
};

/** Milliseconds that a message without an end is active. */
const standardDurationMs = 3_600_000;

/** Longest text, characters: every caller may read a hundred messages at once. */
const maxMessageLength = 10_000;

const maxPathLength = 255;

const color = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i;

function problemsOf({ message, startsAt, endsAt, font, targetPath, broadcastType, theme }: BroadcastMessageContent) {
  const problems: Problems = {};
  if (isBlank(message)) note(problems, 'message', ["can't be blank"]);
  note(problems, 'message', lengthProblems(message, maxMessageLength));
  if (endsAt < startsAt) note(problems, 'ends_at', ['must not be before starts_at']);
  if (!color.test(font)) note(problems, 'font', ['must be a valid color code']);
  note(problems, 'target_path', lengthProblems(targetPath, maxPathLength));
  if (broadcastType !== 'banner' && theme !== standardTheme) note(problems, 'theme', ['is for banners only']);
  return problems;
}

const levelsOf = (levels: readonly number[]): number[] => [...new Set(levels)].sort((a, b) => a - b);

/**
 * Makes a message (G-4.13-2): it begins now and ends an hour later, where nothing else was given.
 * @throws AppError invalid with all problems
 */
export function decideCreate(given: BroadcastMessageChange, now: Date): BroadcastMessageContent {
  const startsAt = given.startsAt ?? now;
  const begins = Math.max(startsAt.getTime(), now.getTime());
  const content = {
    ...defaults,
    message: '',
    startsAt,
    endsAt: new Date(begins + standardDurationMs),
    ...given,
    targetAccessLevels: levelsOf(given.targetAccessLevels ?? []),
  };
  refuse(problemsOf(content));
  return content;
}

/**
 * Changes a message. A banner that becomes a notification loses its theme.
 * @throws AppError invalid with all problems
 */
export function decideUpdate(
  message: BroadcastMessageContent,
  change: BroadcastMessageChange,
): BroadcastMessageContent {
  const type = change.broadcastType ?? message.broadcastType;
  const content = {
    ...message,
    ...(type === 'banner' ? {} : { theme: standardTheme }),
    ...change,
    targetAccessLevels: levelsOf(change.targetAccessLevels ?? message.targetAccessLevels),
  };
  refuse(problemsOf(content));
  return content;
}

/** Whether a message is active (G-4.13-4). */
export const isActive = ({ startsAt, endsAt }: Pick<BroadcastMessageContent, 'startsAt' | 'endsAt'>, now: Date) =>
  startsAt <= now && now <= endsAt;
