import { growth } from '@switchyard/testkit';
import { keyFinder } from './keys';

const find = (text: string, expression = '', prefix = ''): string[] =>
  keyFinder({ expression, prefix })(text).map(({ key, start, end }) => `${text.slice(start, end)} ${key}`);

test.each<[string, string, string, string[]]>([
  ['', '', 'ABC-1 (XY-22), a-3 xABC-4 ABC-5a A-6.', ['ABC-1 ABC-1', 'XY-22 XY-22']],
  ['[a-z]+-\\d+', '', 'abc-1 ABC-2 see "x-3"!', ['abc-1 abc-1', 'x-3 x-3']],
  ['a|b', '', 'a ab b...', ['a a', 'b b']],
  ['', 'JIRA#', 'JIRA#ABC-1 ABC-2 xJIRA#ABC-3 JIRA#abc (JIRA#AB-4).', ['JIRA#ABC-1 ABC-1', 'JIRA#AB-4 AB-4']],
  ['\\d+', '#', '#345, a#1 ##2 &#3; #4x group/#5 #6', ['#345 345', '#6 6']],
  ['\\d+', 'issue: [', 'issue: [12] issue: 3', ['issue: [12 12']],
  ['x*', '!', '!!x', ['!x x']],
])('expression %j with prefix %j in %j', (expression, prefix, text, expected) =>
  expect(find(text, expression, prefix)).toEqual(expected),
);

test('a word longer than a key is none, and an expression that is none is refused', () => {
  expect(find(`${'a'.repeat(255)} ${'a'.repeat(256)}`, 'a+')).toHaveLength(1);
  expect(() => keyFinder({ expression: '(', prefix: '' })).toThrow();
});

test('all texts of one finder together take bounded time, with the largest expression as well', () => {
  const nasty = keyFinder({ expression: '([ab]*a[ab]{120}|[ab]*b[ab]{120})', prefix: '' });
  const text = Array.from({ length: 100 }, (_, at) => 'ab'.repeat(100 + (at % 27))).join(' ');
  const began = performance.now();
  for (let at = 0; at < 200; at += 1) nasty(text);
  expect(performance.now() - began).toBeLessThan(2_000);
  expect(nasty('aab')).toEqual([]);
});

test.each([
  ['', ''],
  ['a', 'a '],
  ['#', '#'],
  ['', '. '],
])('with the prefix %j a text of %j takes time proportional to it', (prefix, part) =>
  expect(
    growth((size) => keyFinder({ expression: 'a', prefix })(`${part === '' ? 'x' : part}`.repeat(size))),
  ).toBeLessThan(1.5),
);
