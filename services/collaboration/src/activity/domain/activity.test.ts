import { activityOfComment, activityOfIssuable, activityOfMilestone, activityOfPush, type RefMove } from './activity';

const at = new Date('2026-01-02T03:04:05.678Z');
const move = (given: Partial<RefMove>): RefMove => ({
  eventId: 'repository.pushed:1',
  projectId: 5,
  authorId: 2,
  refName: 'main',
  refType: 'branch',
  action: 'pushed',
  before: 'a'.repeat(40),
  after: 'b'.repeat(40),
  commitCount: 1,
  commitTitle: 'First',
  pushId: 'p',
  refCount: 3,
  pushedAt: at,
  ...given,
});

it('three refs of a push are shown one by one, four as one activity (G-4.8-7)', () => {
  expect(activityOfPush(move({})).add).toMatchObject({
    cause: 'repository.pushed:1',
    push: { single: { ref: 'main' } },
  });
  const [one, other] = ['x', 'y'].map((refName) => activityOfPush(move({ refName, eventId: refName, refCount: 4 })));
  expect(one).toEqual(other);
  expect(one?.add).toMatchObject({ cause: 'push:p:branch:pushed', push: { refCount: 4 } });
  expect(one?.add?.push).not.toHaveProperty('single');
  expect(activityOfPush(move({ refCount: 4, pushId: '' })).add?.push?.single).toBeDefined();
  expect(activityOfPush(move({ authorId: 0 }))).toEqual({});
});

it('without an actor it is the author’s; a deletion removes all of its activities', () => {
  const done = {
    eventId: 'e',
    type: 'issue',
    id: 9,
    iid: 3,
    projectId: 5,
    authorId: 1,
    actorId: 0,
    title: 'T',
  } as const;
  expect(activityOfIssuable({ ...done, action: 'closed', imported: false, at }).add).toMatchObject({ authorId: 1 });
  expect(activityOfIssuable({ ...done, action: 'deleted', imported: false, at })).toEqual({
    forget: { type: 'issue', id: 9 },
  });
});

it('a note of a thread is not shown; a comment on a commit belongs to itself', () => {
  const done = { eventId: 'e', noteId: 7, noteableIid: 0, noteableTitle: 'T', projectId: 5, authorId: 2, at } as const;
  const onCommit = { ...done, noteableKind: 'Commit', noteableId: 0, action: 'written' } as const;
  expect(activityOfComment({ ...onCommit, inThread: true })).toEqual({});
  expect(activityOfComment({ ...onCommit, inThread: false }).add?.subject).toEqual({ type: 'repository', id: 7 });
  expect(activityOfComment({ ...onCommit, inThread: false, noteableKind: 'Epic' })).toEqual({});
});

it('that a milestone was destroyed outlives it', () => {
  const done = { eventId: 'e', id: 6, iid: 1, projectId: 5, userId: 2, title: 'M', action: 'deleted', at } as const;
  expect(activityOfMilestone(done)).toMatchObject({
    forget: { type: 'milestone', id: 6 },
    add: { action: 'destroyed', subject: { type: 'project', id: 0 } },
  });
});
