import { sql } from '@switchyard/database/sql';
import { issueEventId, issueEvents } from '@switchyard/events';
import { IssueEvent, IssueUpdated } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { TodoFilter } from '@switchyard/protos/collaboration/v1/todo';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import {
  MergeRequestAutoMergeChanged_Change as Change,
  type MergeRequestEvent,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { MergeTrainEntryRemoved_Reason as Reason } from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { eventually } from '@switchyard/testkit';
import { type Installation, type StoredTarget, startInstallation, updated } from '../support/installation';

type Fact = NonNullable<MergeRequestEvent['fact']>;

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let eve: DirectoryUser;
let project: DirectoryProject;
let iid = 0;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const group = directory.namespace();
  project = directory.project(group.id);
  [ada, bob, eve] = ['ada', 'bob', 'eve'].map((username) => directory.user({ username })) as [
    DirectoryUser,
    DirectoryUser,
    DirectoryUser,
  ];
  directory.member(ada.id, { namespaceId: group.id }, 40);
  directory.member(bob.id, { namespaceId: group.id }, 30);
  await here.startHere();
});

afterAll(() => here.close());

function mergeRequest(): StoredTarget {
  iid += 1;
  const target = { id: 1_000 + iid, iid, projectId: project.id, title: `Change ${iid}` };
  here.targets.set(target.id, target);
  return target;
}

const received = (id: string) =>
  eventually(async () => {
    expect(
      await here.db.query(sql`select 1 from events.inbox where consumer_group = 'collaboration' and event_id = ${id}`),
    ).toHaveLength(1);
  });

async function notesOf(target: StoredTarget) {
  const reply = await here.notes.listNotes(
    {
      noteable: { projectId: target.projectId, target: { $case: 'mergeRequestIid', value: target.iid } },
      activityFilter: '',
      page: PageRequest.fromPartial({ page: 1, perPage: 100, orderBy: 'created_at', descending: false }),
    },
    here.as(bob, { id: project.id, level: 30 }),
  );
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
  return JSON.parse(reply.json.toString()) as any[];
}

async function todosOf(user: DirectoryUser) {
  const reply = await here.todos.listTodos(
    { filter: TodoFilter.fromPartial({}), page: PageRequest.fromPartial({ page: 1, perPage: 100 }) },
    here.as(user),
  );
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
  return JSON.parse(reply.json.toString()) as any[];
}

const removed = (reason: Reason, addedById: number, entryId = 5): Fact => ({
  $case: 'mergeTrainEntryRemoved',
  value: { entryId, targetBranch: 'main', addedById, reason, pipelineId: 0 },
});

const about = (target: StoredTarget, authorId: number) => ({
  mergeRequest: { id: target.id, iid: target.iid, projectId: target.projectId, authorId, title: target.title },
});

describe('a merge request on a merge train', () => {
  it.each([
    ['a reason', { reason: '', abortReason: Reason.REASON_PUSHED }],
    ['the words of an earlier version', { reason: 'the source branch was updated' }],
  ])('says why its auto-merge was aborted, by %s', async (_name, why) => {
    const target = mergeRequest();
    const value = { change: Change.CHANGE_ABORTED, mergeTrain: false, setById: bob.id, ...why };
    await received(
      await here.publish(
        target,
        { $case: 'autoMergeChanged', value },
        { ...about(target, ada.id), actorId: 0, cause: 1 },
      ),
    );
    expect((await notesOf(target)).map((note) => [note.author.username, note.body])).toEqual([
      ['bob', 'aborted the automatic merge because the source branch was updated'],
    ]);
  });

  it('says where it stands, why it left, and what became of its auto-merge', async () => {
    const target = mergeRequest();
    const by = { ...about(target, ada.id), actorId: bob.id };
    await here.publish(
      target,
      {
        $case: 'autoMergeChanged',
        value: { change: Change.CHANGE_SET, mergeTrain: true, setById: bob.id, reason: '' },
      },
      { ...by, cause: 1 },
    );
    await here.publish(
      target,
      {
        $case: 'mergeTrainEntryAdded',
        value: { entryId: 5, targetBranch: 'main', position: 2, first: false, moved: false },
      },
      { ...by, cause: 5 },
    );
    const last = removed(Reason.REASON_PIPELINE_FAILED, bob.id);
    const id = await here.publish(target, last, { ...by, actorId: 0, cause: 5 });
    await received(id);
    // Told once more, as a dead letter that is replayed after the inbox forgot it would be.
    await here.db.query(sql`delete from events.inbox where consumer_group = 'collaboration' and event_id = ${id}`);
    await here.publish(target, last, { ...by, actorId: 0, cause: 5 });
    await received(id);
    const notes = await notesOf(target);
    expect(notes.map((note) => [note.author.username, note.body])).toEqual([
      ['bob', 'enabled adding this merge request to the merge train automatically when its checks pass'],
      ['bob', 'added this merge request to the merge train for `main` at position 2'],
      ['bob', 'removed this merge request from the merge train for `main` because its pipeline failed'],
    ]);
    expect(notes[0]).toEqual({
      id: expect.any(Number),
      type: null,
      body: notes[0].body,
      attachment: null,
      author: expect.objectContaining({ id: bob.id, email: '', created_at: expect.anything() }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      system: true,
      noteable_id: target.id,
      noteable_type: 'MergeRequest',
      project_id: project.id,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      imported_from: 'none',
      noteable_iid: target.iid,
      commands_changes: {},
    });
    for (const user of [ada, bob]) {
      expect((await todosOf(user)).filter((todo) => todo.target.id === target.id)).toMatchObject([
        {
          action_name: 'merge_train_removed',
          body: 'Removed from the merge train for `main` because its pipeline failed.',
          state: 'pending',
          author: { id: bob.id },
        },
      ]);
    }
  });

  it('notifies the user who removed it by hand as well, but no one who cannot see it, and no one when it is merged', async () => {
    const target = mergeRequest();
    const published = () =>
      here.db.query(sql`select user_id, cause from todos where target_id = ${target.id} order by cause, user_id`);
    const given = (authorId: number, actorId: number, cause: number) => ({
      ...about(target, authorId),
      actorId,
      cause,
    });
    await here.publish(target, removed(Reason.REASON_CANCELED, bob.id, 1), given(ada.id, bob.id, 1));
    await here.publish(target, removed(Reason.REASON_PUSHED, bob.id, 2), given(eve.id, 0, 2));
    await here.publish(target, removed(Reason.REASON_MERGED_BY_PUSH, bob.id, 3), given(ada.id, 0, 3));
    await received(await here.publish(target, removed(Reason.REASON_CLOSED, bob.id, 4), given(bob.id, bob.id, 4)));
    expect(await published()).toEqual([
      { user_id: ada.id, cause: 'merge_train_entry:1' },
      { user_id: bob.id, cause: 'merge_train_entry:1' },
      { user_id: bob.id, cause: 'merge_train_entry:2' },
      { user_id: bob.id, cause: 'merge_train_entry:4' },
    ]);
    expect((await notesOf(target)).map((note) => note.author.username)).toEqual(['bob', 'bob', 'bob', 'bob']);
  });
});

describe('an edited merge request', () => {
  it('has a note for each kind of change, in the name of its editor', async () => {
    const target = { ...mergeRequest(), title: 'Draft: x' };
    const fact = updated([bob.id], [ada.id]);
    if (fact.$case === 'updated') fact.value.changedFields = ['title', 'draft', 'labels', 'milestone'];
    await received(await here.publish(target, fact, { actorId: ada.id, cause: 2 }));
    expect((await notesOf(target)).map((note) => [note.author.id, note.body])).toEqual([
      [ada.id, 'changed the title to **Draft: x**'],
      [ada.id, 'marked this merge request as **draft**'],
      [ada.id, 'assigned to @bob'],
      [ada.id, 'requested review from @ada'],
    ]);
  });

  it('has none once it is deleted, also for late events', async () => {
    const target = mergeRequest();
    await received(await here.publish(target, updated([bob.id]), { actorId: ada.id, cause: 2 }));
    expect(await notesOf(target)).toHaveLength(1);
    await received(await here.publish(target, { $case: 'deleted', value: {} }, { actorId: ada.id }));
    await received(await here.publish(target, updated([ada.id]), { actorId: ada.id, cause: 3 }));
    expect(await notesOf(target)).toEqual([]);
  });
});

describe('an edited issue', () => {
  it('has a note for each kind of change, and none once it is deleted', async () => {
    const issue = { id: 77, iid: 7, projectId: project.id, authorId: ada.id, title: 'Slow' };
    const publish = (version: number, fact: NonNullable<IssueEvent['fact']>) =>
      here.publishEvent(
        issueEvents,
        IssueEvent.fromPartial({ issue, actorId: bob.id, directorySequence: here.directory.changes.length, fact }),
        issueEventId(fact.$case, issue.id, version),
      );
    const change = { $case: 'updated' as const, value: IssueUpdated.fromPartial({ addedAssigneeIds: [ada.id] }) };
    const notes = () =>
      here.db.query(sql`
        select n.author_id, n.body from notes n join noteables c on c.id = n.noteable_id
        where c.kind = 'Issue' and c.target_id = ${issue.id} and c.removed_at is null`);
    await publish(2, change);
    await eventually(async () => expect(await notes()).toEqual([{ author_id: bob.id, body: 'assigned to @ada' }]));
    await publish(1, { $case: 'deleted', value: {} });
    await eventually(async () => expect(await notes()).toEqual([]));
  });
});
