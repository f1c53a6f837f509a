import { allowedPeople, checkMergeRequestFields, isDraftTitle, squashes } from './merge-request';

test.each([
  ['Draft: x', true],
  ['draft:x', true],
  ['[Draft] x', true],
  ['(Draft) x', true],
  [' Draft: x', true],
  ['Drafty x', false],
  ['x Draft: y', false],
  ['WIP: x', false],
])('%j is a draft: %p', (title, draft) => {
  expect(isDraftTitle(title)).toBe(draft);
});

test.each([
  ['never', true, false],
  ['always', false, true],
  ['default_on', undefined, true],
  ['default_on', false, false],
  ['default_off', undefined, false],
  ['default_off', true, true],
] as const)('%s with %p squashes: %p', (option, asked, result) => {
  expect(squashes(option, asked)).toBe(result);
});

test('every problem is reported at once', () => {
  expect(() =>
    checkMergeRequestFields({ title: 'x'.repeat(256), description: 'y'.repeat(1_048_577), assignees: 201 }),
  ).toThrow(
    expect.objectContaining({
      body: {
        message: {
          title: ['is too long (maximum is 255 characters)'],
          description: ['is too long (maximum is 1048576 characters)'],
          assignees: ['total must be less than or equal to 200'],
        },
      },
    }),
  );
  expect(() => checkMergeRequestFields({ title: '👍'.repeat(255), description: '' })).not.toThrow();
});

test('the free tier keeps the first of each', () => {
  expect(allowedPeople('free', [0, 3, 3, 4])).toEqual([3]);
  expect(allowedPeople('premium', [3, 4, 3])).toEqual([3, 4]);
});
