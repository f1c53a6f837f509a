import { boundValues } from './page-values';

const page = (...lines: string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''));

it('counts lines, whatever their texts hold', () => {
  const text = JSON.stringify({ title: `${'[],{},'.repeat(100_000)} \\" \\\\`, list: [1, 2] });
  expect(boundValues(page(text, '{}', text))).toBe(3);
});

it('takes an issue with as many events as a record may have', () => {
  const event = { id: 1, kind: 'label', action: 'add', title: 't', user: 'u', created_at: '2026-01-02T03:04:05Z' };
  expect(boundValues(page(JSON.stringify({ iid: 1, events: Array.from({ length: 100_000 }, () => event) })))).toBe(1);
});

it.each([
  ['a record of many lists', page(`{"junk":[${'[],'.repeat(500_000)}[]]}`)],
  ['one behind a text that does not end', page('{"a":"', `[${'1,'.repeat(1_000_000)}1]`)],
  ['one behind a quote with a backslash', page(`{"a":"\\\\","junk":[${'[],'.repeat(500_000)}[]]}`)],
  ['a page of many', page(...Array.from({ length: 40 }, () => `[${'1,'.repeat(30_000)}1]`))],
])('refuses %s', (_, bytes) => expect(() => boundValues(bytes)).toThrow(/too many values/));
