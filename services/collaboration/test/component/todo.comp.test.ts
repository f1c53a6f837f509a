import { sql } from '@switchyard/database/sql';
import { TodoFilter } from '@switchyard/protos/collaboration/v1/todo';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { MergeRequestActed_Kind } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { measureCost } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import {
  created,
  type Installation,
  mentions,
  type StoredTarget,
  startInstallation,
  updated,
} from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let eve: DirectoryUser;
let project: DirectoryProject;
let groups: { top: number; below: number };
let iid = 0;

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const top = directory.namespace({ fullPath: 'team', fullName: 'Team', path: 'team' });
  const below = directory.namespace({ parentId: top.id, fullPath: 'team/core', fullName: 'Team / Core' });
  groups = { top: top.id, below: below.id };
  project = directory.project(below.id, { name: 'Rails', path: 'rails' });
  ada = directory.user({ username: 'ada', publicEmail: 'ada@example.com', avatarUrl: 'https://x.example/ada.png' });
  bob = directory.user({ username: 'bob' });
  eve = directory.user({ username: 'eve' });
  directory.member(ada.id, { namespaceId: top.id }, 40);
  directory.member(bob.id, { projectId: project.id }, 30);
  await here.startHere();
});

afterAll(() => here.close());

beforeEach(async () => {
  here.targets.clear();
  await eventually(async () => {
    const [lag] = await here.db.query<{ sequence: number }>(sql`select sequence from directory.state`);
    expect(lag?.sequence).toBe(here.directory.changes.length);
  });
  await here.db.query(sql`truncate todos, removed_targets, events.inbox`);
});

function mergeRequest(given: Partial<StoredTarget> = {}): StoredTarget {
  iid += 1;
  const target = { id: 1_000 + iid, iid, projectId: project.id, title: `Change ${iid}`, ...given };
  here.targets.set(target.id, target);
  return target;
}

// biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
type Item = any;

async function list(user: DirectoryUser, filter: Partial<TodoFilter> = {}, page: Partial<PageRequest> = {}) {
  const reply = await here.todos.listTodos(
    { filter: TodoFilter.fromPartial(filter), page: PageRequest.fromPartial({ page: 1, perPage: 20, ...page }) },
    here.as(user),
  );
  return { items: JSON.parse(reply.json.toString()) as Item[], page: reply.page! };
}

const actions = async (user: DirectoryUser, filter: Partial<TodoFilter> = {}): Promise<string[]> =>
  (await list(user, filter)).items.map((item) => item.action_name);

/** Waits until an event has been taken note of. */
const received = (id: string) =>
  eventually(async () => {
    const rows = await here.db.query(
      sql`select 1 from events.inbox where consumer_group = 'collaboration' and event_id = ${id}`,
    );
    expect(rows).toHaveLength(1);
  });

describe('to-dos from merge requests', () => {
  it('come from assignment, review request, mention and address, for those who can read it', async () => {
    const target = mergeRequest();
    const named = mentions(['Ada', 'eve', 'nobody'], ['bob']);
    await received(await here.publish(target, created([bob.id, eve.id], [ada.id], named), { actorId: ada.id }));
    expect(await actions(bob)).toEqual(['directly_addressed', 'assigned']);
    expect(await actions(ada)).toEqual(['mentioned', 'review_requested']);
    expect(await here.db.query(sql`select 1 from todos where user_id = ${eve.id}`)).toEqual([]);
  });

  it('are printed with project, author and target', async () => {
    const target = mergeRequest({ title: 'Make it faster' });
    await received(await here.publish(target, created([bob.id]), { actorId: ada.id }));
    const { items, page } = await list(bob);
    expect(page).toMatchObject({ total: 1, hasNext: false });
    expect(items).toEqual([
      {
        id: expect.any(Number),
        project: {
          id: project.id,
          name: 'Rails',
          name_with_namespace: 'Team / Core / Rails',
          path: 'rails',
          path_with_namespace: 'team/core/rails',
        },
        author: {
          id: ada.id,
          username: 'ada',
          public_email: 'ada@example.com',
          name: ada.name,
          state: 'active',
          locked: false,
          avatar_url: 'https://x.example/ada.png',
          web_url: 'https://code.example/ada',
        },
        action_name: 'assigned',
        target_type: 'MergeRequest',
        target: expect.objectContaining({ id: target.id, iid: target.iid, title: 'Make it faster' }),
        target_url: `https://code.example/p/-/merge_requests/${target.iid}`,
        body: 'Make it faster',
        state: 'pending',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: expect.any(String),
      },
    ]);
  });

  it('are raised once however often the event comes, and once while one is pending', async () => {
    const target = mergeRequest();
    const first = await here.publish(target, created([bob.id]), { actorId: ada.id });
    await here.publish(target, created([bob.id]), { actorId: ada.id });
    await received(first);
    await received(await here.publish(target, updated([bob.id]), { actorId: ada.id, cause: 2 }));
    expect(await actions(bob)).toEqual(['assigned']);
    expect(await here.db.query(sql`select 1 from todos`)).toHaveLength(1);
  });

  it('are done when their user acts on the target, and only theirs', async () => {
    const target = mergeRequest();
    const other = mergeRequest();
    await here.publish(target, created([ada.id, bob.id]), { actorId: eve.id });
    await received(await here.publish(other, created([bob.id]), { actorId: eve.id }));
    const value = {
      kind: MergeRequestActed_Kind.KIND_APPROVED,
      push: undefined,
      approved: undefined,
      lostApprovalUserIds: [],
    };
    await received(await here.publish(target, { $case: 'acted', value }, { actorId: bob.id, cause: 'approved:1' }));
    expect((await list(bob)).items.map((item) => item.target.id)).toEqual([other.id]);
    expect(await actions(bob, { state: 'done' })).toEqual(['assigned']);
    expect(await actions(ada)).toEqual(['assigned']);
    await received(
      await here.publish(
        target,
        { $case: 'merged', value: { mergeCommitSha: 'a'.repeat(40), targetBranch: 'main' } },
        { actorId: ada.id, cause: 3 },
      ),
    );
    expect(await actions(ada)).toEqual([]);
  });

  it('tell the author of a review that was submitted', async () => {
    const target = mergeRequest();
    const value = {
      kind: MergeRequestActed_Kind.KIND_CHANGES_REQUESTED,
      push: undefined,
      approved: undefined,
      lostApprovalUserIds: [],
    };
    const { id, iid, projectId, title } = target;
    const subject = { id, iid, projectId, title, authorId: ada.id, state: 'opened', labelIds: [], version: 1 };
    const how = { actorId: bob.id, cause: 'changes_requested:1', mergeRequest: subject };
    await received(await here.publish(target, { $case: 'acted', value }, how));
    expect(await actions(ada)).toEqual(['review_submitted']);
    expect((await list(ada)).items[0].author.id).toBe(bob.id);
    expect(await actions(bob)).toEqual([]);
  });

  it('notify the author and the user who waits for the merge of failures', async () => {
    const target = mergeRequest();
    const subject = { id: target.id, iid: target.iid, projectId: project.id, authorId: bob.id, title: target.title };
    await here.publish(
      target,
      { $case: 'pipelineFailed', value: { pipelineId: 8, mergeUserId: ada.id } },
      { mergeRequest: subject, cause: 8 },
    );
    await received(
      await here.publish(
        target,
        { $case: 'becameUnmergeable', value: { mergeUserId: 0 } },
        { mergeRequest: subject, cause: 'a:b' },
      ),
    );
    expect(await actions(bob)).toEqual(['unmergeable', 'build_failed']);
    expect(await actions(ada)).toEqual(['build_failed']);
    expect((await list(bob)).items[0].author.id).toBe(bob.id);
  });

  it('do not come from imported history', async () => {
    await received(await here.publish(mergeRequest(), created([bob.id]), { actorId: ada.id, imported: true }));
    expect(await actions(bob)).toEqual([]);
  });

  it('go with their target, and do not come back by an event that is late', async () => {
    const target = mergeRequest();
    await here.publish(target, created([bob.id]), { actorId: ada.id });
    await received(await here.publish(target, { $case: 'deleted', value: {} }, { actorId: ada.id }));
    await received(await here.publish(target, updated([ada.id]), { actorId: ada.id, cause: 2 }));
    expect(await here.db.query(sql`select 1 from todos`)).toEqual([]);
  });

  it('wait for users who have not arrived in the directory yet', async () => {
    const late = here.directory.user();
    const target = mergeRequest();
    here.directory.failing = true;
    const sequence = here.directory.changes.length + 1;
    const id = await here.publish(target, created([late.id]), { actorId: ada.id, directorySequence: sequence });
    await new Promise((settle) => setTimeout(settle, 300));
    here.directory.member(late.id, { projectId: project.id }, 20);
    here.directory.failing = false;
    await received(id);
    expect(await actions(late)).toEqual(['assigned']);
  });
});

describe('the list', () => {
  it('filters by everything, project and group with subgroups included', async () => {
    const elsewhere = here.directory.project(here.directory.namespace({ visibility: 'public' }).id, {
      visibility: 'public',
    });
    const [one, two] = [mergeRequest(), mergeRequest({ projectId: elsewhere.id })];
    await here.publish(one, created([bob.id], [], mentions(['bob'])), { actorId: ada.id });
    await received(await here.publish(two, created([bob.id]), { actorId: eve.id }));
    await eventually(async () => expect((await list(bob)).items).toHaveLength(3));
    const ids = async (filter: Partial<TodoFilter>) => (await list(bob, filter)).items.map((item) => item.target.id);
    expect(await ids({ action: 'mentioned' })).toEqual([one.id]);
    expect(await ids({ authorId: eve.id })).toEqual([two.id]);
    expect(await ids({ projectId: elsewhere.id })).toEqual([two.id]);
    expect(await ids({ groupId: groups.top })).toEqual([one.id, one.id]);
    expect(await ids({ groupId: groups.below, action: 'assigned' })).toEqual([one.id]);
    expect(await ids({ targetType: 'MergeRequest' })).toHaveLength(3);
    expect(await ids({ targetType: 'Issue' })).toEqual([]);
    expect(await ids({ state: 'done' })).toEqual([]);
    expect(await ids({ authorId: 0 })).toEqual([]);
  });

  it('neither shows nor counts what its user can no longer read', async () => {
    const target = mergeRequest();
    await received(await here.publish(target, created([bob.id]), { actorId: ada.id }));
    const membership = [...here.directory.memberships.values()].find((one) => one.userId === bob.id)!;
    here.directory.removeMembership(membership.id);
    expect(await list(bob)).toMatchObject({ items: [], page: { total: 0 } });
    here.directory.member(bob.id, { projectId: project.id }, 10);
    expect(await list(bob)).toMatchObject({ items: [], page: { total: 0 } });
    here.directory.member(bob.id, { projectId: project.id }, 30);
    expect((await list(bob)).page.total).toBe(1);
    target.hiddenFrom = [bob.id];
    expect((await list(bob)).items).toEqual([]);
  });

  it('pages by offset and by keyset, newest first', async () => {
    const targets = Array.from({ length: 5 }, () => mergeRequest());
    for (const target of targets) await here.publish(target, created([bob.id]), { actorId: ada.id });
    await eventually(async () => expect((await list(bob)).items).toHaveLength(5));
    const all = (await list(bob)).items.map((item) => item.id);
    expect(all).toEqual([...all].sort((x, y) => y - x));
    const second = await list(bob, {}, { page: 2, perPage: 2 });
    expect(second.items.map((item) => item.id)).toEqual(all.slice(2, 4));
    expect(second.page).toMatchObject({ total: 5, hasNext: true });
    const first = await list(bob, {}, { keyset: true, perPage: 2 });
    const next = await list(bob, {}, { keyset: true, perPage: 2, cursor: first.page.nextCursor });
    expect([...first.items, ...next.items].map((item) => item.id)).toEqual(all.slice(0, 4));
  });

  it('costs two statements and one call, at two rows and at a hundred', async () => {
    for (const rows of [2, 100]) {
      await here.db.query(sql`truncate todos`);
      for (let at = 0; at < rows; at += 1) {
        const target = mergeRequest();
        await here.db.query(sql`
          insert into todos (user_id, author_id, project_id, action, target_type, target_id, target_iid)
          values (${bob.id}, ${ada.id}, ${project.id}, 'assigned', 'MergeRequest', ${target.id}, ${target.iid})`);
      }
      here.targetCalls.length = 0;
      const { result, cost } = await measureCost(() => list(bob, {}, { perPage: 100 }));
      expect(result.items).toHaveLength(rows);
      expect(cost).toEqual({ statements: 2, calls: 2 });
      expect(here.targetCalls).toEqual(['batchGet']);
    }
  });

  it('is the caller’s own, and none for an anonymous caller', async () => {
    await expect(
      here.todos.listTodos({ filter: undefined, page: undefined }, here.as(undefined)),
    ).rejects.toMatchObject({ kind: 'unauthorized' });
  });
});

describe('mark as done', () => {
  it('gives the item with `subscribed` in its target, and 404 for someone else’s', async () => {
    await received(await here.publish(mergeRequest(), created([bob.id]), { actorId: ada.id }));
    const { items } = await list(bob);
    const reply = await here.todos.markTodoAsDone({ id: items[0].id }, here.as(bob));
    const item = JSON.parse(reply.json.toString());
    expect(item).toMatchObject({ id: items[0].id, state: 'done', target: { subscribed: true } });
    expect(new Date(item.updated_at).getTime()).toBeGreaterThan(new Date(item.created_at).getTime() - 1);
    await expect(here.todos.markTodoAsDone({ id: items[0].id }, here.as(ada))).rejects.toMatchObject({
      kind: 'not_found',
      body: { message: '404 Not found' },
    });
    await expect(here.todos.markTodoAsDone({ id: 999_999_999 }, here.as(bob))).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it('leaves the item pending when its target’s owner does not answer', async () => {
    await received(await here.publish(mergeRequest(), created([bob.id]), { actorId: ada.id }));
    const { items } = await list(bob);
    here.targetsAway = true;
    await expect(here.todos.markTodoAsDone({ id: items[0].id }, here.as(bob))).rejects.toMatchObject({
      kind: 'unavailable',
    });
    here.targetsAway = false;
    expect(await actions(bob)).toEqual(['assigned']);
  });

  it('marks all that the filters select', async () => {
    await here.publish(mergeRequest(), created([bob.id], [], mentions(['bob'])), { actorId: ada.id });
    await received(await here.publish(mergeRequest(), created([bob.id, ada.id]), { actorId: eve.id }));
    await eventually(async () => expect(await actions(bob)).toHaveLength(3));
    await here.todos.markAllTodosAsDone({ filter: TodoFilter.fromPartial({ action: 'mentioned' }) }, here.as(bob));
    expect((await actions(bob)).sort()).toEqual(['assigned', 'assigned']);
    await here.todos.markAllTodosAsDone({ filter: TodoFilter.fromPartial({ groupId: groups.top }) }, here.as(bob));
    expect(await actions(bob)).toEqual([]);
    expect(await actions(ada)).toEqual(['assigned']);
    const reply = await here.todos.markAllTodosAsDone({ filter: undefined }, here.as(ada));
    expect(reply.json).toHaveLength(0);
    expect(await actions(ada)).toEqual([]);
  });
});

describe('a to-do made by hand', () => {
  it('is made once, also when requested twice concurrently', async () => {
    const target = mergeRequest();
    const ask = () =>
      here.todos.createMergeRequestTodo({ projectId: project.id, mergeRequestIid: target.iid }, here.as(bob));
    const replies = await Promise.all([ask(), ask(), ask()]);
    expect(replies.map((reply) => reply.status).sort((x, y) => x - y)).toEqual([0, 304, 304]);
    const made = replies.find((reply) => reply.status === 0)!;
    expect(JSON.parse(made.json.toString())).toMatchObject({
      action_name: 'marked',
      state: 'pending',
      author: { id: bob.id },
    });
    expect(replies.find((reply) => reply.status === 304)!.json).toHaveLength(0);
    await here.todos.markAllTodosAsDone({ filter: undefined }, here.as(bob));
    expect((await ask()).status).toBe(0);
  });

  it('answers 304 when another to-do on the target is pending', async () => {
    const target = mergeRequest();
    await received(await here.publish(target, created([bob.id]), { actorId: ada.id }));
    const reply = await here.todos.createMergeRequestTodo(
      { projectId: project.id, mergeRequestIid: target.iid },
      here.as(bob),
    );
    expect(reply.status).toBe(304);
  });

  it('is refused on what the caller cannot read', async () => {
    const target = mergeRequest({ hiddenFrom: [bob.id] });
    await expect(
      here.todos.createMergeRequestTodo({ projectId: project.id, mergeRequestIid: target.iid }, here.as(bob)),
    ).rejects.toMatchObject({ kind: 'not_found' });
  });
});
