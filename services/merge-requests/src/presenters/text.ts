/** A moment as the API prints it: `2024-01-31T08:39:14.883Z`. */
export const dateTime = (date: Date): string => date.toISOString();

/** A moment, or null when there is none. */
export const optionalDateTime = (date: Date | undefined): string | null => date?.toISOString() ?? null;

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
