import { abortWords, type RemovalReason, removalNote, removalSentence } from './merge-train-removal';

test.each<[RemovalReason, string, string]>([
  ['pipeline_failed', ' because its pipeline failed', 'its pipeline failed'],
  ['pushed', ' because commits were pushed to its source branch', 'the source branch was updated'],
  ['canceled', '', 'it was canceled'],
  ['unspecified', '', ''],
])('the words of %s', (reason, removed, aborted) => {
  expect(removalNote(reason, 'main')).toBe(`removed this merge request from the merge train for \`main\`${removed}`);
  expect(removalSentence(reason, 'main')).toBe(`Removed from the merge train for \`main\`${removed}.`);
  expect(abortWords(reason)).toBe(aborted);
});
