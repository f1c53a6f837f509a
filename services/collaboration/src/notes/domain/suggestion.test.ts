import { isAppliable, maySuggest, type Suggestion, suggestedBlocks, suggestedContent } from './suggestion';

const only = (text: string) => {
  const blocks = suggestedBlocks(text);
  expect(blocks).toHaveLength(1);
  return blocks[0] as NonNullable<(typeof blocks)[0]>;
};

test.each([
  ['```suggestion\nx\n```', 0, 0, ['x']],
  ['```suggestion:-2+3\nx\ny\n```', 2, 3, ['x', 'y']],
  ['a\n\n``` suggestion:+1\r\nx\r\n```\r\nb', 0, 1, ['x']],
  ['```suggestion:-400+0\nx\n```', 100, 0, ['x']],
  ['~~~suggestion\n```\n~~~', 0, 0, ['```']],
  ['````suggestion:-1\n```js\nx\n```\n````', 1, 0, ['```js', 'x', '```']],
  ['  ```suggestion\n  x\n    y\n  ```', 0, 0, ['x', '  y']],
  ['```suggestion\nx', 0, 0, ['x']],
  ['```suggestion\n```', 0, 0, []],
])('%j suggests', (text, linesAbove, linesBelow, lines) => {
  expect(only(text)).toEqual({ linesAbove, linesBelow, lines });
});

test.each([
  '```js\nx\n```',
  '`suggestion`',
  '    ```suggestion\n',
  '```suggestions\nx\n```',
  '````\n```suggestion\nx\n```\n````',
])('%j suggests nothing', (text) => expect(suggestedBlocks(text)).toEqual([]));

test('every block of a text is one', () => {
  const block = '```suggestion\nx\n```\n';
  expect(suggestedBlocks(`${block}and\n${block}`)).toHaveLength(2);
});

test('what is suggested ends as the lines that it replaces', () => {
  const block = only('```suggestion\nx\ny\n```');
  expect(suggestedContent(block, 'a\n')).toBe('x\ny\n');
  expect(suggestedContent(block, 'a\r\nb\r\n')).toBe('x\r\ny\r\n');
  expect(suggestedContent(block, 'the end')).toBe('x\ny');
  expect(suggestedContent(only('```suggestion\n\n```'), 'a\n')).toBe('');
});

const position = {
  baseSha: 'a',
  startSha: 'a',
  headSha: 'b',
  positionType: 'text',
  oldPath: 'f',
  newPath: 'f',
  newLine: 1,
} as const;

test('notes at lines that are there after the change can suggest', () => {
  const mergeRequest = { kind: 'MergeRequest' } as const;
  expect(maySuggest(mergeRequest, position)).toBe(true);
  expect(maySuggest({ kind: 'Commit' }, position)).toBe(false);
  expect(maySuggest(mergeRequest, undefined)).toBe(false);
  expect(maySuggest(mergeRequest, { ...position, newLine: undefined, oldLine: 1 })).toBe(false);
  expect(maySuggest(mergeRequest, { ...position, commitId: 'b' })).toBe(false);
  expect(maySuggest(mergeRequest, { ...position, positionType: 'file' })).toBe(false);
});

test('what is applied, outdated, closed or no change cannot be applied', () => {
  const suggestion: Suggestion = {
    id: 1,
    linesAbove: 0,
    linesBelow: 0,
    fromContent: 'a\n',
    toContent: 'b\n',
    applied: false,
  };
  const now = { state: 'opened', headSha: 'b' };
  expect(isAppliable(suggestion, position, now)).toBe(true);
  expect(isAppliable({ ...suggestion, applied: true }, position, now)).toBe(false);
  expect(isAppliable({ ...suggestion, toContent: 'a\n' }, position, now)).toBe(false);
  expect(isAppliable(suggestion, position, { ...now, headSha: 'c' })).toBe(false);
  expect(isAppliable(suggestion, position, { ...now, state: 'merged' })).toBe(false);
});
