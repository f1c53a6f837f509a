/** Seconds over which the repeats of a delivery are spread. */
const spreadSeconds = 3_600;

/**
 * Seconds until a delivery is repeated after its `tries`-th failed try: each interval is twice the one before, and all
 * of them together are an hour.
 * @param tries from 1
 * @param retries repeats of a delivery in all, 0 for none
 * @returns undefined when it is given up
 */
export const retrySeconds = (tries: number, retries: number): number | undefined =>
  tries > retries ? undefined : (spreadSeconds * 2 ** (tries - 1)) / (2 ** retries - 1);
