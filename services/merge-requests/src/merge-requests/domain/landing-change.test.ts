import { landedTogether } from './landing-change';
import type { MergePlan } from './merge-request-change';

const plan = (id: number, oldSha: string, newSha: string): { plan: MergePlan; iid: number } => ({
  iid: 10 + id,
  plan: {
    mergeRequestId: id,
    projectId: 1,
    targetBranch: 'main',
    oldSha,
    newSha,
    movesFrom: 'base',
    movesTo: 'tip',
    sourceSha: `source${id}`,
    mergeCommitSha: newSha,
    squashCommitSha: undefined,
    actorId: 3,
    removeSourceBranch: false,
    createdAt: new Date(0),
    treeSha: `tree of ${newSha}`,
    method: 'merge',
    squash: false,
    carId: id,
    skipsTrain: false,
  },
});

test('what lands by one move is in the order of its commits, whatever the ids say (D8)', () => {
  const landed = landedTogether([plan(1, 'two', 'tip'), plan(2, 'base', 'one'), plan(3, 'one', 'two')]);
  expect(landed.map(({ newSha }) => newSha)).toEqual(['one', 'two', 'tip']);
  for (const { batchIids, testedTree } of landed) {
    expect(batchIids).toEqual([12, 13, 11]);
    expect(testedTree).toBe('tree of tip');
  }
});

test('one alone is no batch (D8)', () => {
  expect(landedTogether([plan(1, 'base', 'tip')])).toMatchObject([{ batchIids: [], testedTree: 'tree of tip' }]);
});
