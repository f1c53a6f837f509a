import { issueReferences } from './issue-references';
import { linkAddress, literal } from './literal-text';
import { mentionsIn } from './mentions';

describe('a text of another system as code', () => {
  it.each([
    ['ci/unit', '`ci/unit`'],
    ['@all !3 #4', '`@all !3 #4`'],
    ['a\n/close\r\n\u0000b', '`a /close b`'],
    ['\u202egnp', '`gnp`'],
    ['`` @all ```', '```` `` @all ``` ````'],
    ['\ud800x', '`\ufffdx`'],
  ])('%j is %s', (text, code) => expect(literal(text, 50)).toBe(code));

  it.each(['', ' \n', '\u200b', '\u2800'])('%j has nothing to show', (text) =>
    expect(literal(text, 50)).toBeUndefined(),
  );

  it('is cut at a number of characters, however long it is', () => {
    expect(literal('x'.repeat(10), 10)).toBe(`\`${'x'.repeat(10)}\``);
    expect(literal('x'.repeat(11), 10)).toBe(`\`${'x'.repeat(9)}…\``);
    expect(literal('🚂'.repeat(10), 10)).toBe(`\`${'🚂'.repeat(10)}\``);
    expect(literal(`ab${' '.repeat(100)}c`, 10)).toBe('`ab…`');
    expect(literal(`${'\n'.repeat(10)}${'x'.repeat(50)}`, 10)).toBe(`\`${'x'.repeat(9)}…\``);
    expect(literal(`${'x'.repeat(9)}${'🚂'.repeat(3)}${'\n'.repeat(9)}`, 11)).toBe(`\`${'x'.repeat(9)}🚂…\``);
    expect(literal('🚂'.repeat(1_000_000), 10)).toBe(`\`${'🚂'.repeat(9)}…\``);
  });
});

describe('the address of a link', () => {
  it.each([
    ['https://ci.example/job/12?x=1&y=2#step-3', 'https://ci.example/job/12?x=1&y=2#step-3'],
    ['https://ci.example/?x=1&2=3&4', 'https://ci.example/?x=1&2=3&4'],
    ['http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['https://ci.example/a(b)c', 'https://ci.example/a%28b%29c'],
    ['https://ci.example/?to=@all&m=x!3', 'https://ci.example/?to=%40all&m=x%213'],
    ['https://ci.example/?at=b/c#12', 'https://ci.example/?at=b/c'],
    ['https://ci.example/x>`[y](z)<b>', 'https://ci.example/x%3E%60%5By%5D%28z%29%3Cb%3E'],
    ['https://ci.example/?\\`*~', 'https://ci.example/?%5C%60%2A%7E'],
    // With its semicolon it would be a character reference of HTML.
    ['https://ci.example/?a&commat;all#b#12', 'https://ci.example/?a&commat%3Ball#b'],
    ['https://ci.example/\n/close', 'https://ci.example//close'],
    ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ])('%j leads to %s', (text, address) => {
    expect(linkAddress(text)).toBe(address);
    const line = `[\`unit\`](${address})`;
    expect(mentionsIn(line)).toEqual({ usernames: [], directlyAddressed: [] });
    expect(issueReferences([line], 'https://code.example')).toEqual({
      closing: [],
      mentioned: [],
      mergeRequests: [],
      epics: [],
    });
  });

  it.each([
    '',
    'javascript:alert(1)',
    '/relative',
    'https://ada:secret@ci.example/',
    'https://[::1]/',
    `https://ci.example/${'x'.repeat(1_100)}`,
    `https://ci.example/${'ü'.repeat(300)}`,
  ])('%j leads nowhere', (text) => expect(linkAddress(text)).toBeUndefined());
});
