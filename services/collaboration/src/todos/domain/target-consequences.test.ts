import type { TrainRemoval, TrainStateChange } from '../../merge-requests';
import { consequencesOf, type TargetEvent, type TargetFact } from './target-consequences';

const none = { usernames: [], directlyAddressed: [] };

const event = (fact: TargetFact, given: Partial<TargetEvent> = {}): TargetEvent => ({
  target: { type: 'MergeRequest', id: 9, iid: 3, projectId: 5 },
  authorId: 1,
  actorId: 2,
  imported: false,
  fact,
  ...given,
});

describe('what follows from a merge request', () => {
  it('raises to-dos for assignees, reviewers and mentioned users when it is opened', () => {
    const mentions = { usernames: ['ada', 'Bob'], directlyAddressed: ['bob', 'eve'] };
    expect(consequencesOf(event({ kind: 'created', assigneeIds: [4], reviewerIds: [5, 6], mentions }))).toEqual({
      removeAll: false,
      resolveFor: undefined,
      raise: [
        { action: 'assigned', to: { ids: [4] }, authorId: 2 },
        { action: 'review_requested', to: { ids: [5, 6] }, authorId: 2 },
        { action: 'directly_addressed', to: { usernames: ['bob', 'eve'] }, authorId: 2 },
        { action: 'mentioned', to: { usernames: ['ada'] }, authorId: 2 },
      ],
    });
  });

  it('takes an edit as an activity of its editor, and raises to-dos only for added users', () => {
    const fact: TargetFact = { kind: 'updated', addedAssigneeIds: [2], addedReviewerIds: [], mentions: none };
    expect(consequencesOf(event(fact))).toEqual({
      removeAll: false,
      resolveFor: 2,
      raise: [{ action: 'assigned', to: { ids: [2] }, authorId: 2 }],
    });
  });

  it('resolves the to-dos of the actor, and none without an actor', () => {
    expect(consequencesOf(event({ kind: 'acted' }))).toMatchObject({ resolveFor: 2, raise: [] });
    expect(consequencesOf(event({ kind: 'approval_requested', userIds: [5] }))).toMatchObject({
      resolveFor: undefined,
      raise: [{ action: 'approval_required', to: { ids: [5] }, authorId: 2 }],
    });
    const { authorId } = event({ kind: 'reviewed' });
    expect(consequencesOf(event({ kind: 'reviewed' }))).toMatchObject({
      resolveFor: 2,
      raise: [{ action: 'review_submitted', to: { ids: [authorId] }, authorId: 2 }],
    });
    expect(consequencesOf(event({ kind: 'reviewed' }, { actorId: authorId })).raise).toEqual([]);
    expect(consequencesOf(event({ kind: 'acted' }, { actorId: 0 }))).toMatchObject({ resolveFor: undefined });
  });

  it('notifies the author and the user of auto-merge of a failed pipeline and of a conflict', () => {
    expect(consequencesOf(event({ kind: 'pipeline_failed', mergeUserId: 0 })).raise).toEqual([
      { action: 'build_failed', to: { ids: [1] }, authorId: undefined },
    ]);
    expect(consequencesOf(event({ kind: 'became_unmergeable', mergeUserId: 7 })).raise).toEqual([
      { action: 'unmergeable', to: { ids: [1, 7] }, authorId: undefined },
    ]);
    expect(consequencesOf(event({ kind: 'became_unmergeable', mergeUserId: 1 })).raise[0]?.to).toEqual({
      ids: [1],
    });
  });

  it('raises nothing for imported history, yet removes the to-dos of what is deleted', () => {
    const mentions = { usernames: ['ada'], directlyAddressed: [] };
    const created: TargetFact = { kind: 'created', assigneeIds: [4], reviewerIds: [], mentions };
    expect(consequencesOf(event(created, { imported: true }))).toEqual({
      removeAll: false,
      resolveFor: undefined,
      raise: [],
    });
    expect(consequencesOf(event({ kind: 'deleted' }, { imported: true }))).toMatchObject({ removeAll: true });
  });

  describe('off a merge train', () => {
    const left = (reason: TrainRemoval['reason'], addedById = 7): TargetFact => ({
      kind: 'train_removed',
      entryId: 31,
      addedById,
      removal: { targetBranch: 'main', reason },
    });
    const raised = (reason: TrainRemoval['reason'], given: Partial<TargetEvent> = {}, addedById = 7) =>
      consequencesOf(event(left(reason, addedById), given)).raise;

    it('notifies the author and the user who added it, with the reason, once for each entry', () => {
      expect(raised('pipeline_failed', { actorId: 0 })).toEqual([
        {
          action: 'merge_train_removed',
          to: { ids: [1, 7] },
          authorId: 7,
          cause: 'merge_train_entry:31',
          body: 'Removed from the merge train for `main` because its pipeline failed.',
        },
      ]);
      expect(raised('pushed')[0]).toMatchObject({ to: { ids: [1, 7] }, authorId: 2 });
      expect(raised('closed', { actorId: 1 }, 1)[0]).toMatchObject({ to: { ids: [1] } });
    });

    it('notifies users who removed it by hand as well (G-4.1-5)', () => {
      expect(raised('canceled', { actorId: 7 })[0]).toMatchObject({
        to: { ids: [1, 7] },
        body: 'Removed from the merge train for `main`.',
      });
      expect(raised('canceled', { actorId: 1 }, 1)[0]?.to).toEqual({ ids: [1] });
      expect(raised('canceled', { actorId: 2 })[0]?.to).toEqual({ ids: [1, 7] });
    });

    it('notifies no one where nothing is left to do', () => {
      expect(raised('merged_by_push')).toEqual([]);
      expect(raised('skipped')).toEqual([]);
    });
  });

  it('notifies the author and the user who added it of each overtaking, but not the actor', () => {
    const overtaken = (actorId: number) =>
      consequencesOf(
        event(
          {
            kind: 'train_overtaken',
            eventId: 'e1',
            addedById: 7,
            overtaking: { targetBranch: 'main', position: 3, byIid: 8 },
          },
          { actorId },
        ),
      );
    expect(overtaken(2)).toEqual({
      removeAll: false,
      // The actor did nothing to this merge request: their to-dos on it stay.
      resolveFor: undefined,
      raise: [
        {
          action: 'mentioned',
          to: { ids: [1, 7] },
          authorId: 2,
          cause: 'e1',
          body: '!8 was put ahead of this merge request on the merge train for `main`. It is now at position 3, and its tests start again.',
        },
      ],
    });
    expect(overtaken(1).raise[0]?.to).toEqual({ ids: [7] });
  });

  it('notifies Maintainers once that a train stopped itself, and no one of what a user did', () => {
    const changed = (given: Partial<TrainStateChange>, firstCar = true, actorId = 0) => {
      const change: TrainStateChange = {
        targetBranch: 'main',
        state: 'paused',
        reason: '',
        until: undefined,
        targetFailing: true,
        statusNames: ['unit'],
        ...given,
      };
      return consequencesOf(event({ kind: 'train_state_changed', eventId: 'e1', change, firstCar }, { actorId }));
    };
    const nothing = { removeAll: false, resolveFor: undefined, raise: [] };
    expect(changed({}).raise).toEqual([
      {
        action: 'build_failed',
        to: { membersFrom: 40 },
        authorId: undefined,
        cause: 'e1',
        body: expect.stringMatching(/^The merge train for `main` stopped itself, because .* fail `unit`\./),
      },
    ]);
    expect(changed({}, false)).toEqual(nothing);
    expect(changed({ state: 'running' })).toEqual(nothing);
    expect(changed({ targetFailing: false }, true, 2)).toEqual(nothing);
  });
});
