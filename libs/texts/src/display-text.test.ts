import { displayText, displayTextProblems, isBlank, oneLine } from './display-text';

const blank = ["can't be blank"];
const invalid = ['is invalid'];

test.each([
  ['nothing', ''],
  ['white space', ' \t\n\u00a0\u3000\u2003'],
  ['zero width characters', '\u200b\u200c\u200d\u2060\ufeff'],
  ['marks of direction', '\u200e\u200f\u061c\u202e\u2066'],
  ['fillers', '\u3164\u115f\u1160\uffa0\u2800\u17b4'],
  ['variation selectors', '\ufe0f\u{e0100}\u180b'],
  ['soft hyphens', '\u00ad\u00ad'],
  ['tags', '\u{e0067}\u{e007f}'],
  ['controls', '\u0007\u001b'],
  ['private use', '\ue000'],
])('%s are blank', (_name, text) => {
  expect(isBlank(text)).toBe(true);
  expect(displayTextProblems(text)).toEqual(blank);
});

test.each([
  ['a line break', 'a\nb'],
  ['a carriage return', 'a\rb'],
  ['a tab', 'a\tb'],
  ['an escape', 'a\u001b[31mb'],
  ['a C1 control', 'a\u0085b'],
  ['separators of lines and paragraphs', 'a\u2028b\u2029c'],
  ['an override of direction', 'ada\u202egpj.exe'],
  ['an isolate of direction', 'ada\u2066x\u2069'],
  ['an annotation', 'a\ufff9b'],
  ['a noncharacter', 'a\uffffb'],
])('%s within a line is invalid', (_name, text) => {
  expect(displayTextProblems(text)).toEqual(invalid);
});

test.each([
  ['joined emoji', '👩‍🚀 and 👨‍👩‍👧‍👦'],
  ['flags', '🇩🇪 🏴󠁧󠁢󠁷󠁬󠁳󠁿'],
  ['skin tones and keycaps', '👍🏽 1️⃣ ❤️'],
  ['an emoji of a later Unicode', '\u{1fadf}'],
  ['a Persian word with a joiner', 'می‌خواهم'],
  ['Arabic with a mark of direction', '\u200fمرحبا (C++)\u200e'],
  ['Devanagari with joiners', 'क्‍ष'],
  ['Hangul', '한국어'],
  ['a mathematical minus', 'x − 2²'],
])('%s are shown', (_name, text) => {
  expect(displayTextProblems(text)).toEqual([]);
  expect(displayText(text)).toBe(text);
});

test('what is written alike is stored alike, without white space at its ends', () => {
  expect(displayText('  Cafe\u0301 \n')).toBe('Caf\u00e9');
  expect(displayText('\u1112\u1161\u11ab')).toBe('\ud55c');
  // Other characters stay others.
  expect(displayText('ﬁx x² Ａ')).toBe('ﬁx x² Ａ');
});

test('characters are counted, as they are stored', () => {
  expect(displayTextProblems(`${'🚂'.repeat(255)} `)).toEqual([]);
  expect(displayTextProblems('e\u0301'.repeat(255))).toEqual([]);
  expect(displayTextProblems('x'.repeat(256))).toEqual(['is too long (maximum is 255 characters)']);
  expect(displayTextProblems(`a\nb${'x'.repeat(10)}`, 5)).toEqual([
    'is invalid',
    'is too long (maximum is 5 characters)',
  ]);
});

test('a text of another system becomes one line', () => {
  expect(oneLine('\u0007Disk\r\n\u202efull\t now ')).toBe('Disk full  now');
});
