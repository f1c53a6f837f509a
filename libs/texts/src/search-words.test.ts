import { searchMatch } from './search-words';

const wordsOf = (search: string) => searchMatch({ search, searchTitle: true, searchDescription: false })?.words;

test.each<[string, string[] | undefined]>([
  ['foo  bar\tfoo', ['foo', 'bar', 'foo']],
  ['"foo bar"', ['foo bar']],
  ['one "foo bar" two "x"', ['one', 'foo bar', 'two', 'x']],
  ['" foo bar "', ['foo bar']],
  ['say"foo bar"', ['say"foo', 'bar"']],
  ['"foo bar', ['"foo', 'bar']],
  ['"foo bar"s', ['"foo', 'bar"s']],
  ['"" " " "', ['""', '"']],
  ['  ', undefined],
])('the search %j tries %j', (search, words) => expect(wordsOf(search)).toEqual(words));

test('no more than twenty', () => expect(wordsOf('a "b c" '.repeat(50))).toHaveLength(20));
