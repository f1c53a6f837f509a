import { boundValues } from './page-values';

const page = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));

it('counts lines, whatever their texts hold', () => {
  const text = JSON.stringify({ title: `${'[],{},'.repeat(100_000)} \\" \\\\`, list: [1, 2] });
  expect(boundValues(page(text, '{}', text))).toBe(3);
});

it.each([
  ['a record of many lists', page(`{"junk":[${'[],'.repeat(60_000)}[]]}`)],
  ['one behind a text that does not end', page('{"a":"', `[${'1,'.repeat(60_000)}1]`)],
  ['one behind a quote with a backslash', page(`{"a":"\\\\","junk":[${'[],'.repeat(60_000)}[]]}`)],
  ['a page of many', page(...Array.from({ length: 40 }, () => `[${'1,'.repeat(30_000)}1]`))],
])('refuses %s', (_, bytes) => expect(() => boundValues(bytes)).toThrow(/too many values/));
