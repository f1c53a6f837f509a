/** Greatest relative error of a duration that was counted in a bucket; rounded to three digits it stays below 5 %. */
const error = 0.04;
const base = (1 + error) / (1 - error);
/** Durations from ten years on share the last bucket. */
const lastBucket = Math.ceil(Math.log(10 * 365 * 86_400) / Math.log(base));

/** How many durations fell into each bucket. */
export type Buckets = ReadonlyMap<number, number>;

/** The bucket of a duration, 0 to 245: as many seconds as the base to the power of the bucket, at the most. */
export const bucketOf = (seconds: number): number =>
  seconds <= 1 ? 0 : Math.min(lastBucket, Math.ceil(Math.log(seconds) / Math.log(base)));

/** Seconds that stand for a bucket: from one second on at most 4 % from every duration in it. */
const secondsOf = (bucket: number): number => (bucket === 0 ? 1 : (2 * base ** bucket) / (base + 1));

/**
 * The duration that a share of all durations does not exceed, by the nearest rank, in seconds; undefined without any.
 * @param share 0 to 1
 */
export function percentile(buckets: Buckets, share: number): number | undefined {
  const sorted = [...buckets].filter(([, count]) => count > 0).sort(([a], [b]) => a - b);
  const rank = Math.max(1, Math.ceil(share * countOf(buckets)));
  let seen = 0;
  for (const [bucket, count] of sorted) {
    seen += count;
    if (seen >= rank) return secondsOf(bucket);
  }
  return undefined;
}

/** How many durations there are. */
export const countOf = (buckets: Buckets): number => [...buckets.values()].reduce((sum, count) => sum + count, 0);

/** Buckets as they are stored, by their number as text. */
export const bucketsOf = (stored: Readonly<Record<string, number>>): Buckets =>
  new Map(Object.entries(stored).map(([bucket, count]) => [Number(bucket), count]));
