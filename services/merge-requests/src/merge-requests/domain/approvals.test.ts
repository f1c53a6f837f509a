import {
  approvalsLostByPush,
  decideApproval,
  decideReset,
  decideReview,
  decideUnapproval,
  mayApprove,
} from './approval-change';
import {
  type ApprovalFacts,
  type ApprovalRuleFacts,
  approvalsLeft,
  approvalsRequired,
  isOverridden,
  requirementsOf,
} from './approvals';
import { decideCarIntent, decideIntent } from './landing-change';
import type { MergeRequest } from './merge-request';
import type { MergePlan, ReviewedMergeRequest } from './merge-request-change';

const author = 1;
const settings: ApprovalFacts['settings'] = {
  required: true,
  beforeMerge: 0,
  byAuthor: false,
  notByCommitters: false,
  resetOnPush: true,
  overridingDisabled: false,
};
const by = (...ids: number[]): ApprovalFacts['approvals'] =>
  ids.map((userId) => ({ userId, at: new Date(userId), eligible: true }));
const rule = (id: number, more: Partial<ApprovalRuleFacts> = {}): ApprovalRuleFacts => ({
  id,
  own: false,
  type: 'regular',
  name: `rule ${id}`,
  required: 1,
  branches: undefined,
  approvedBy: [],
  ...more,
});
const facts = (more: Partial<ApprovalFacts> = {}, own: Partial<ApprovalFacts['settings']> = {}): ApprovalFacts => ({
  approvals: [],
  rules: [],
  ...more,
  settings: { ...settings, ...own },
});
const mr = { authorId: author, targetBranch: 'main', approvalsBeforeMerge: undefined };
const locked = (approval: ApprovalFacts, more: Partial<MergeRequest> = {}): ReviewedMergeRequest => ({
  mergeRequest: { id: 7, lockVersion: 3, state: 'opened', sourceSha: 'head', ...mr, ...more } as MergeRequest,
  assigneeIds: [],
  reviewerIds: [],
  labelIds: [],
  approval,
  changesRequested: false,
  openBlocks: 0,
  planned: undefined,
});
const bob = { userId: 2, eligible: true, committed: false };

describe('what a merge request needs', () => {
  test.each<[string, number, number, ApprovalFacts, { approvalsBeforeMerge?: number }]>([
    ['nothing', 0, 0, facts(), {}],
    ['the number of its project', 2, 1, facts({ approvals: by(2) }, { beforeMerge: 2 }), {}],
    [
      'its own number where that is greater',
      3,
      2,
      facts({ approvals: by(2) }, { beforeMerge: 2 }),
      { approvalsBeforeMerge: 3 },
    ],
    ['no smaller one of its own', 2, 2, facts({}, { beforeMerge: 2 }), { approvalsBeforeMerge: 1 }],
    [
      'none of its own where the project forbids it',
      1,
      1,
      facts({}, { beforeMerge: 1, overridingDisabled: true }),
      { approvalsBeforeMerge: 3 },
    ],
    ['nothing in the free tier', 0, 0, facts({ rules: [rule(1)] }, { required: false, beforeMerge: 2 }), {}],
    ['no approval of its author', 1, 1, facts({ approvals: by(author) }, { beforeMerge: 1 }), {}],
    [
      'one of its author where the project says so',
      1,
      0,
      facts({ approvals: by(author) }, { beforeMerge: 1, byAuthor: true }),
      {},
    ],
    [
      'none of who lost the project',
      1,
      1,
      facts({ approvals: [{ userId: 2, at: new Date(0), eligible: false }] }, { beforeMerge: 1 }),
      {},
    ],
    ['those whom a rule names', 1, 1, facts({ approvals: by(2), rules: [rule(1, { approvedBy: [3] })] }), {}],
    [
      'each of its rules',
      3,
      1,
      facts({ approvals: by(2, 3), rules: [rule(1, { approvedBy: [2] }), rule(2, { required: 2, approvedBy: [3] })] }),
      {},
    ],
    [
      'anyone, by the greater of rule and number',
      3,
      2,
      facts({ approvals: by(2), rules: [rule(1, { type: 'any_approver' })] }, { beforeMerge: 3 }),
      {},
    ],
    [
      'rules of its target branch',
      1,
      1,
      facts({ rules: [rule(1, { branches: ['ma*'] }), rule(2, { branches: ['release/*'] })] }),
      {},
    ],
    [
      'its own rules in place of those of the project',
      2,
      2,
      facts({ rules: [rule(1), rule(2, { own: true, required: 2 })] }),
      {},
    ],
    [
      'those of the project where it may have none',
      1,
      1,
      facts({ rules: [rule(1), rule(2, { own: true, required: 2 })] }, { overridingDisabled: true }),
      {},
    ],
  ])('%s', (_, required, left, given, more) => {
    expect(approvalsRequired({ ...mr, ...more }, given)).toBe(required);
    expect(approvalsLeft({ ...mr, ...more }, given)).toBe(left);
  });

  test('says which rule lacks how many', () => {
    const given = facts({
      approvals: by(2),
      rules: [rule(1, { required: 2, approvedBy: [2] }), rule(2, { own: false })],
    });
    expect(requirementsOf(mr, given)).toMatchObject([
      { rule: { id: 1 }, approvedBy: [2], left: 1 },
      { rule: { id: 2 }, approvedBy: [], left: 1 },
    ]);
    expect(isOverridden(given)).toBe(false);
  });
});

describe('an approval', () => {
  test.each<[boolean, string, ReviewedMergeRequest, Partial<typeof bob>]>([
    [true, 'of a Developer', locked(facts()), {}],
    [false, 'of who may not', locked(facts()), { eligible: false }],
    [false, 'given before', locked(facts({ approvals: by(2) })), {}],
    [false, 'of the author', locked(facts()), { userId: author }],
    [true, 'of the author where the project says so', locked(facts({}, { byAuthor: true })), { userId: author }],
    [true, 'of who committed', locked(facts()), { committed: true }],
    [
      false,
      'of who committed where the project forbids it',
      locked(facts({}, { notByCommitters: true })),
      { committed: true },
    ],
    [false, 'of a merged one', locked(facts(), { state: 'merged' }), {}],
    [false, 'of one that is being merged', locked(facts(), { state: 'locked' }), {}],
  ])('is allowed: %p, %s', (may, _, given, more) => {
    expect(mayApprove(given, { ...bob, ...more })).toBe(may);
    const decide = () => decideApproval(given, { ...bob, ...more }, undefined);
    if (may) expect(decide()).toMatchObject({ approvals: { added: more.userId ?? 2 } });
    else expect(decide).toThrow(expect.objectContaining({ kind: 'unauthorized' }));
  });

  test('is of the head that it names, and has a waiting merge go on', () => {
    expect(() => decideApproval(locked(facts()), bob, 'other')).toThrow(expect.objectContaining({ kind: 'conflict' }));
    expect(decideApproval(locked(facts()), bob, 'head')).toMatchObject({ jobs: [] });
    const waiting = locked(facts(), { autoMergeStrategy: 'merge_when_checks_pass' });
    expect(decideApproval(waiting, bob, undefined).jobs).toEqual([{ kind: 'auto_merge', mergeRequestId: 7 }]);
  });

  test('is taken back by who gave it, of an open merge request', () => {
    const given = facts({ approvals: by(2) });
    expect(decideUnapproval(locked(given), 2)).toMatchObject({ approvals: { removed: [2] } });
    expect(() => decideUnapproval(locked(given), 3)).toThrow(expect.objectContaining({ kind: 'not_found' }));
    expect(() => decideUnapproval(locked(given, { state: 'closed' }), 2)).toThrow(
      expect.objectContaining({ kind: 'unauthorized' }),
    );
    expect(decideReset(locked(given))).toMatchObject({ approvals: { removed: [2] } });
    expect(decideReset(locked(facts()))).toBeUndefined();
  });

  test('goes with a push as the project says', () => {
    const approvals = by(2, 3);
    expect(approvalsLostByPush(locked(facts({ approvals })), 3)).toEqual([2, 3]);
    expect(approvalsLostByPush(locked(facts({ approvals }, { resetOnPush: false })), 3)).toEqual([]);
    expect(approvalsLostByPush(locked(facts({ approvals }, { resetOnPush: false, notByCommitters: true })), 3)).toEqual(
      [3],
    );
  });
});

describe('a review', () => {
  const given = { ...locked(facts({ approvals: by(2) })), reviewerIds: [2] };

  test('requests changes in place of an approval, or was made', () => {
    expect(decideReview(given, 2, 'requested_changes')).toMatchObject({
      approvals: { removed: [2] },
      reviews: [{ userId: 2, state: 'requested_changes' }],
      facts: [{ act: 'changes_requested' }],
    });
    expect(decideReview(given, 2, 'reviewed').approvals).toBeUndefined();
  });

  test('is of a reviewer, while the merge request is open', () => {
    expect(() => decideReview(given, 3, 'reviewed')).toThrow(expect.objectContaining({ kind: 'not_found' }));
    const closed = { ...locked(facts(), { state: 'closed' }), reviewerIds: [2] };
    expect(() => decideReview(closed, 2, 'reviewed')).toThrow(expect.objectContaining({ kind: 'unauthorized' }));
  });
});

describe('the commit of a merge', () => {
  const now = new Date(0);
  const plan = { newSha: 'new', movesTo: 'new' } as MergePlan;
  const merge = (given: ReviewedMergeRequest) =>
    decideIntent(given, plan, { targetBranch: 'main', onlyWhile: undefined, now });
  const land = (given: ReviewedMergeRequest) => decideCarIntent(given, { ...plan, carId: 4 }, now);
  const approved = facts({ approvals: by(2) }, { beforeMerge: 1 });

  test('looks once more at approvals, requested changes and blocks', () => {
    expect(merge(locked(approved))).toMatchObject({ patch: { state: 'locked' } });
    expect(land(locked(approved))).toMatchObject({ patch: { state: 'locked' } });
    for (const given of [
      locked(facts({}, { beforeMerge: 1 })),
      { ...locked(approved), changesRequested: true },
      { ...locked(approved), openBlocks: 1 },
    ]) {
      expect(() => merge(given)).toThrow(expect.objectContaining({ kind: 'not_allowed' }));
      expect(land(given)).toBeUndefined();
    }
  });
});
