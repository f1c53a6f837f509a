import { sql } from '@switchyard/database/sql';
import { NotePosition } from '@switchyard/protos/collaboration/v1/discussion';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { MergeRequestActed_Kind } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { measureCost } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import type { StoredTarget } from '../support/installation';
import { type Item, json, mergeRequestRef, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

const comment = async (target: StoredTarget, body: string, internal = false): Promise<Item> =>
  json(
    await fixture.here.notes.createNote(
      { noteable: mergeRequestRef(target), body, internal, createdAt: undefined },
      fixture.as(fixture.bob),
    ),
  );

const start = async (target: StoredTarget, body: string, user = fixture.bob, internal = false): Promise<Item> =>
  json(
    await fixture.here.discussions.createDiscussion(
      { noteable: mergeRequestRef(target), body, createdAt: undefined, internal, position: undefined },
      fixture.as(user),
    ),
  );

const reply = async (target: StoredTarget, discussionId: string, body: string, user = fixture.ada): Promise<Item> =>
  json(
    await fixture.here.discussions.replyToDiscussion(
      { noteable: mergeRequestRef(target), discussionId, body, createdAt: undefined },
      fixture.as(user),
    ),
  );

const get = async (target: StoredTarget, discussionId: string, user = fixture.bob): Promise<Item> =>
  json(
    await fixture.here.discussions.getDiscussion({ noteable: mergeRequestRef(target), discussionId }, fixture.as(user)),
  );

const list = async (
  target: StoredTarget,
  user: DirectoryUser = fixture.bob,
  page: Parameters<typeof pageOf>[0] = {},
) => {
  const wire = await fixture.here.discussions.listDiscussions(
    { noteable: mergeRequestRef(target), page: pageOf(page) },
    fixture.as(user),
  );
  return { items: json(wire) as Item[], page: wire.page };
};

const resolve = async (target: StoredTarget, discussionId: string, resolved: boolean, user = fixture.bob) =>
  json(
    await fixture.here.discussions.resolveDiscussion(
      { noteable: mergeRequestRef(target), discussionId, resolved },
      fixture.as(user),
    ),
  );

const change = async (
  target: StoredTarget,
  discussionId: string,
  noteId: number,
  given: { body?: string; resolved?: boolean },
  user = fixture.bob,
) =>
  json(
    await fixture.here.discussions.updateDiscussionNote(
      { noteable: mergeRequestRef(target), discussionId, noteId, body: given.body, resolved: given.resolved },
      fixture.as(user),
    ),
  );

const remove = (target: StoredTarget, discussionId: string, noteId: number, user = fixture.bob, since?: Date) =>
  fixture.here.discussions.deleteDiscussionNote(
    { noteable: mergeRequestRef(target), discussionId, noteId, ifUnmodifiedSince: since },
    fixture.as(user),
  );

/** The counters that were published last to the owner of the merge request. */
const counters = async (target: StoredTarget) => {
  const [row] = await fixture.here.db.query<{ body: Item }>(
    sql`select body from events.outbox where type = 'note.changed' and key like ${`%:${target.id}`} order by id desc limit 1`,
  );
  const { unresolvedDiscussionsCount = 0, userNotesCount = 0 } = row?.body.counters ?? {};
  return [userNotesCount, unresolvedDiscussionsCount];
};

describe('a thread', () => {
  it('is started, replied to, and read in the order of its notes', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target, 'Why?');
    expect(thread).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      individual_note: false,
      notes: [{ type: 'DiscussionNote', body: 'Why?', resolvable: true, resolved: false, resolved_by: null }],
    });
    expect(await reply(target, thread.id, 'Because.')).toMatchObject({ type: 'DiscussionNote', body: 'Because.' });
    expect((await get(target, thread.id)).notes.map((note: Item) => note.body)).toEqual(['Why?', 'Because.']);
    expect(await counters(target)).toEqual([2, 1]);
    const notes = await fixture.here.notes.listNotes(
      { noteable: mergeRequestRef(target), activityFilter: '', page: pageOf() },
      fixture.as(fixture.bob),
    );
    expect(json(notes)).toEqual([]);
  });

  it('keeps its place and its root when a reply has an earlier created_at (G-4.7-11)', async () => {
    const target = fixture.mergeRequest();
    const first = await start(target, 'First');
    const second = await start(target, 'Second', fixture.bob, true);
    const createdAt = new Date('2001-02-03T04:05:06.000Z');
    const answer = async (body: string, at: Date | undefined): Promise<Item> =>
      json(
        await fixture.here.discussions.replyToDiscussion(
          { noteable: mergeRequestRef(target), discussionId: second.id, body, createdAt: at },
          fixture.as(fixture.ada, { level: 50 }),
        ),
      );
    await answer('now', undefined);
    expect((await answer('long ago', createdAt)).created_at).toBe(createdAt.toISOString());
    const order = ['Second', 'long ago', 'now'];
    const { items } = await list(target);
    expect(items.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(items[1].notes.map((note: Item) => [note.body, note.internal])).toEqual(order.map((body) => [body, true]));
    expect((await get(target, second.id)).notes.map((note: Item) => note.body)).toEqual(order);
    expect((await list(target, fixture.eve)).items.map(({ id }) => id)).toEqual([first.id]);
  });

  it('grows out of a comment, and keeps its id (G-4.7-10)', async () => {
    const target = fixture.mergeRequest();
    const note = await comment(target, 'Nice');
    const [single] = (await list(target)).items;
    expect(single).toMatchObject({ individual_note: true, notes: [{ id: note.id, type: null, resolvable: false }] });
    await reply(target, single.id, 'Thanks');
    const thread = await get(target, single.id);
    expect(thread).toMatchObject({
      id: single.id,
      individual_note: false,
      notes: [
        { id: note.id, type: 'DiscussionNote', resolvable: true },
        { body: 'Thanks', type: 'DiscussionNote' },
      ],
    });
    expect(await counters(target)).toEqual([2, 1]);
  });

  it('does not grow out of a system note, nor on another object', async () => {
    const target = fixture.mergeRequest();
    const note = await comment(target, 'x');
    await fixture.here.db.query(sql`update notes set system = true where id = ${note.id}`);
    const [single] = (await list(target)).items;
    await expect(reply(target, single.id, 'x')).rejects.toMatchObject({
      body: { message: '400 Bad request - Discussion can not be replied to.' },
    });
    const thread = await start(target, 'y');
    for (const id of [thread.id, 'f'.repeat(40), 'zzz'])
      await expect(reply(fixture.mergeRequest(), id, 'x')).rejects.toMatchObject({
        body: { message: '404 Discussion Not Found' },
      });
  });

  it('is resolved as a whole and note by note, by its author and Developers', async () => {
    const target = fixture.mergeRequest({ authorId: fixture.eve.id });
    const thread = await start(target, 'Fix this');
    const answer = await reply(target, thread.id, 'Really?');
    await expect(resolve(target, thread.id, true, fixture.mallory)).rejects.toMatchObject({ kind: 'forbidden' });
    const resolved = await resolve(target, thread.id, true, fixture.eve);
    expect(resolved.notes).toMatchObject([
      { resolved: true, resolved_by: { username: 'eve' } },
      { resolved: true, resolved_by: { username: 'eve' } },
    ]);
    expect(await counters(target)).toEqual([2, 0]);
    await resolve(target, thread.id, true);
    await change(target, thread.id, answer.id, { resolved: false });
    expect(await counters(target)).toEqual([2, 1]);
    expect((await get(target, thread.id)).notes.map((note: Item) => note.resolved)).toEqual([true, false]);
    await resolve(target, thread.id, false);
    await reply(target, thread.id, 'One more');
    expect(await counters(target)).toEqual([3, 1]);
    const single = await comment(target, 'no thread');
    const [last] = (await list(target)).items.slice(-1);
    expect(last.notes[0].id).toBe(single.id);
    await expect(resolve(target, last.id, true)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('stays resolved when a user replies, and becomes unresolved by request', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target, 'Fix this');
    await resolve(target, thread.id, true);
    expect(await reply(target, thread.id, 'Thanks', fixture.ada)).toMatchObject({
      resolved: true,
      resolved_by: { username: 'ada' },
    });
    expect(await counters(target)).toEqual([2, 0]);
    await resolve(target, thread.id, false);
    expect(await reply(target, thread.id, 'Still not')).toMatchObject({ resolved: false });
    expect(await counters(target)).toEqual([3, 1]);
  });

  it('carries out commands, and is none when nothing else is said (G-2-18)', async () => {
    const target = fixture.mergeRequest();
    expect(await start(target, '/close')).toEqual({
      commands_changes: { state_event: 'close' },
      summary: ['Closed it.'],
    });
    expect((await list(target)).items).toEqual([]);
    const thread = await start(target, 'Enough.\n/close');
    expect(thread.notes).toMatchObject([{ body: 'Enough.', commands_changes: { state_event: 'close' } }]);
    expect(await reply(target, thread.id, '/reopen')).toMatchObject({ summary: ['Reopened it.'] });
    expect(await reply(target, thread.id, 'No.\n/reopen')).toMatchObject({
      body: 'No.',
      commands_changes: { state_event: 'reopen' },
    });
    expect((await get(target, thread.id)).notes).toHaveLength(2);
    await fixture.here.db.query(sql`update notes set system = true where id = ${thread.notes[0].id}`);
    const edits = fixture.here.edits.length;
    await expect(reply(target, thread.id, '/close')).rejects.toMatchObject({ kind: 'bad_request' });
    expect(fixture.here.edits).toHaveLength(edits);
  });

  it('grows no longer than it can be shown', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target, 'long');
    await fixture.here.db.query(
      sql`update notes set body = repeat('x', ${(16 << 20) - 2_004}) where id = ${thread.notes[0].id}`,
    );
    await reply(target, thread.id, 'four');
    const edits = fixture.here.edits.length;
    for (const body of ['.', '.\n/spend 1h\n/close'])
      await expect(reply(target, thread.id, body)).rejects.toMatchObject({ kind: 'bad_request' });
    expect(fixture.here.edits).toHaveLength(edits);
    expect(await reply(target, thread.id, '/close')).toMatchObject({ summary: ['Closed it.'] });
  });

  it('that does not exist is distinguished from its notes (G-4.7-4)', async () => {
    const target = fixture.mergeRequest();
    const nowhere = { noteable: mergeRequestRef(target), discussionId: 'f'.repeat(40) };
    const as = fixture.as(fixture.bob);
    await expect(fixture.here.discussions.listDiscussionNotes(nowhere, as)).rejects.toMatchObject({
      body: { message: '404 Notes Not Found' },
    });
    await expect(fixture.here.discussions.getDiscussion(nowhere, as)).rejects.toMatchObject({
      body: { message: '404 Discussion Not Found' },
    });
  });

  it('loses notes until nothing is left; the next becomes the first', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target, 'one');
    const second = await reply(target, thread.id, 'two', fixture.bob);
    await expect(remove(target, thread.id, thread.notes[0].id, fixture.eve)).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await expect(remove(target, 'f'.repeat(40), second.id)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(remove(target, thread.id, second.id, fixture.bob, new Date(0))).rejects.toMatchObject({
      kind: 'precondition_failed',
    });
    await remove(target, thread.id, thread.notes[0].id);
    expect((await list(target)).items).toMatchObject([{ id: thread.id, notes: [{ id: second.id }] }]);
    expect(await counters(target)).toEqual([1, 1]);
    await remove(target, thread.id, second.id);
    expect((await list(target)).items).toEqual([]);
    expect(await counters(target)).toEqual([0, 0]);
    await expect(get(target, thread.id)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('has notes whose text is changed by those who may', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target, 'one');
    const [first] = thread.notes;
    expect(await change(target, thread.id, first.id, { body: 'uno' })).toMatchObject({ body: 'uno' });
    await expect(change(target, thread.id, first.id, { body: 'x' }, fixture.eve)).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await expect(change(target, thread.id, first.id, {})).rejects.toMatchObject({ kind: 'invalid_params' });
    const other = await start(target, 'two');
    await expect(change(target, other.id, first.id, { body: 'x' })).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('is internal as a whole, and invisible below Reporter', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target, 'secret', fixture.bob, true);
    expect(await reply(target, thread.id, 'sh')).toMatchObject({ internal: true });
    expect((await list(target, fixture.eve)).items).toEqual([]);
    await expect(get(target, thread.id, fixture.eve)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(reply(target, thread.id, 'x', fixture.eve)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('the list of discussions', () => {
  it('pages by first note, oldest first', async () => {
    const target = fixture.mergeRequest();
    const ids: string[] = [];
    for (const body of ['a', 'b', 'c']) ids.push((await start(target, body)).id);
    await reply(target, ids[0]!, 'late');
    expect((await list(target)).items.map(({ id }) => id)).toEqual(ids);
    const first = await list(target, fixture.bob, { keyset: true, perPage: 2 });
    const next = await list(target, fixture.bob, { keyset: true, perPage: 2, cursor: first.page!.nextCursor });
    expect([...first.items, ...next.items].map(({ id }) => id)).toEqual(ids);
  });

  it('costs the same at two threads and at a hundred', async () => {
    const target = fixture.mergeRequest();
    const { notes } = await start(target, 'first');
    await fixture.here.db.query(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body)
      select noteable_id, project_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), true, type, author_id, 'n'
      from notes, generate_series(1, 99) n where id = ${notes[0].id}`);
    for (const perPage of [2, 100]) {
      const { result, cost } = await measureCost(() => list(target, fixture.bob, { perPage }));
      expect(result.items).toHaveLength(perPage);
      expect(cost).toEqual({ statements: 3, calls: 2 });
    }
  });

  it('has the notes of each whole, also where they are asked for alone, at the same cost for two and a hundred', async () => {
    const target = fixture.mergeRequest();
    const { id: discussionId, notes } = await start(target, 'first');
    await reply(target, discussionId, 'second');
    const asked = () =>
      measureCost(() =>
        fixture.here.discussions.listDiscussionNotes(
          { noteable: mergeRequestRef(target), discussionId },
          fixture.as(fixture.bob),
        ),
      );
    const few = await asked();
    expect(json(few.result)).toHaveLength(2);
    await fixture.here.db.query(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body)
      select noteable_id, project_id, discussion_id, false, type, author_id, 'n'
      from notes, generate_series(1, 98) n where id = ${notes[0].id}`);
    const many = await asked();
    expect(json(many.result)).toHaveLength(100);
    expect(many.cost).toEqual(few.cost);
  });
});

it('threads that change concurrently are counted right', async () => {
  const target = fixture.mergeRequest();
  const threads = await Promise.all(Array.from({ length: 6 }, (_, at) => start(target, `t${at}`)));
  await Promise.all(
    threads.flatMap((thread) => [
      reply(target, thread.id, 'r'),
      reply(target, thread.id, 's', fixture.bob),
      resolve(target, thread.id, true),
    ]),
  );
  const [row] = await fixture.here.db.query<Item>(sql`
    select c.user_notes_count, c.unresolved_count, count(n.id)::int as notes,
      count(distinct n.discussion_id) filter (where n.resolved_at is null)::int as unresolved
    from noteables c join notes n on n.noteable_id = c.id where c.target_id = ${target.id} group by c.id`);
  expect([row.user_notes_count, row.unresolved_count]).toEqual([row.notes, row.unresolved]);
  expect(await counters(target)).toEqual([row.notes, row.unresolved]);
});

describe('a diff note', () => {
  const place = (given: Partial<NotePosition> = {}) =>
    NotePosition.fromPartial({
      baseSha: 'a'.repeat(40),
      startSha: 'a'.repeat(40),
      headSha: 'b'.repeat(40),
      positionType: 'text',
      newPath: 'file.txt',
      newLine: 4,
      ...given,
    });
  const startAt = async (target: StoredTarget, position: NotePosition, commitId?: string): Promise<Item> =>
    json(
      await fixture.here.discussions.createDiscussion(
        { noteable: mergeRequestRef(target), body: 'here', createdAt: undefined, internal: false, position, commitId },
        fixture.as(fixture.bob),
      ),
    );

  it('stands at a place of the diff, its replies with it', async () => {
    const target = fixture.mergeRequest();
    const thread = await startAt(target, place());
    expect(thread.notes).toMatchObject([
      {
        type: 'DiffNote',
        commit_id: null,
        suggestions: [],
        resolvable: true,
        position: {
          base_sha: 'a'.repeat(40),
          start_sha: 'a'.repeat(40),
          head_sha: 'b'.repeat(40),
          old_path: 'file.txt',
          new_path: 'file.txt',
          position_type: 'text',
          old_line: null,
          new_line: 4,
          line_range: null,
        },
      },
    ]);
    expect(await reply(target, thread.id, 'there')).toMatchObject({ type: 'DiffNote', position: { new_line: 4 } });
    for (const bad of [{ newLine: undefined }, { positionType: 'x' }, { newPath: '' }, { newPath: 'unchanged.txt' }])
      await expect(startAt(target, place(bad))).rejects.toMatchObject({ kind: 'bad_request' });
  });

  it('moves with a push, or is outdated by it', async () => {
    const target = fixture.mergeRequest();
    const moves = await startAt(target, place());
    await reply(target, moves.id, 'me too');
    const stays = await startAt(target, place({ newPath: 'gone.txt' }));
    const ofCommit = await startAt(target, place(), 'b'.repeat(40));
    expect(ofCommit.notes).toMatchObject([{ commit_id: 'b'.repeat(40) }]);
    await expect(startAt(target, place(), 'c'.repeat(40))).rejects.toMatchObject({ kind: 'bad_request' });
    await fixture.here.publish(
      target,
      {
        $case: 'acted',
        value: {
          kind: MergeRequestActed_Kind.KIND_PUSHED,
          push: undefined,
          approved: undefined,
          lostApprovalUserIds: [],
        },
      },
      { cause: 1 },
    );
    const places = async (id: string) =>
      (await get(target, id)).notes.map(({ position }: Item) => [position.head_sha[0], position.new_line]);
    await eventually(async () =>
      expect(await places(moves.id)).toEqual([
        ['e', 5],
        ['e', 5],
      ]),
    );
    expect(await places(stays.id)).toEqual([['b', 4]]);
    expect(await places(ofCommit.id)).toEqual([['b', 4]]);
    await eventually(async () => expect(await fixture.here.db.query(sql`select 1 from diff_note_moves`)).toEqual([]));
  });
});

describe('a commit', () => {
  it('carries threads, that cannot be resolved', async () => {
    const noteable = { projectId: fixture.project.id, target: { $case: 'commit' as const, value: 'main' } };
    const request = { noteable, body: 'Why?', createdAt: undefined, internal: false, position: undefined };
    const thread = json(await fixture.here.discussions.createDiscussion(request, fixture.as(fixture.bob)));
    expect(thread.notes).toMatchObject([
      { noteable_type: 'Commit', noteable_id: null, commit_id: 'c'.repeat(40), resolvable: false },
    ]);
    expect(thread.notes[0]).not.toHaveProperty('noteable_iid');
    const listed = await fixture.here.discussions.listDiscussions(
      { noteable, page: pageOf() },
      fixture.as(fixture.eve),
    );
    expect(json(listed)).toHaveLength(1);
    await expect(
      fixture.here.discussions.resolveDiscussion(
        { noteable, discussionId: thread.id, resolved: true },
        fixture.as(fixture.ada),
      ),
    ).rejects.toMatchObject({ kind: 'forbidden' });
    const nothing = { ...noteable, target: { $case: 'commit' as const, value: 'nothing' } };
    await expect(
      fixture.here.discussions.createDiscussion({ ...request, noteable: nothing }, fixture.as(fixture.bob)),
    ).rejects.toMatchObject({ body: { message: '404 Commit Not Found' } });
  });

  it('carries comments in the form of the commits API', async () => {
    const noteable = { projectId: fixture.project.id, target: { $case: 'commit' as const, value: 'topic' } };
    const comment = async (given: { path?: string; line?: number; lineType?: string }) =>
      json(
        await fixture.here.discussions.createCommitComment(
          { noteable, note: 'Hm', path: '', line: 0, lineType: '', ...given },
          fixture.as(fixture.bob),
        ),
      );
    const author = expect.objectContaining({ username: 'bob' });
    const plain = { note: 'Hm', path: null, line: null, line_type: null, author, created_at: expect.any(String) };
    expect(await comment({})).toEqual(plain);
    expect(await comment({ path: 'unchanged.txt', line: 3 })).toEqual(plain);
    expect(await comment({ path: 'a.txt', line: 3 })).toEqual({ ...plain, path: 'a.txt', line: 3, line_type: 'new' });
    expect(await comment({ path: 'a.txt', line: 4, lineType: 'old' })).toMatchObject({ line: 4, line_type: 'old' });
    const listed = await fixture.here.discussions.listCommitComments(
      { noteable, page: pageOf() },
      fixture.as(fixture.eve),
    );
    expect(json(listed).map(({ line }: Item) => line)).toEqual([null, null, 3, 4]);
  });
});
