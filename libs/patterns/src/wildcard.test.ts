import { growth } from '@switchyard/testkit';
import fc from 'fast-check';
import { maxWildcards, wildcard, wildcardProblem } from './wildcard';

test.each([
  ['main', 'main', true],
  ['main', 'main2', false],
  ['release/*', 'release/1/0', true],
  ['release/*', 'release', false],
  ['*-stable', '17-0-stable', true],
  ['*', '', true],
  ['**', 'a', true],
  ['a*a', 'a', false],
  ['ab*ba', 'aba', false],
  ['a*b*a', 'aba', true],
  ['*ab*ab*', 'abab', true],
  ['*ab*ab*', 'aab', false],
  ['a.c', 'abc', false],
  ['*aab*', 'aaab', true],
  ['', '', true],
  ['', 'a', false],
])('%j matches %j: %s', (pattern, text, expected) => expect(wildcard(pattern)(text)).toBe(expected));

test('every pattern means what the same regular expression means', () => {
  const letters = (alphabet: string[]) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 8 });
  fc.assert(
    fc.property(letters(['a', 'b', '*', '.']), letters(['a', 'b', '.']), (pattern, text) => {
      const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll(/\*+/g, '.*')}$`, 's');
      expect(wildcard(pattern)(text)).toBe(expression.test(text));
    }),
  );
});

test.each<[string, (size: number) => [string, string]]>([
  ['many wildcards', (size) => [`${'*a'.repeat(size / 2)}*b`, 'a'.repeat(size)]],
  ['one long part that nearly matches everywhere', (size) => [`*${'a'.repeat(size / 2)}b*`, 'a'.repeat(size)]],
  ['many parts that nearly match', (size) => ['*aaaab'.repeat(size / 6), 'aaaa'.repeat(size / 4)]],
])('%s take time proportional to pattern and text', (_, inputs) =>
  expect(
    growth((size) => {
      const [pattern, text] = inputs(size);
      wildcard(pattern)(text);
    }),
  ).toBeLessThan(1.5),
);

test('a pattern has a bounded number of wildcards', () => {
  expect(wildcardProblem('*'.repeat(maxWildcards))).toBeUndefined();
  expect(wildcardProblem('*'.repeat(maxWildcards + 1))).toBe('has too many wildcards (maximum is 20)');
});
