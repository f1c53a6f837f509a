import fc from 'fast-check';
import { nestsDeeperThan } from './json-depth';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

describe('nesting', () => {
  it('is counted over brackets and braces together', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(nestsDeeperThan(100, bytes(nested(100)))).toBe(false);
    expect(nestsDeeperThan(100, bytes(nested(102)))).toBe(true);
    expect(nestsDeeperThan(100, bytes('['.repeat(101)))).toBe(true);
  });

  it('is not counted inside of strings', () => {
    expect(nestsDeeperThan(1, bytes(JSON.stringify(['[[[[', '{{\\"{{"[', '\\'])))).toBe(false);
    expect(nestsDeeperThan(1, bytes('["\\\\",[]]'))).toBe(true);
  });

  it('does not mind what is no JSON', () => expect(nestsDeeperThan(1, bytes('"\\'))).toBe(false));

  it('is that of the parsed value', () =>
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 8 }), (text, limit) => {
        expect(nestsDeeperThan(limit, bytes(text))).toBe(depthOf(JSON.parse(text)) > limit);
      }),
    ));
});
