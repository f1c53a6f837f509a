import { titleOf } from './gist-import';

it.each([
  ['How to\nwith more', ['a.txt'], 'How to'],
  ['\n \t\n Second', ['a.txt'], 'Second'],
  ['', ['a.txt', 'b.txt'], 'a.txt'],
  ['a\u0000b', [], 'a b'],
  ['', [], 'Gist'],
  ['😀'.repeat(300), [], '😀'.repeat(255)],
] as const)('the title of %j with the files %j is %j', (description, files, title) => {
  expect(titleOf(description, files)).toBe(title);
});
