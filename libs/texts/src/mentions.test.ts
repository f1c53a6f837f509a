import { growth } from '@switchyard/testkit';
import { mentionsIn, newMentions } from './mentions';

test.each<[string, string[], string[]]>([
  ['hello @ada and @bob.', ['ada', 'bob'], []],
  ['@ada please look, @bob knows', ['bob'], ['ada']],
  ['@ada and @bob, look', [], ['ada', 'bob']],
  ['- @ada', [], ['ada']],
  ['mail me@example.org or group/@x', [], []],
  ['`@ada` and ``a ` @bob`` @eve', ['eve'], []],
  ['```\n@ada\n```\nsee @bob', ['bob'], []],
  ['~~~ruby\n@ada\n```\n@eve\n~~~\nsee @bob', ['bob'], []],
  ['text\n\n    @ada\n\nsee @bob', ['bob'], []],
  ['text\n    see @ada', ['ada'], []],
  ['see @Ada, @ada and @ADA', ['Ada'], []],
  ['see @a.b-c_d. And @x-', ['a.b-c_d', 'x'], []],
  ['@@ @ !', [], []],
  ['see @team/core, @team/core/deep. And @all', ['team/core', 'team/core/deep', 'all'], []],
  ['@team/core please', [], ['team/core']],
  ['see \\@ada and <!-- @bob --> @eve', ['eve'], []],
  ['see <code class="x">@ada</code>, <CODE>@gus</CODE>, <b>@bob</b> and <code>@eve', ['bob', 'eve'], []],
  ['<!--\n@ada\n-->\n\n@bob', [], ['bob']],
  ['<pre>\n@ada\n</pre>\n\nsee [the @bob page](x) and **@eve**', ['bob', 'eve'], []],
  ['a `code\nspan @ada` over lines, @bob', ['bob'], []],
  ['1. see @ada\n\n       @bob\n\n   @eve', ['ada'], ['eve']],
  ['> see @ada\n> > see @bob', ['ada', 'bob'], []],
  ['see _@ada_, __@bob__, (_@eve_) and ___@gus___', ['ada', 'bob', 'eve', 'gus'], []],
  ['_see\nyou @ada_ and _@b_c_.', ['ada', 'b_c'], []],
  ['_@ada_ please', [], ['ada']],
  ['see @ada_, @_bob_, a_@c_ and snake_case_@eve', ['ada_', '_bob_'], []],
  ['see <a href="@ada">@bob</a>, <img alt=\'<> @gus\'/> and <b\ntitle="@x">@eve</b>', ['bob', 'eve'], []],
  ['<div title="@ada">\n_@bob_\n</div>', [], ['bob']],
])('%j', (text, usernames, directlyAddressed) => {
  expect(mentionsIn(text)).toEqual({ usernames, directlyAddressed });
});

test('at most a hundred in all', () => {
  const text = Array.from({ length: 150 }, (_, at) => `${at % 2 ? 'see ' : ''}@user${at}`).join('\n');
  const { usernames, directlyAddressed } = mentionsIn(text);
  expect([usernames.length, directlyAddressed.length]).toEqual([50, 50]);
  expect(mentionsIn(Array.from({ length: 101 }, (_, at) => `see @user${at}`).join(' ')).usernames).toHaveLength(100);
});

test('a megabyte without an end to its code span takes no time', () => {
  const started = process.cpuUsage();
  mentionsIn(`${'`@a '.repeat(250_000)}`);
  mentionsIn(`${'@'.repeat(1_000_000)}`);
  mentionsIn(`${'@a, '.repeat(250_000)}`);
  mentionsIn(`${'_@a '.repeat(250_000)}`);
  mentionsIn(`${'_@a_ __ '.repeat(125_000)}`);
  mentionsIn(`${'<a b="'.repeat(160_000)}`);
  mentionsIn(`<a${' '.repeat(1_000_000)}`);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(2_000);
});

test('only what was not there before is new; being addressed is more than being named', () => {
  expect(newMentions(mentionsIn('see @ada and @bob'), mentionsIn('@ada look, see @bob and @eve'))).toEqual({
    usernames: ['eve'],
    directlyAddressed: ['ada'],
  });
});

it.each([
  ['mentions', 'see @abcdefgh '],
  ['items of a list', '- @a\n'],
  ['numbers', '1. @a\n'],
  ['headings', '# @a\n'],
  ['brackets', '[@a '],
  ['closed brackets', '[@](a) '],
  ['quotes', '> @a\n'],
  ['deep quotes', '>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>>@a\n'],
  ['code spans', '`@a'],
  ['fences', '```\n'],
  ['comments', '<!-- @a'],
  ['escapes', '\\@'],
  ['stars', '*@a**'],
])('a million characters of %s hold nothing up', (_, part) => {
  const read = (characters: number) => void mentionsIn(part.repeat(Math.floor(characters / part.length)));
  // Going back would be quadratic; collecting garbage makes what is linear look like 1.5 at times.
  expect(growth(read, { from: 1 << 18 })).toBeLessThan(1.8);
});

test.each([
  ['one word', 'a'],
  ['dots', '@a.'],
  ['dots that belong to no name', '@a........................b '],
  ['dashes', '@a-'],
  ['one long name', 'a_a'],
])('a text of %s is read in time proportional to it', (_, part) =>
  expect(growth((characters) => void mentionsIn(`@${part.repeat(characters / part.length)}`))).toBeLessThan(1.8),
);

describe('of a text too long for the parser', () => {
  const long = 'Words that say little.\n'.repeat(2_000);

  test.each<[string, string[], string[]]>([
    ['see @eve, `@ada` and ``a ` @bob``', ['eve'], []],
    ['@ada please look', [], ['ada']],
    ['> - @ada\n\nsee @bob', ['bob'], ['ada']],
    ['```\n@ada\n```\nsee @bob', ['bob'], []],
    ['~~~ruby\n@ada\n```\n@eve\n~~~\nsee @bob', ['bob'], []],
    ['\n    @ada\n\nsee @bob', ['bob'], []],
    ['text\n    see @ada', ['ada'], []],
    ['<!--\n@ada\n\n@eve\n-->\n\nsee @bob <!-- @gus -->', ['bob'], []],
    ['<pre>\n@ada\n\n@gus</pre>\nsee @bob', ['bob'], []],
    ['a `code\nspan @ada` over lines, \\@eve, @bob', ['bob'], []],
    ['- one\n\n    see @ada', ['ada'], []],
  ])('%j', (end, usernames, directlyAddressed) => {
    expect(mentionsIn(`${long}\n${end}`)).toEqual({ usernames, directlyAddressed });
  });

  it('a fence or a line that begins before its end reaches beyond it', () => {
    expect(mentionsIn(`~~~\n${long}@ada\n~~~\nsee @bob`).usernames).toEqual(['bob']);
    expect(mentionsIn(`${'word '.repeat(20_000)}@ada`)).toEqual({ usernames: ['ada'], directlyAddressed: [] });
  });
});

it('a name is not cut in two where a text is too long to be read whole', () => {
  expect(mentionsIn('@ada '.repeat(10_000))).toEqual({ usernames: [], directlyAddressed: ['ada'] });
});

it.each([1, 2, 3, 4, 5, 6])('half a name at the end of what is read is none (%d)', (shift) => {
  expect(mentionsIn('x'.repeat(shift) + ' @ada'.repeat(200_000)).usernames).toEqual(['ada']);
});
