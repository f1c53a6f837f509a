import { onMergeTrain } from '../domain/auto-merge';
import type { MergeRequest } from '../domain/merge-request';
import type { LockedMergeRequest, MergeRequestChange } from '../domain/merge-request-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import { addCar } from './add-to-merge-train';

const seen = {
  id: 5,
  state: 'opened',
  sourceSha: 'a'.repeat(40),
  targetBranch: 'main',
  draft: false,
  squash: false,
  autoMergeStrategy: 'add_to_merge_train_when_checks_pass',
  autoMergeUserId: 7,
  autoMergeSha: 'a'.repeat(40),
} as MergeRequest;
const view = { mergeRequest: seen, settings: { squashOption: 'default_off' } } as MergeRequestView;

/** Joins the train while the locked row is `now`. */
async function boarding(now: Partial<MergeRequest>): Promise<MergeRequestChange | undefined> {
  let change: MergeRequestChange | undefined;
  const mergeRequests = {
    change: async (
      _id: number,
      _actor: number,
      decide: (locked: LockedMergeRequest) => MergeRequestChange | undefined,
    ) => {
      change = decide({ mergeRequest: { ...seen, ...now } } as LockedMergeRequest);
      return seen;
    },
  };
  await addCar({ mergeRequests } as unknown as Parameters<typeof addCar>[0], 7, view, {}, seen);
  return change;
}

it('joins the train in the name of the mark that was seen', async () => {
  expect(await boarding({})).toMatchObject({ patch: { autoMergeStrategy: onMergeTrain, autoMergeUserId: 7 } });
});

it.each<[string, Partial<MergeRequest>]>([
  ['taken back', { autoMergeStrategy: undefined, autoMergeUserId: undefined }],
  ['set again by another user', { autoMergeUserId: 8 }],
  ['pushed to', { sourceSha: 'b'.repeat(40) }],
  ['closed', { state: 'closed' }],
  ['marked as a draft', { draft: true }],
  ['retargeted', { targetBranch: 'stable' }],
])('does not addCar what was %s while the checks ran', async (_what, now) => {
  await expect(boarding(now)).rejects.toMatchObject({ kind: 'not_allowed' });
});

it('joins the train once', async () => {
  await expect(boarding({ autoMergeStrategy: onMergeTrain })).rejects.toMatchObject({ kind: 'conflict' });
});
