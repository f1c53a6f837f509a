import { openapiOf } from '../../../src/http/params';

/** Numbers in a fixed order for a seed, from 0 up to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

/** Texts that have broken something somewhere: markup, globs, git's revision syntax, limits of UTF-8 and of columns. */
export const hostileTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffy',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(4_096),
  'x'.repeat(70_000),
  '../../../etc/passwd',
  '..',
  '.',
  '/',
  '//',
  '.git/config',
  'a/../b',
  "'; drop table users; --",
  '--upload-pack=x',
  '-h',
  '@{-1}',
  '@',
  'HEAD^{/x}',
  'main:README.md',
  ':/x',
  'main..main',
  'main^0',
  'main~1000000',
  'refs/heads/main',
  'refs/heads/../../x',
  'x.lock',
  'a b',
  'a~b',
  'a*b',
  '*',
  '(',
  '(a+)+$',
  '[',
  '\\',
  '%',
  '%00',
  '%2e%2e',
  '_',
  '\u202e\u0000'.slice(0, 1),
  '\u{1f600}'.repeat(300),
  'ﬃ',
  'é',
  'e\u0301',
  '\u200b\u3164',
  '\u202egpj.exe',
  'a\u2028b',
  'a\u001b[31mb',
  'a@b\r\nBcc: c@d',
  '\r\nX-Injected: 1',
  '\t\n',
  '<script>alert(1)</script>',
  'null',
  'undefined',
  'None',
  'Any',
  '[object Object]',
  '0',
  '-1',
  '2147483648',
  '9223372036854775808',
  '-9223372036854775809',
  '1e309',
  'NaN',
  '0x10',
  '1.5',
  '٣',
  '9999-12-31',
  '0000-00-00',
  '-000001-01-01T00:00:00Z',
  '2024-02-30',
  '2024-01-01T25:00:00Z',
  '294276-12-31',
  'f'.repeat(40),
  '0'.repeat(40),
  '0'.repeat(64),
];

/** Values of the wrong shape, and numbers at the ends of what columns and doubles hold. */
export const hostileValues: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  ['a', 1, null],
  { a: { b: 1 } },
  { 0: 'x' },
  nested(20),
  0,
  -1,
  1.5,
  1e21,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 - 1,
  2 ** 63,
  -(2 ** 63),
  Array.from({ length: 300 }, (_, index) => index),
  Array.from({ length: 300 }, (_, index) => `t${index}`),
];

/** A value of a type the parameter does not take, by what the reference says of it. */
export function wrongFor(schema: unknown): unknown {
  const { type, enum: words, format, items } = openapiOf(schema) as Record<string, unknown>;
  // One that takes null as well has two types.
  const types = [type].flat();
  if (types.includes('array') && items !== undefined && (items as { type?: string }).type !== 'object')
    return { a: { b: '1' } };
  return types.includes('string') && words === undefined && format === undefined ? { a: 'b' } : 'nope';
}

const encoded = (text: string): string =>
  text.isWellFormed() ? encodeURIComponent(text) : `${encodeURIComponent(text.toWellFormed())}%ED%A0%80`;

/** A value in bracket syntax (G-1-4); lone surrogates as the bytes a careless client would send. */
export function pairs(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairs(`${name}[]`, item));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => pairs(`${name}[${key}]`, inner));
  return [`${encoded(name)}=${value === null ? '' : encoded(String(value))}`];
}

/** A path segment as sent. */
export const segment = encoded;
