const units: readonly (readonly [string, number])[] = [
  ['mo', 4 * 5 * 8 * 3600],
  ['w', 5 * 8 * 3600],
  ['d', 8 * 3600],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** Seconds of work as `3h 30m`, a day of eight hours, a week of five days, a month of four weeks; null for none. */
export function humanTime(seconds: number): string | null {
  if (seconds === 0) return null;
  let left = Math.abs(seconds);
  const parts: string[] = [];
  for (const [unit, size] of units) {
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * size;
  }
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}

const sizes: Readonly<Record<string, number>> = Object.fromEntries([
  ...units,
  ...(['month', 'week', 'day', 'hour', 'minute', 'second'] as const).map((name, at) => [name, units[at]?.[1] ?? 0]),
]);

/** Most seconds a duration may have: about 3,700 months of work. */
export const maxSeconds = 2_147_483_647;

const part = /\s*(\d{1,10}(?:\.\d{1,5})?)\s*([a-z]*)/iy;

/**
 * Seconds that a text such as `3h 30m`, `1mo2w`, `1.5 hours` or `-2d` means, in the units of `humanTime`; a number
 * alone counts hours. Undefined when it is no duration, or one of more than 2^31 seconds.
 */
export function parseDuration(text: string): number | undefined {
  const written = text.trim();
  const negative = written.startsWith('-');
  const rest = negative ? written.slice(1).trimStart() : written;
  if (rest === '' || rest.length > 200) return undefined;
  let seconds = 0;
  part.lastIndex = 0;
  while (part.lastIndex < rest.length) {
    const found = part.exec(rest);
    if (found === null) return undefined;
    const [, amount = '', word = ''] = found;
    const unit = word.toLowerCase();
    const size = unit === '' ? 3600 : Object.hasOwn(sizes, unit) ? sizes[unit] : sizes[unit.replace(/s$/, '')];
    if (size === undefined) return undefined;
    seconds += Number(amount) * size;
  }
  const whole = Math.round(seconds);
  if (whole > maxSeconds) return undefined;
  return negative ? -whole : whole;
}

/** A timestamp as people read it, in UTC, to the second. */
export const formatTimestamp = (timestamp: Date): string =>
  `${timestamp.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Whether every client can read a time: it lies after 1970-01-01 and before the year 10,000. */
export const isShowableTime = (time: Date): boolean => time.getTime() > 0 && time.getUTCFullYear() < 10_000;

/** Problems of a time that a caller sets; none where they set none. */
export const timeProblems = (time: Date | undefined): string[] =>
  time === undefined || isShowableTime(time) ? [] : ['must be after 1970-01-01'];
