/**
 * Seconds until the next try, doubled with each failure in a row: what is away may be so for long.
 * @param tries from 1
 * @param longest seconds
 */
export const pauseAfter = (tries: number, longest = 300): number => Math.min(longest, 2 ** Math.min(tries, 10));
