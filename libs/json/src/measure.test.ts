import fc from 'fast-check';
import { jsonMeasure, nestsDeeperThan } from './measure';

const bounds = { depth: 4, keys: 6, values: 12 };

/** The same, from what a parser makes of it; of arrays and objects each one is a value, and so is each of their members. */
function passes(value: unknown): { depth: number; keys: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, keys: 0 };
  const inner = Object.values(value).map(passes);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    keys: (Array.isArray(value) ? 0 : inner.length) + inner.reduce((sum, { keys }) => sum + keys, 0),
  };
}

test('JSON is measured the same wherever its bytes are cut, and as a parser sees it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (json, cuts) => {
      const bytes = Buffer.from(json);
      const whole = jsonMeasure(bounds)(bytes);
      const measure = jsonMeasure(bounds);
      let found: string | undefined;
      for (let at = 0; at < bytes.length && found === undefined; ) {
        const length = cuts.next().value as number;
        found = measure(bytes.subarray(at, at + length));
        at += length;
      }
      expect(found).toBe(whole);
      const { depth, keys } = passes(JSON.parse(json));
      const unbounded = { values: Number.POSITIVE_INFINITY };
      expect(jsonMeasure({ ...bounds, ...unbounded })(bytes) !== undefined).toBe(
        depth > bounds.depth || keys > bounds.keys,
      );
    }),
  );
});

test('quotes, backslashes and brackets of a text are none of its own', () => {
  const text = JSON.stringify({ a: '\\"{[:,\\\\"'.repeat(20) });
  expect(jsonMeasure(bounds)(Buffer.from(text))).toBeUndefined();
  expect(jsonMeasure(bounds)(Buffer.from(`[${'1,'.repeat(20)}1]`))).toBe('values');
});

test('a text nests deeper than its own depth less one', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (json) => {
      const { depth } = passes(JSON.parse(json));
      expect(nestsDeeperThan(depth, Buffer.from(json))).toBe(false);
      if (depth > 0) expect(nestsDeeperThan(depth - 1, Buffer.from(json))).toBe(true);
    }),
  );
  expect(nestsDeeperThan(200, Buffer.from('['.repeat(100_000)))).toBe(true);
});
