import { type MergeRequestNoteFact, systemNotesOf } from './merge-request-system-note';

const update = (given: Partial<Extract<MergeRequestNoteFact, { kind: 'updated' }>>): MergeRequestNoteFact => ({
  kind: 'updated',
  title: 'Faster',
  addedAssigneeIds: [],
  removedAssigneeIds: [],
  addedReviewerIds: [],
  removedReviewerIds: [],
  changedFields: [],
  timeChanges: [],
  ...given,
});

const said = (fact: MergeRequestNoteFact, actorId = 2) =>
  systemNotesOf(actorId, fact).map(({ action, authorId, parts }) => [
    action,
    authorId,
    parts.map((part) => (typeof part === 'string' ? part : `@${part.userId}`)).join(''),
  ]);

describe('system notes of a merge request', () => {
  it('report an edit, with a note for each kind of change', () => {
    const fact = update({
      title: 'Draft: *Faster*',
      changedFields: ['title', 'draft', 'description', 'target_branch', 'assignees', 'reviewers'],
      addedAssigneeIds: [3, 4, 5],
      removedAssigneeIds: [6],
      removedReviewerIds: [7],
    });
    expect(said(fact)).toEqual([
      ['title', 2, 'changed the title to **Draft: \\*Faster\\***'],
      ['draft', 2, 'marked this merge request as **draft**'],
      ['description', 2, 'changed the description'],
      ['branch', 2, 'changed the target branch'],
      ['assignee', 2, 'assigned to @3, @4 and @5 and unassigned @6'],
      ['reviewer', 2, 'removed the review request for @7'],
    ]);
  });

  it('report durations as users write them', () => {
    const timeChanges = [
      { field: 'time_estimate', old: 0, new: 12_600 },
      { field: 'time_spent', old: 3_600, new: 1_800 },
      { field: 'something_else', old: 0, new: 1 },
    ];
    expect(said(update({ timeChanges }))).toEqual([
      ['time_estimate', 2, 'changed the time estimate to 3h 30m'],
      ['time_spent', 2, 'subtracted 30m of time spent'],
    ]);
    const reset = timeChanges.map((change) => ({ ...change, new: 0 }));
    expect(said(update({ timeChanges: reset })).map(([, , text]) => text)).toEqual([
      'removed the time estimate',
      'removed the time spent',
    ]);
  });

  it('report which commits a push added or removed', () => {
    const push = { oldSha: 'a'.repeat(40), newSha: 'b'.repeat(40), commits: 1, rewritten: false };
    const text = (given: Partial<typeof push>) =>
      said({ kind: 'pushed', push: { ...push, ...given } }).map((note) => note[2])[0];
    expect(text({})).toBe('added 1 commit (aaaaaaaa...bbbbbbbb)');
    expect(text({ commits: 10_001 })).toBe('added more than 10,000 commits (aaaaaaaa...bbbbbbbb)');
    expect(text({ commits: 2, rewritten: true })).toBe('rewrote the branch and added 2 commits (aaaaaaaa...bbbbbbbb)');
    expect(text({ commits: 0, rewritten: true })).toBe('took commits away (aaaaaaaa...bbbbbbbb)');
    expect(said({ kind: 'pushed', push: undefined })).toEqual([]);
    expect(said(update({ discussionLocked: false }))).toEqual([['discussion_locked', 2, 'unlocked the discussion']]);
  });

  it('leave labels and milestones to others (api.md section 2)', () => {
    expect(said(update({ changedFields: ['labels', 'milestone'] }))).toEqual([]);
  });

  it('report approvals', () => {
    expect(said({ kind: 'reviewed', review: 'approved' })).toEqual([['approved', 2, 'approved this merge request']]);
    expect(said({ kind: 'reviewed', review: 'unapproved' })).toEqual([
      ['unapproved', 2, 'unapproved this merge request'],
    ]);
    expect(said({ kind: 'reviewed', review: 'requested_changes' })).toEqual([
      ['requested_changes', 2, 'requested changes'],
    ]);
  });

  it('report changes of the train', () => {
    const addition = { targetBranch: 'main', position: 3, first: false, moved: false };
    expect(said({ kind: 'train_added', addition })).toEqual([
      ['merge_train', 2, 'added this merge request to the merge train for `main` at position 3'],
    ]);
    const removed = (reason: 'canceled' | 'pipeline_failed', actorId: number) =>
      said({ kind: 'train_removed', removal: { targetBranch: 'main', reason }, addedById: 9 }, actorId);
    expect(removed('canceled', 2)).toEqual([
      ['merge_train', 2, 'removed this merge request from the merge train for `main`'],
    ]);
    expect(removed('pipeline_failed', 0)).toEqual([
      ['merge_train', 9, 'removed this merge request from the merge train for `main` because its pipeline failed'],
    ]);
  });

  it('report that it was overtaken, and mention the users whom that concerns', () => {
    const overtaken = (userIds: number[]) =>
      said({ kind: 'train_overtaken', overtaking: { targetBranch: 'main', position: 3, byIid: 7 }, userIds });
    const text =
      'put !7 ahead of this merge request on the merge train for `main`. It is now at position 3, and its tests start again.';
    expect(overtaken([4, 5])).toEqual([['merge_train', 2, `${text} This concerns @4 and @5.`]]);
    expect(overtaken([])).toEqual([['merge_train', 2, text]]);
  });

  it('report what a train does, in the name of the user who added the merge request where the train did it', () => {
    const change = {
      targetBranch: 'main',
      state: 'running',
      reason: '',
      until: undefined,
      targetFailing: false,
      statusNames: [],
    } as const;
    const fact: MergeRequestNoteFact = { kind: 'train_state_changed', change, addedById: 9 };
    expect(said(fact)).toEqual([['merge_train', 2, 'started the merge train for `main` again']]);
    expect(said(fact, 0)).toEqual([['merge_train', 9, 'the merge train for `main` runs again']]);
  });

  it.each([
    ['set', true, '', 'enabled adding this merge request to the merge train automatically when its checks pass'],
    ['canceled', true, '', 'canceled adding this merge request to the merge train automatically'],
    [
      'aborted',
      true,
      'it broke',
      'aborted adding this merge request to the merge train automatically because it broke',
    ],
    ['set', false, '', 'enabled an automatic merge when its checks pass'],
    ['canceled', false, '', 'canceled the automatic merge'],
    ['aborted', false, '', 'aborted the automatic merge'],
  ] as const)('report auto-merge: %s, train %s', (change, mergeTrain, reason, text) => {
    const fact: MergeRequestNoteFact = { kind: 'auto_merge_changed', change, mergeTrain, setById: 9, reason };
    expect(said(fact, 0)).toEqual([['auto_merge', 9, text]]);
  });
});
