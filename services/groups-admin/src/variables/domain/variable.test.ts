import { canBeMasked, variableProblems } from './variable';
import type { NewVariable } from './variable-row';

const variable: NewVariable = {
  key: 'KEY',
  value: 'value',
  variableType: 'env_var',
  protected: false,
  masked: false,
  hidden: false,
  raw: false,
  environmentScope: '*',
  description: undefined,
};

test.each([
  // G-4.3-8: expanded.
  ['1234567', false, false],
  ['12345678', false, true],
  ['aZ09_+=/@:.~-', false, true],
  ['with space', false, false],
  ['dollar$sign', false, false],
  ['two\nlines!!', false, false],
  ['12345678\n', false, false],
  ['12345678\r', false, false],
  ['ünicode-long', false, false],
  // G-4.3-9: as it is.
  ['1234567', true, false],
  ['dollar$sign!', true, true],
  ['ünicode-long', true, true],
  ['\u{1f511}'.repeat(7), true, false],
  ['\u{1f511}'.repeat(8), true, true],
  ['with space', true, false],
  ['with\u00a0space', true, false],
  ['tab\tinside', true, false],
  ['two\u2028lines!!', true, false],
  ['12345678\n', true, false],
])('%j with raw %p can be masked: %p', (value, raw, expected) => {
  expect(canBeMasked(value, raw)).toBe(expected);
  const problems = variableProblems({ ...variable, value, raw, masked: true });
  expect(problems).toEqual(expected ? {} : { value: ['is invalid'] });
});

test.each([
  ['A_1', undefined],
  ['1', undefined],
  ['x'.repeat(255), undefined],
  ['', ["can't be blank"]],
  ['x'.repeat(256), ['is too long (maximum is 255 characters)']],
  ['A B', ["can contain only letters, digits and '_'."]],
  ['A-B', ["can contain only letters, digits and '_'."]],
  ['é', ["can contain only letters, digits and '_'."]],
  ['A\n', ["can contain only letters, digits and '_'."]],
])('G-4.3-6: the key %j: %j', (key, problems) => {
  expect(variableProblems({ ...variable, key }).key).toEqual(problems);
});

test.each([
  ['*', undefined],
  ['review/*-$x.{1}', undefined],
  ['', ["can't be blank"]],
  ['a'.repeat(256), ['is too long (maximum is 255 characters)']],
  ['pro\nduction', ["can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"]],
])('the scope %j: %j', (environmentScope, problems) => {
  expect(variableProblems({ ...variable, environmentScope }).environment_scope).toEqual(problems);
});

test('a value of 10,000 characters fits, of a megabyte not, and all problems are found at once', () => {
  expect(variableProblems({ ...variable, value: '\u{1f511}'.repeat(10_000), description: 'd'.repeat(255) })).toEqual(
    {},
  );
  expect(
    variableProblems({
      ...variable,
      key: 'A B',
      value: 'x'.repeat(1 << 20),
      masked: true,
      environmentScope: '?',
      description: 'd'.repeat(256),
    }),
  ).toEqual({
    key: [expect.any(String)],
    value: ['is too long (maximum is 10000 characters)', 'is invalid'],
    environment_scope: [expect.any(String)],
    description: ['is too long (maximum is 255 characters)'],
  });
});
