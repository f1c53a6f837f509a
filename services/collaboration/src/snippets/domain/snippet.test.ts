import { applyActions, checkDescription, checkFiles, checkTitle } from './snippet';

const action = (name: string, path: string, given: { previousPath?: string; content?: string } = {}) => ({
  action: name,
  path,
  previousPath: '',
  content: undefined,
  ...given,
});

describe('files of a snippet', () => {
  it('are made, changed, moved and deleted in turn', () => {
    const files = [{ path: 'a', content: '1' }];
    expect(
      applyActions(files, [
        action('create', 'b', { content: '2' }),
        action('update', 'a', { content: '3' }),
        action('move', 'c', { previousPath: 'b' }),
        action('delete', 'a'),
      ]),
    ).toEqual([{ path: 'c', content: '2' }]);
    expect(applyActions(files, [action('update', '', { content: 'x' })])).toEqual([{ path: 'a', content: 'x' }]);
    expect(applyActions(files, [action('move', 'b')])).toEqual([{ path: 'b', content: '1' }]);
  });

  it.each([
    [[]],
    [[{ path: '', content: 'x' }]],
    [[{ path: '../x', content: 'x' }]],
    [[{ path: 'a/\u200b', content: 'x' }]],
    [[{ path: 'a', content: '' }]],
    [
      [
        { path: 'a', content: 'x' },
        { path: 'a', content: 'y' },
      ],
    ],
    [Array.from({ length: 11 }, (_, at) => ({ path: `f${at}`, content: 'x' }))],
  ])('are refused: %j', (files) => {
    expect(() => checkFiles(files)).toThrow(expect.objectContaining({ kind: 'invalid' }));
  });

  it('are refused when an action names none of them', () => {
    for (const wrong of [
      action('update', 'nope'),
      action('delete', 'nope'),
      action('explode', 'a'),
      action('delete', 'a'),
    ])
      expect(() => applyActions([{ path: 'a', content: '1' }], [wrong])).toThrow();
  });
});

it('a title has 1 to 255 characters', () => {
  checkTitle('🙂'.repeat(255));
  for (const bad of ['', ' ', 'x'.repeat(256)]) expect(() => checkTitle(bad)).toThrow();
});

it('a description has at most 1,048,576 characters', () => {
  for (const good of [undefined, '', '🙂'.repeat(1_048_576)]) checkDescription(good);
  expect(() => checkDescription('x'.repeat(1_048_577))).toThrow(expect.objectContaining({ kind: 'invalid' }));
});
