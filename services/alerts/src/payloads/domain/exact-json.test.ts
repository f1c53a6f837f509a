import fc from 'fast-check';
import { parseJson, writeJson, writerFor } from './exact-json';

const [least, most] = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

describe('JSON with integers of many digits', () => {
  it.each<[string, unknown]>([
    ['9007199254740991', most],
    ['-9007199254740991', least],
    ['9007199254740992', 2n ** 53n],
    ['[-9007199254740993,\n12345678901234567890]', [-(2n ** 53n) - 1n, 12345678901234567890n]],
    ['{"a" : 9007199254740993}', { a: 2n ** 53n + 1n }],
    ['1234567890123456.5', 1234567890123456.5],
    ['0.12345678901234567890', 0.12345678901234568],
    ['10000000000000000000e2', 1e21],
    ['[1e-12345678901234567890,1e+0012345678901234567]', [0, Number.POSITIVE_INFINITY]],
    ['"9007199254740993"', '9007199254740993'],
    ['["\\", 9007199254740993", "\\\\", 9007199254740993]', ['", 9007199254740993', '\\', 2n ** 53n + 1n]],
    ['{": 9007199254740993":1}', { ': 9007199254740993': 1 }],
  ])('%s is read to the digit', (json, value) => expect(parseJson(json)).toEqual(value));

  it.each(['', '9007199254740993,', '[9007199254740993', '{"a":09007199254740993}', '"\\x 9007199254740993"'])(
    '%j is no JSON',
    (json) => expect(() => parseJson(json)).toThrow(SyntaxError),
  );

  it('is read and written without loss, whatever surrounds them', () => {
    const leaf = fc.oneof(
      { withCrossShrink: true },
      fc.bigInt().filter((value) => value < least || value > most),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.string(),
      fc.constantFrom('", 9007199254740993', '\\', '9007199254740993', null, true),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
    }));
    fc.assert(
      fc.property(value, (one) => {
        const json = writeJson(one);
        expect(writeJson(parseJson(json))).toBe(json);
        expect(writerFor(json)(parseJson(json))).toBe(json);
      }),
    );
  });

  it('costs little, however many or long', () => {
    const startedAt = performance.now();
    for (const json of [
      `[${Array(60_000).fill('9007199254740993').join()}]`,
      `[${Array(1_000).fill('9'.repeat(1_000)).join()}]`,
      `{"a": ${'9'.repeat(1_000_000)}}`,
      `["${'\\u0000'.repeat(80_000)}",${Array(30_000).fill('9007199254740993').join()}]`,
    ])
      writeJson(parseJson(json));
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});
