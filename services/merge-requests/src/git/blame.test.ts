import { parseBlame } from './blame';

const one = 'a'.repeat(40);
const two = 'b'.repeat(40);

test('lines that follow each other by one commit are together, whatever stands in them', () => {
  const text = [
    `${one} 1 1 2`,
    'author Ada',
    'summary A tab',
    'filename a.txt',
    '\tfirst',
    `${one} 2 2`,
    `\t${two} 9 9`,
    `${two} 1 3 1`,
    'filename a.txt',
    '\t\tindented\r',
    `${one} 3 4 1`,
    '\t',
    '',
  ].join('\n');
  expect(parseBlame(text)).toEqual([
    { sha: one, lines: ['first', `${two} 9 9`] },
    { sha: two, lines: ['\tindented\r'] },
    { sha: one, lines: [''] },
  ]);
  expect(parseBlame('')).toEqual([]);
});
