import { relocated } from './relocated';

test.each<[string, string]>([
  ['depends on #51', 'depends on team/old#51'],
  ['#1, #1 and !2.', 'team/old#1, team/old#1 and team/old!2.'],
  ['see beside#3 and beside!4', 'see team/beside#3 and team/beside!4'],
  ['see other/place#3', 'see other/place#3'],
  ['https://code.example/team/old/-/issues/5', 'https://code.example/team/old/-/issues/5'],
  ['- [ ] #1\n> #2\n\n# About #3 #', '- [ ] team/old#1\n> team/old#2\n\n# About team/old#3 #'],
  ['`#1` #1 ``!1`` <!-- #1 --> <code>#1</code>', '`#1` team/old#1 ``!1`` <!-- #1 --> <code>#1</code>'],
  ['```\n#1\n```\r\n\r\n#1\r\n\r\n    #1', '```\n#1\n```\r\n\r\nteam/old#1\r\n\r\n    #1'],
  ['\\#1 and &#39; and #1a and a##1 and #1234567890123456', '\\#1 and &#39; and #1a and a##1 and #1234567890123456'],
  ['[top](#1), [#2](#2)', '[top](#1), [team/old#2](#2)'],
  ['_#1_, __beside#2__ and <b title="#3">#4</b>', '_team/old#1_, __team/beside#2__ and <b title="#3">team/old#4</b>'],
  ['**#1** (#2)', '**team/old#1** (team/old#2)'],
  ['no number # here !', 'no number # here !'],
])('%j moves as %j', (text, expected) => {
  expect(relocated(text, 'team/old')).toBe(expected);
});

it('reads also what is too long for the parser of Markdown, and lets no text grow beyond what a text may have', () => {
  const long = `${'word '.repeat(10_000)}\n\n\`#1\` #2`;
  expect(relocated(long, 'team/old')).toBe(long.replace(' #2', ' team/old#2'));
  const full = '#1 '.repeat(333_333);
  const moved = relocated(full, 'team/old');
  expect(moved).toHaveLength(1_000_000 - ((1_000_000 - full.length) % 8));
  expect(relocated('#1 '.repeat(100), 'x/'.repeat(2_000))).toHaveLength(300 + 100 * 4_000);
});
