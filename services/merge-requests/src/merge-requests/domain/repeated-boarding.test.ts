import { addToMergeTrain, mergeWhenChecksPass, onMergeTrain } from './auto-merge';
import type { MergeRequest } from './merge-request';
import { repeatedBoarding } from './repeated-boarding';

const sha = 'a'.repeat(40);
const aboard = {
  state: 'opened',
  autoMergeStrategy: onMergeTrain,
  autoMergeUserId: 7,
  autoMergeSha: sha,
  sourceSha: sha,
  squash: false,
} as MergeRequest;
const scheduled = { ...aboard, autoMergeStrategy: addToMergeTrain };
const request = { userId: 7, squash: undefined, autoMerge: false };

test.each<[string, MergeRequest, object, string | undefined]>([
  ['aboard, the same', aboard, {}, 'added'],
  ['aboard, being merged', { ...aboard, state: 'locked' }, {}, 'added'],
  ['aboard, after it was scheduled by the same', aboard, { autoMerge: true }, 'added'],
  ['aboard, with the squash that it has', aboard, { squash: false }, 'added'],
  ['aboard, with another squash', aboard, { squash: true }, undefined],
  ['aboard, another user', aboard, { userId: 8 }, undefined],
  ['aboard, another head since', { ...aboard, sourceSha: 'b'.repeat(40) }, {}, undefined],
  ['aboard, the head is gone', { ...aboard, autoMergeSha: undefined, sourceSha: undefined }, {}, undefined],
  ['scheduled, the same', scheduled, { autoMerge: true }, 'scheduled'],
  ['scheduled, now at once', scheduled, {}, undefined],
  ['scheduled, another user', scheduled, { autoMerge: true, userId: 8 }, undefined],
  ['scheduled, another head since', { ...scheduled, autoMergeSha: 'b'.repeat(40) }, { autoMerge: true }, undefined],
  [
    'set to merge without a train',
    { ...aboard, autoMergeStrategy: mergeWhenChecksPass },
    { autoMerge: true },
    undefined,
  ],
  ['on no train', { ...aboard, autoMergeStrategy: undefined }, {}, undefined],
  ['merged', { ...aboard, state: 'merged' }, {}, undefined],
])('repeated boarding: %s (G-4.1-4)', (_what, mergeRequest, given, outcome) => {
  expect(repeatedBoarding(mergeRequest, { ...request, ...given })).toBe(outcome);
});
