import { applyLineChanges, type LineChange, linesAround } from './suggested-change';

const text = 'one\ntwo\nthree';
const change = (suggestionId: number, line: number, given: Partial<LineChange>): LineChange => ({
  suggestionId,
  line,
  linesAbove: 0,
  linesBelow: 0,
  fromContent: '',
  toContent: '',
  ...given,
});

test('lines around one, as far as there are any', () => {
  const around = { linesAbove: 5, linesBelow: 5 };
  expect(linesAround(text, { line: 2, ...around })).toEqual({ content: text, linesAbove: 1, linesBelow: 1 });
  expect(linesAround(text, { line: 3, linesAbove: 0, linesBelow: 0 })?.content).toBe('three');
  for (const line of [0, 4]) expect(linesAround(text, { line, ...around })).toBeUndefined();
  expect(linesAround('x'.repeat(65_537), { line: 1, ...around })).toBeUndefined();
});

test('changes are applied together, whatever their order', () => {
  const first = change(1, 1, { fromContent: 'one\n', toContent: 'a\nb\n' });
  const last = change(2, 3, { fromContent: 'three', toContent: '' });
  for (const changes of [
    [first, last],
    [last, first],
  ])
    expect(applyLineChanges(text, changes)).toEqual({ text: 'a\nb\ntwo\n' });
});

test('each that does not apply is named', () => {
  const ok = change(1, 1, { fromContent: 'one\n', toContent: 'x\n' });
  expect(
    applyLineChanges(text, [ok, change(2, 2, { fromContent: 'TWO\n' }), change(3, 9, { fromContent: 'nine' })]),
  ).toEqual({
    problems: [
      { suggestionId: 2, problem: 'its lines have changed' },
      { suggestionId: 3, problem: 'its lines have changed' },
    ],
  });
  expect(applyLineChanges(text, [{ ...ok, toContent: 'one\n' }])).toEqual({
    problems: [{ suggestionId: 1, problem: 'it changes nothing' }],
  });
  const wide = change(4, 2, { linesAbove: 1, fromContent: 'one\ntwo\n', toContent: '' });
  expect(applyLineChanges(text, [wide, ok])).toMatchObject({ problems: [{ suggestionId: 4 }] });
});
