import type { Issue } from './issue';
import type { LockedIssue } from './issue-change';
import { decideDeletion } from './issue-change';
import { decideMove } from './issue-move';

const now = new Date('2026-01-02T03:04:05Z');
const locked = (given: Partial<Issue> = {}): LockedIssue => ({
  issue: { id: 1, title: 'Old', state: 'opened', alertId: 9, updatedAt: now, ...given } as Issue,
  assigneeIds: [1, 2, 3],
  labelIds: [10],
  epicId: undefined,
});
const target = { projectId: 7, labelIds: [20], milestoneId: undefined, readers: [3, 1] };
const by = { actorId: 5, copy: { internal: true, rewritten: String }, now };
const replacement = { id: 2, iid: 4, projectId: 7 };

describe('a move of an issue', () => {
  it('opens a copy with what the other project has, and closes the old one', () => {
    const move = decideMove(locked(), target, by);
    expect(move.replacement).toMatchObject({ projectId: 7, assigneeIds: [1, 3], labelIds: [20], alertId: 9 });
    expect(move.changeOld(replacement)).toEqual({
      patch: { movedToId: 2, state: 'closed', closedById: 5, closedAt: now },
      participants: [5],
      facts: [{ kind: 'moved', to: replacement }, { kind: 'closed' }],
    });
  });

  it('leaves a closed one closed, and refuses one that was moved', () => {
    expect(decideMove(locked({ state: 'closed' }), target, by).changeOld(replacement)).toMatchObject({
      patch: { movedToId: 2 },
      facts: [{ kind: 'moved' }],
    });
    expect(() => decideMove(locked({ movedToId: 2 }), target, by)).toThrow('moved already');
  });
});

it('a deletion is refused when the issue changed later, by whole seconds', () => {
  const changed = locked({ updatedAt: new Date('2026-01-02T03:04:05.900Z') });
  expect(decideDeletion(changed, now)).toEqual({ deletes: true, facts: [{ kind: 'deleted' }] });
  expect(() => decideDeletion(changed, new Date(now.getTime() - 1_000))).toThrow();
});
