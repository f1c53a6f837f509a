import { sql } from '@switchyard/database/sql';
import { membershipEvents } from '@switchyard/events';
import { TodoFilter } from '@switchyard/protos/collaboration/v1/todo';
import { MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import {
  type MergeRequestEvent,
  MergeTrainStateChanged,
  MergeTrainStateChanged_State as State,
} from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import {
  MergeTrainEntryRemoved,
  MergeTrainEntryRemoved_Reason as Reason,
} from '@switchyard/protos/merge_requests/events/v1/merge_train_removal';
import { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { eventually } from '@switchyard/testkit';
import { rebuildActivity } from '../../src/activity/rebuild-activity';
import { rebuildTodos } from '../../src/todos/rebuild-todos';
import { type Installation, type StoredTarget, startInstallation } from '../support/installation';

type Fact = NonNullable<MergeRequestEvent['fact']>;

let here: Installation;
/** Owner of the group, author, Developer who adds, Maintainers, and users who get nothing of a stopped train. */
let ada: DirectoryUser;
let ann: DirectoryUser;
let bob: DirectoryUser;
let max: DirectoryUser;
let project: DirectoryProject;
let iid = 0;
let timestamp = Date.now() - 100_000;
const next = (): Date => {
  timestamp += 1_000;
  return new Date(timestamp);
};

beforeAll(async () => {
  here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const group = directory.namespace();
  project = directory.project(group.id);
  const user = (username: string, level: number, where: 'group' | 'project', given = {}) => {
    const one = directory.user({ username, ...given });
    directory.member(one.id, where === 'group' ? { namespaceId: group.id } : { projectId: project.id }, level);
    return one;
  };
  ada = user('ada', 50, 'group');
  ann = user('ann', 30, 'project');
  bob = user('bob', 30, 'project');
  max = user('max', 40, 'project');
  // In both places: still one to-do.
  directory.member(max.id, { namespaceId: group.id }, 40);
  user('blocked', 40, 'project', { state: 'blocked' });
  user('robot', 40, 'project', { bot: true });
  directory.user({ username: 'root', admin: true });
  await here.startHere();
});

afterAll(() => here.close());

function mergeRequest(): StoredTarget {
  iid += 1;
  const target = { id: 1_000 + iid, iid, projectId: project.id, title: `Change ${iid}` };
  here.targets.set(target.id, target);
  return target;
}

interface Given {
  readonly actor?: DirectoryUser;
  readonly author?: DirectoryUser;
  readonly cause?: number | string;
  readonly at?: Date;
}

const published = (target: StoredTarget, fact: Fact, { actor, author = ann, cause, at }: Given = {}) =>
  here.publish(target, fact, {
    mergeRequest: { authorId: author.id },
    actorId: actor?.id ?? 0,
    occurredAt: at ?? next(),
    ...(cause === undefined ? {} : { cause }),
  });

const received = (id: string) =>
  eventually(async () => {
    const rows = await here.db.query(
      sql`select 1 from events.inbox where consumer_group = 'collaboration' and event_id = ${id}`,
    );
    expect(rows).toHaveLength(1);
  });

/** Publishes an event, waits for it, and handles it again, as a dead letter that the inbox has forgotten would be. */
async function twice(target: StoredTarget, fact: Fact, given: Given = {}) {
  const at = next();
  const id = await published(target, fact, { ...given, at });
  await received(id);
  await here.db.query(sql`delete from events.inbox where consumer_group = 'collaboration' and event_id = ${id}`);
  await received(await published(target, fact, { ...given, at }));
}

async function notesOf(target: StoredTarget): Promise<[string, string][]> {
  const reply = await here.notes.listNotes(
    {
      noteable: { projectId: target.projectId, target: { $case: 'mergeRequestIid', value: target.iid } },
      activityFilter: '',
      page: PageRequest.fromPartial({ page: 1, perPage: 100, orderBy: 'created_at', descending: false }),
    },
    here.as(bob, { id: project.id, level: 30 }),
  );
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
  return (JSON.parse(reply.json.toString()) as any[]).map((note) => [note.author.username, note.body]);
}

async function todosOf(user: DirectoryUser, target: StoredTarget) {
  const reply = await here.todos.listTodos(
    { filter: TodoFilter.fromPartial({}), page: PageRequest.fromPartial({ page: 1, perPage: 100 }) },
    here.as(user),
  );
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked into freely
  return (JSON.parse(reply.json.toString()) as any[]).filter((todo) => todo.target.id === target.id);
}

/** Everything but ids, oldest first. */
const todoRows = (target: StoredTarget) =>
  here.db.query(sql`
    select u.username, t.author_id, t.action, t.cause, t.body, t.state, t.created_at from todos t
    join directory.users u on u.id = t.user_id where t.target_id = ${target.id} order by t.created_at, u.username`);

const removed = (given: Partial<MergeTrainEntryRemoved>): Fact => ({
  $case: 'mergeTrainEntryRemoved',
  value: MergeTrainEntryRemoved.fromPartial({ entryId: 5, targetBranch: 'main', addedById: bob.id, ...given }),
});

const changed = (given: Partial<MergeTrainStateChanged>): Fact => ({
  $case: 'mergeTrainStateChanged',
  value: MergeTrainStateChanged.fromPartial({ entryId: 5, targetBranch: 'main', addedById: bob.id, ...given }),
});

const stop = (firstCar: boolean): Fact =>
  changed({ state: State.STATE_PAUSED, targetFailing: true, statusNames: ['unit'], firstCar });

const overtaken = (position: number, byIid: number): Fact => ({
  $case: 'mergeTrainEntryOvertaken',
  value: { entryId: 5, targetBranch: 'main', position, byIid, byId: 1_000 + byIid, addedById: bob.id },
});

/** A rebuild from the events of the log changes nothing, and makes the same to-dos from nothing. */
async function expectRebuildToAgree(target: StoredTarget) {
  const rebuild = () => rebuildTodos({ db: here.db, bus: here.bus, certain: new Date(0) });
  const before = await todoRows(target);
  expect(await rebuild()).toMatchObject({ added: 0, changed: 0, removed: 0 });
  await here.db.query(sql`delete from todos where target_id = ${target.id}`);
  expect(await rebuild()).toMatchObject({ added: before.length, changed: 0, removed: 0 });
  expect(await todoRows(target)).toEqual(before);
}

describe('a merge request that failed on its train', () => {
  it('shows the evidence in its note and in the to-dos of author and adder, once (D8, G-4.9-4)', async () => {
    const target = mergeRequest();
    const evidence = {
      testedSha: '4f1c2ab9'.repeat(5),
      baseSha: '8d2e11c0'.repeat(5),
      pipelineId: 31,
      statuses: [
        { name: 'unit', targetUrl: 'https://ci.example/jobs/7' },
        { name: '` @max\n/close', targetUrl: 'javascript:alert(1)' },
      ],
      reruns: 1,
    };
    await twice(target, removed({ reason: Reason.REASON_PIPELINE_FAILED, evidence, pipelineId: 31 }), { cause: 5 });
    const list = [
      '- Failed: [`unit`](https://ci.example/jobs/7), `` ` @max /close ``',
      '- Tested commit: `4f1c2ab9` in pipeline 31, tested again once',
      '- Landed base: `8d2e11c0`',
    ].join('\n');
    expect(await notesOf(target)).toEqual([
      ['bob', `removed this merge request from the merge train for \`main\` because its pipeline failed\n\n${list}`],
    ]);
    for (const user of [ann, bob]) {
      const todos = await todosOf(user, target);
      expect(todos).toMatchObject([
        {
          action_name: 'merge_train_removed',
          body: `Removed from the merge train for \`main\` because its pipeline failed.\n\n${list}`,
          target_url: `https://code.example/p/-/merge_requests/${target.iid}`,
        },
      ]);
      // The shape of api.md section 2, with nothing added.
      expect(Object.keys(todos[0])).toEqual([
        ...['id', 'project', 'author', 'action_name', 'target_type', 'target', 'target_url', 'body', 'state'],
        ...['created_at', 'updated_at'],
      ]);
    }
    expect(await todosOf(max, target)).toEqual([]);
    await expectRebuildToAgree(target);
  });
});

describe('a merge request that a maintainer puts first', () => {
  it('has a note for each time', async () => {
    const target = mergeRequest();
    const added = (position: number, moved: boolean): Fact => ({
      $case: 'mergeTrainEntryAdded',
      value: { entryId: 5, targetBranch: 'main', position, first: true, moved },
    });
    await twice(target, added(1, false), { actor: max, cause: 5 });
    await twice(target, added(2, true), { actor: max, cause: '5:-2' });
    expect(await notesOf(target)).toEqual([
      ['max', 'put this merge request at the front of the merge train for `main`'],
      ['max', 'moved this merge request to the front of the merge train for `main`, at position 2'],
    ]);
  });

  it('costs those behind it time: their author and adder are notified once for each, but not the actor', async () => {
    const target = mergeRequest();
    // The order of arrival does not matter: each has its own text.
    const [first, second] = [next(), next()];
    await published(target, overtaken(3, 8), { actor: max, cause: '5:8:-2', at: second });
    await published(target, overtaken(2, 7), { actor: max, cause: '5:7:-1', at: first });
    await twice(target, overtaken(4, 9), { actor: bob, author: bob, cause: '5:9:-3' });
    const text = (number: number, position: number) =>
      `!${number} was put ahead of this merge request on the merge train for \`main\`. It is now at position ${position}, and its tests start again.`;
    const todo = (username: string, body: string) =>
      expect.objectContaining({ username, author_id: max.id, action: 'mentioned', body, state: 'pending' });
    expect(await todoRows(target)).toEqual([
      todo('ann', text(7, 2)),
      todo('bob', text(7, 2)),
      todo('ann', text(8, 3)),
      todo('bob', text(8, 3)),
    ]);
    const note = (number: number, position: number) =>
      `put !${number} ahead of this merge request on the merge train for \`main\`. It is now at position ${position}, and its tests start again.`;
    expect(await notesOf(target)).toEqual([
      ['max', `${note(7, 2)} This concerns @ann and @bob.`],
      ['max', `${note(8, 3)} This concerns @ann and @bob.`],
      ['bob', note(9, 4)],
    ]);
    await expectRebuildToAgree(target);
  });

  it('is no activity of the maintainer on those behind it: their to-dos stay', async () => {
    const target = mergeRequest();
    await published(target, { $case: 'pipelineFailed', value: { pipelineId: 1, mergeUserId: max.id } }, { cause: 1 });
    await published(target, overtaken(2, 7), { actor: max, cause: '5:7:-1' });
    await received(await published(target, changed({ state: State.STATE_PAUSED }), { actor: max, cause: '5:1' }));
    expect(await todosOf(max, target)).toMatchObject([{ action_name: 'build_failed' }]);
  });
});

describe('a merge train that changes what it does', () => {
  it('is reported on each merge request, with its actor, reason and end', async () => {
    const target = mergeRequest();
    const until = new Date('2026-12-01T08:00:00Z');
    await twice(target, changed({ state: State.STATE_PAUSED, reason: '@all\nrelease', until, firstCar: true }), {
      actor: max,
      cause: '5:1',
    });
    await twice(target, changed({ state: State.STATE_DRAINING }), { actor: ada, cause: '5:2' });
    await twice(target, changed({ state: State.STATE_RUNNING, addedById: 0 }), { cause: '5:3' });
    await twice(target, changed({ state: State.STATE_UNSPECIFIED }), { cause: '5:4' });
    expect(await notesOf(target)).toEqual([
      ['max', 'paused the merge train for `main` until 2026-12-01 08:00:00 UTC (`@all release`)'],
      ['ada', 'set the merge train for `main` to draining: it lands what is on it and takes no more merge requests'],
      ['ann', 'the merge train for `main` runs again'],
    ]);
    expect(await todoRows(target)).toEqual([]);
  });

  it('by itself, notifies each Maintainer and Owner once a stop, on its first merge request', async () => {
    const [target, behind] = [mergeRequest(), mergeRequest()];
    const at = next();
    await received(await published(target, stop(true), { cause: '5:1', at }));
    await twice(behind, stop(false), { cause: '6:1' });
    const body =
      'The merge train for `main` stopped itself, because its target branch seems to fail `unit`. All merge requests keep their places. It runs again when a pipeline on the tip of the target branch passes.';
    const todo = (user: DirectoryUser, state: string) =>
      expect.objectContaining({ username: user.username, author_id: user.id, action: 'build_failed', body, state });
    expect(await todoRows(target)).toEqual([todo(ada, 'pending'), todo(max, 'pending')]);
    expect(await todoRows(behind)).toEqual([]);
    expect(await todosOf(max, target)).toMatchObject([{ action_name: 'build_failed', author: { id: max.id }, body }]);
    expect(await notesOf(behind)).toEqual([['bob', body.replace('The', 'the')]]);
    await expectRebuildToAgree(target);

    // A done one stays done when the event comes again; the next stop asks again.
    const [{ id }] = await todosOf(max, target);
    await here.todos.markTodoAsDone({ id }, here.as(max));
    const again = next();
    await received(await published(target, stop(true), { cause: '5:9', at: again }));
    await here.db.query(sql`delete from events.inbox where consumer_group = 'collaboration'`);
    await received(await published(target, stop(true), { cause: '5:9', at: again }));
    await received(await published(target, stop(true), { cause: '5:1', at }));
    expect(await todoRows(target)).toEqual([
      todo(ada, 'pending'),
      todo(max, 'done'),
      todo(ada, 'pending'),
      todo(max, 'pending'),
    ]);
  });

  it('asks nothing of a Maintainer who has acted since, whichever event comes first', async () => {
    const target = mergeRequest();
    const [stopped, acted] = [next(), next()];
    await published(target, { $case: 'closed', value: {} } as never, { actor: max, cause: 3, at: acted });
    await received(await published(target, stop(true), { cause: '5:1', at: stopped }));
    expect((await todoRows(target)).map(({ username, state }) => [username, state])).toEqual([
      ['ada', 'pending'],
      ['max', 'done'],
    ]);
    await expectRebuildToAgree(target);
  });

  it('is rebuilt for those who were Maintainers then, and no activity of the feed', async () => {
    const { directory, db, bus } = here;
    const target = mergeRequest();
    const late = directory.user({ username: 'late' });
    await received(await published(target, stop(true), { cause: '5:1' }));
    const membership = directory.member(late.id, { projectId: project.id }, 40);
    await eventually(async () =>
      expect(await db.query(sql`select 1 from directory.memberships where id = ${membership.id}`)).toHaveLength(1),
    );
    // That it began later is known from its event.
    await here.publishEvent(
      membershipEvents,
      MembershipEvent.fromPartial({
        membershipId: membership.id,
        userId: late.id,
        projectId: project.id,
        occurredAt: next(),
        fact: { $case: 'added', value: { accessLevel: 40 } } as never,
      }),
      `membership.added:${membership.id}`,
    );
    await expectRebuildToAgree(target);
    expect((await todoRows(target)).map(({ username }) => username)).toEqual(['ada', 'max']);
    expect(await rebuildActivity({ db, bus, certain: new Date(0) })).toMatchObject({
      added: 0,
      changed: 0,
      removed: 0,
    });
  });
});

describe('a merge request that is deleted on its train', () => {
  const gone = () => removed({ reason: Reason.REASON_CANCELED });

  it.each(['before', 'after'])('keeps no note and no to-do of its removal, which comes %s it', async (order) => {
    const target = mergeRequest();
    await published(target, overtaken(2, 7), { actor: max, cause: '5:7:-1' });
    await received(await published(target, stop(true), { cause: '5:1' }));
    expect((await todoRows(target)).length).toBeGreaterThan(3);
    const deleted = () => published(target, { $case: 'deleted', value: {} }, { actor: max });
    if (order === 'before') await published(target, gone(), { actor: max, cause: 5 });
    await received(await deleted());
    if (order === 'after') {
      const id = await published(target, gone(), { actor: max, cause: 5 });
      await received(id);
      expect(await here.db.query(sql`select 1 from notes where cause like ${`${id}#%`}`)).toEqual([]);
    }
    expect(await todoRows(target)).toEqual([]);
    expect(await notesOf(target)).toEqual([]);
    expect(await rebuildTodos({ db: here.db, bus: here.bus, certain: new Date(0) })).toMatchObject({ added: 0 });
    expect(await todoRows(target)).toEqual([]);
  });
});
