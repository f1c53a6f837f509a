import { pickedMessage, pickRefusal } from './picked-commit';

const commit = { id: 'c0ffee', title: 'Fix it', message: 'Fix it\n\nIt was broken.\n' };

test('a picked commit names where it comes from', () => {
  expect(pickedMessage('cherry-pick', commit)).toBe('Fix it\n\nIt was broken.\n\n(cherry picked from commit c0ffee)');
  expect(pickedMessage('revert', commit)).toBe('Revert "Fix it"\n\nThis reverts commit c0ffee.');
});

test.each([
  ['cherry-pick', /^Sorry, we cannot cherry-pick .* already have been cherry-picked, or a more recent/],
  ['revert', /^Sorry, we cannot revert .* already have been reverted, or a more recent/],
] as const)('the refusal of a %s is in the words of GitLab', (kind, words) => {
  expect(pickRefusal(kind)).toMatch(words);
});
