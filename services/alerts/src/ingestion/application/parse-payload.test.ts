import fc from 'fast-check';
import { maxPayloadDepth } from '../../payloads';
import { parsePayload } from './receive-alerts';

const parse = (text: string) => parsePayload(new TextEncoder().encode(text));

/** `text` in so many arrays that `left` levels are left for it. */
const wrapped = (text: string, left = 1): string =>
  `${'['.repeat(maxPayloadDepth - left)}${text}${']'.repeat(maxPayloadDepth - left)}`;

const depthOf = (value: unknown): number =>
  typeof value !== 'object' || value === null ? 0 : 1 + Math.max(0, ...Object.values(value).map(depthOf));

describe('nesting', () => {
  it('is counted over brackets and braces together', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
    expect(parse(nested(100))).toBeDefined();
    expect(parse(nested(102))).toBeUndefined();
    expect(parse('['.repeat(100_000))).toBeUndefined();
  });

  it('is not counted inside of strings', () => {
    expect(parse(wrapped(JSON.stringify(['[[[[', '{{\\"{{"[', '\\'])))).toBeDefined();
    expect(parse(wrapped('["\\\\",[]]'))).toBeUndefined();
  });

  it('of bytes that are no JSON does not matter', () => expect(parse('"\\')).toBeUndefined());

  it('is that of the parsed value', () =>
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 8 }), (text, left) => {
        expect(parse(wrapped(text, left)) !== undefined).toBe(depthOf(JSON.parse(text)) <= left);
      }),
    ));
});
