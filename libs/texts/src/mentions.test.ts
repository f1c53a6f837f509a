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
])('%j', (text, usernames, directlyAddressed) => {
  expect(mentionsIn(text)).toEqual({ usernames, directlyAddressed });
});

test('at most a hundred of each kind', () => {
  const text = Array.from({ length: 150 }, (_, at) => `see @user${at}`).join('\n');
  expect(mentionsIn(text).usernames).toHaveLength(100);
});

test('a megabyte without an end to its code span takes no time', () => {
  const started = Date.now();
  mentionsIn(`${'`@a '.repeat(250_000)}`);
  mentionsIn(`${'@'.repeat(1_000_000)}`);
  mentionsIn(`${'@a, '.repeat(250_000)}`);
  expect(Date.now() - started).toBeLessThan(2_000);
});

test('only what was not there before is new; being addressed is more than being named', () => {
  expect(newMentions(mentionsIn('see @ada and @bob'), mentionsIn('@ada look, see @bob and @eve'))).toEqual({
    usernames: ['eve'],
    directlyAddressed: ['ada'],
  });
});
