import fc from 'fast-check';
import { bucketOf, bucketsOf, countOf, percentile } from './duration-buckets';

test('a duration that was counted is found again within 4 %, from a second to ten years (7)', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 10 * 365 * 86_400, noNaN: true }), (seconds) => {
      const found = percentile(new Map([[bucketOf(seconds), 1]]), 0.5)!;
      expect(Math.abs(found - seconds) / seconds).toBeLessThanOrEqual(0.04 + 1e-9);
    }),
    { numRuns: 2_000 },
  );
});

test('the buckets are bounded, and every duration has one', () => {
  expect([-5, 0, 0.2, 1].map(bucketOf)).toEqual([0, 0, 0, 0]);
  expect(bucketOf(Number.MAX_VALUE)).toBe(245);
});

test('percentiles are those of the durations themselves, within 4 %', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 200 }),
      fc.constantFrom(0.5, 0.95, 1),
      (durations, share) => {
        const buckets = new Map<number, number>();
        for (const one of durations) buckets.set(bucketOf(one), (buckets.get(bucketOf(one)) ?? 0) + 1);
        const exact = durations.sort((a, b) => a - b)[Math.max(1, Math.ceil(share * durations.length)) - 1]!;
        expect(countOf(buckets)).toBe(durations.length);
        expect(Math.abs(percentile(buckets, share)! - exact) / exact).toBeLessThanOrEqual(0.04 + 1e-9);
      },
    ),
    { numRuns: 500 },
  );
  expect(percentile(new Map(), 0.5)).toBeUndefined();
  expect(percentile(bucketsOf({ '10': 0 }), 0.5)).toBeUndefined();
});
