import { createHash } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { NotePosition } from '@switchyard/protos/collaboration/v1/discussion';
import { CreateDraftNoteRequest } from '@switchyard/protos/collaboration/v1/draft_note';
import { dieAt, eventually, terminate } from '@switchyard/testkit';
import type { StoredTarget } from '../support/installation';
import { type Item, json, mergeRequestRef, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

const at = (target: StoredTarget) => ({ projectId: target.projectId, mergeRequestIid: target.iid });

const draft = async (target: StoredTarget, given: Partial<CreateDraftNoteRequest> = {}, user = fixture.bob) =>
  json(
    await fixture.here.drafts.createDraftNote(
      CreateDraftNoteRequest.fromPartial({ ...at(target), note: 'Why?', ...given }),
      fixture.as(user),
    ),
  );

const list = async (target: StoredTarget, user = fixture.bob): Promise<Item[]> =>
  json(await fixture.here.drafts.listDraftNotes({ ...at(target), page: pageOf() }, fixture.as(user)));

const publish = (target: StoredTarget, draftNoteId?: number, user = fixture.bob, level?: number) =>
  fixture.here.drafts.publishDraftNotes(
    { ...at(target), draftNoteId },
    fixture.as(user, level === undefined ? {} : { level }),
  );

const threads = async (target: StoredTarget, user = fixture.ada): Promise<Item[]> =>
  json(
    await fixture.here.discussions.listDiscussions(
      { noteable: mergeRequestRef(target), page: pageOf() },
      fixture.as(user),
    ),
  );

const start = async (target: StoredTarget, internal = false): Promise<Item> =>
  json(
    await fixture.here.discussions.createDiscussion(
      { noteable: mergeRequestRef(target), body: 'Thread', createdAt: undefined, internal, position: undefined },
      fixture.as(fixture.ada),
    ),
  );

const bodies = async (target: StoredTarget): Promise<string[][]> =>
  (await threads(target)).map((thread: Item) => thread.notes.map((note: Item) => note.body));

const facts = async (target: StoredTarget): Promise<string[]> => {
  const rows = await fixture.here.db.query<{ body: Item }>(
    sql`select body from events.outbox where type = 'note.changed' and key like ${`%:${target.id}`} order by id`,
  );
  return rows.map(({ body }) => Object.keys(body).find((key) => /created|discussionChanged|reviewed/.test(key)) ?? '');
};

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Item) => [error.kind, error.body.message],
  );

const place = (given: Partial<NotePosition> = {}) =>
  NotePosition.fromPartial({
    baseSha: 'a'.repeat(40),
    startSha: 'a'.repeat(40),
    headSha: 'b'.repeat(40),
    positionType: 'text',
    newPath: 'file.txt',
    newLine: 3,
    ...given,
  });

describe('a draft', () => {
  it('is seen, changed and deleted by its author alone', async () => {
    const target = fixture.mergeRequest();
    const made = await draft(target);
    expect(made).toEqual({
      id: made.id,
      author_id: fixture.bob.id,
      merge_request_id: target.id,
      resolve_discussion: false,
      discussion_id: null,
      note: 'Why?',
      commit_id: null,
      position: {
        ...{ base_sha: null, start_sha: null, head_sha: null, old_path: null, new_path: null },
        ...{ position_type: 'text', old_line: null, new_line: null, line_range: null },
      },
      line_code: null,
    });
    await draft(target, { note: 'Of another' }, fixture.ada);
    expect((await list(target)).map(({ id }) => id)).toEqual([made.id]);
    const one = { ...at(target), draftNoteId: made.id };
    const edit = { ...one, note: 'Why so?', position: place() };
    for (const user of [fixture.ada, fixture.mallory]) {
      const as = fixture.as(user, { admin: user === fixture.ada });
      const missing = ['not_found', '404 Draft Note Not Found'];
      expect(await refusal(fixture.here.drafts.getDraftNote(one, as))).toEqual(missing);
      expect(await refusal(fixture.here.drafts.updateDraftNote(edit, as))).toEqual(missing);
      expect(await refusal(fixture.here.drafts.deleteDraftNote(one, as))).toEqual(missing);
      expect(await refusal(fixture.here.drafts.publishDraftNotes(one, as))).toEqual(missing);
    }
    expect(await threads(target)).toEqual([]);
    expect(json(await fixture.here.drafts.updateDraftNote(edit, fixture.as(fixture.bob)))).toMatchObject({
      note: 'Why so?',
      position: { new_path: 'file.txt', old_path: 'file.txt', new_line: 3 },
      line_code: `${createHash('sha1').update('file.txt').digest('hex')}_3_3`,
    });
    await fixture.here.drafts.deleteDraftNote(one, fixture.as(fixture.bob));
    expect(await list(target)).toEqual([]);
    expect(await list(target, fixture.ada)).toHaveLength(1);
  });

  it('is refused for what it cannot become', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target);
    const secret = await start(target, true);
    expect(await refusal(draft(target, { note: ' ' }))).toEqual([
      'bad_request',
      '400 Bad request - Note {:note=>["can\'t be blank"]}',
    ]);
    expect(await refusal(draft(target, { position: place({ newPath: 'unchanged.txt' }) }))).toEqual([
      'bad_request',
      expect.stringContaining('line_code'),
    ]);
    expect(await refusal(draft(target, { commitId: 'main' }))).toEqual(['invalid', { commit_id: ['is invalid'] }]);
    const noThread = ['invalid', { base: ['Thread to reply to cannot be found'] }];
    expect(await refusal(draft(target, { inReplyToDiscussionId: 'f'.repeat(40) }))).toEqual(noThread);
    expect(await refusal(draft(target, { inReplyToDiscussionId: secret.id }, fixture.eve))).toEqual(noThread);
    const notResolved = ['invalid', { base: ['User is not allowed to resolve thread'] }];
    expect(await refusal(draft(target, { resolveDiscussion: true }))).toEqual(notResolved);
    const resolving = { inReplyToDiscussionId: thread.id, resolveDiscussion: true };
    expect(await refusal(draft(target, resolving, fixture.eve))).toEqual(notResolved);
    const locked = fixture.mergeRequest({ discussionLocked: true });
    expect(await refusal(draft(locked, {}, fixture.mallory))).toEqual(['forbidden', expect.any(String)]);
    const hidden = fixture.mergeRequest({ hiddenFrom: [fixture.bob.id] });
    expect(await refusal(draft(hidden))).toEqual(['not_found', '404 Merge request Not Found']);
  });

  it('finds room for a hundred of a user, and for 16 MiB of text', async () => {
    const target = fixture.mergeRequest();
    await draft(target);
    await fixture.here.db.query(sql`
      insert into draft_notes (noteable_id, author_id, body)
      select noteable_id, author_id, body from draft_notes, generate_series(1, 99)
      where noteable_id = (select id from noteables where target_id = ${target.id})`);
    expect(await refusal(draft(target))).toEqual(['invalid', { base: ['Too many draft notes (maximum is 100)'] }]);
    expect(await draft(target, {}, fixture.ada)).toMatchObject({ author_id: fixture.ada.id });
    await publish(target);
    expect(await bodies(target)).toHaveLength(100);
    const long = fixture.mergeRequest();
    await draft(long);
    await fixture.here.db.query(sql`
      update draft_notes set body = repeat('x', 16777200) where noteable_id = (select id from noteables where target_id = ${long.id})`);
    expect(await refusal(draft(long, { note: 'x'.repeat(17) }))).toEqual([
      'invalid',
      { base: ['Draft notes are too long together (maximum is 16777216 bytes)'] },
    ]);
  });
});

describe('publishing', () => {
  it('makes notes and threads together, resolves, and says that it was a review', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target);
    await draft(target, { note: 'Hello @ada' });
    await draft(target, { note: 'Here', position: place() });
    await draft(target, { note: 'Done', inReplyToDiscussionId: thread.id, resolveDiscussion: true });
    await draft(target, { note: '/title Other' });
    await publish(target);
    const made = await threads(target);
    expect(made.map(({ notes }) => notes.map((note: Item) => [note.type, note.body, note.author.username]))).toEqual([
      [
        ['DiscussionNote', 'Thread', 'ada'],
        ['DiscussionNote', 'Done', 'bob'],
      ],
      [['DiscussionNote', 'Hello @ada', 'bob']],
      [['DiffNote', 'Here', 'bob']],
    ]);
    expect(made[0].notes.map((note: Item) => note.resolved)).toEqual([true, true]);
    expect(made[2].notes[0].position).toMatchObject({ new_path: 'file.txt' });
    expect(fixture.here.edits.at(-1)).toMatchObject({ title: 'Other', userId: fixture.bob.id });
    expect(await list(target)).toEqual([]);
    expect((await facts(target)).slice(1)).toEqual(['created', 'created', 'created', 'discussionChanged', 'reviewed']);
    await publish(target);
    expect(await facts(target)).toHaveLength(6);
  });

  it('publishes one of them', async () => {
    const target = fixture.mergeRequest();
    const [first, second] = [await draft(target, { note: 'One' }), await draft(target, { note: 'Two' })];
    await publish(target, second.id);
    expect(await bodies(target)).toEqual([['Two']]);
    expect((await list(target)).map(({ id }) => id)).toEqual([first.id]);
    expect(await refusal(publish(target, second.id))).toEqual(['not_found', '404 Draft Note Not Found']);
  });

  it('publishes nothing where one cannot be, and names each that cannot', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target);
    const secret = await start(target, true);
    await draft(target, { note: 'Fine' });
    const orphan = await draft(target, { note: 'Lost', inReplyToDiscussionId: thread.id });
    const unseen = await draft(target, { note: 'Secret', inReplyToDiscussionId: secret.id });
    await fixture.here.discussions.deleteDiscussionNote(
      {
        noteable: mergeRequestRef(target),
        discussionId: thread.id,
        noteId: thread.notes[0].id,
        ifUnmodifiedSince: undefined,
      },
      fixture.as(fixture.ada),
    );
    expect(await refusal(publish(target, undefined, fixture.bob, 10))).toEqual([
      'invalid',
      {
        base: [orphan, unseen].map(({ id }) => `Draft note ${id}: Thread to reply to cannot be found`),
      },
    ]);
    expect(await bodies(target)).toEqual([['Thread']]);
    expect(await list(target)).toHaveLength(3);
  });

  it('is refused where the author may not comment any more; without the right to resolve, it replies', async () => {
    const target = fixture.mergeRequest();
    const thread = await start(target);
    await draft(target, { note: 'Done', inReplyToDiscussionId: thread.id, resolveDiscussion: true });
    target.discussionLocked = true;
    expect(await refusal(publish(target, undefined, fixture.bob, 0))).toEqual(['forbidden', expect.any(String)]);
    await publish(target, undefined, fixture.bob, 10);
    const [now] = await threads(target);
    expect(now.notes.map((note: Item) => [note.body, note.resolved])).toEqual([
      ['Thread', false],
      ['Done', false],
    ]);
  });

  it('publishes each once when it is asked for twice at a time', async () => {
    const target = fixture.mergeRequest();
    for (const note of ['One', 'Two', 'Three']) await draft(target, { note });
    await Promise.all([publish(target), publish(target), publish(target)]);
    expect(await bodies(target)).toEqual([['One'], ['Two'], ['Three']]);
    expect(await facts(target)).toEqual(['created', 'created', 'created', 'reviewed']);
  });

  it('is a review that the author has to look at, but not the one who wrote it (G-2-23)', async () => {
    const todos = (target: StoredTarget) =>
      fixture.here.db.query(sql`
        select user_id, author_id from todos where action = 'review_submitted' and target_id = ${target.id}`);
    const [theirs, own] = [fixture.ada, fixture.bob].map(({ id }) => fixture.mergeRequest({ authorId: id }));
    for (const target of [own, theirs]) {
      for (const note of ['One', 'Two']) await draft(target as StoredTarget, { note });
      await publish(target as StoredTarget);
    }
    await eventually(async () =>
      expect(await todos(theirs as StoredTarget)).toEqual([{ user_id: fixture.ada.id, author_id: fixture.bob.id }]),
    );
    expect(await todos(own as StoredTarget)).toEqual([]);
  });

  it('gives up the drafts of deleted users and merge requests', async () => {
    const target = fixture.mergeRequest();
    const gone = fixture.mergeRequest();
    const kept = fixture.mergeRequest();
    const leaver = fixture.here.directory.user({ username: 'leaver' });
    await draft(target, {}, leaver);
    await draft(gone);
    await draft(kept);
    await fixture.here.stopHere();
    const ghost = [...fixture.here.directory.users.values()].find(({ username }) => username === 'ghost');
    fixture.here.directory.removeUser(leaver.id, ghost?.id ?? 0);
    await fixture.here.db.query(sql`update noteables set removed_at = now() where target_id = ${gone.id}`);
    await fixture.here.startHere();
    await eventually(async () => {
      const left = await fixture.here.db.query<{ id: number }>(sql`
        select o.target_id as id from draft_notes d join noteables o on o.id = d.noteable_id
        where o.target_id in (${target.id}, ${gone.id}, ${kept.id})`);
      expect(left).toEqual([{ id: kept.id }]);
    });
  });
});

describe('a process that dies while it publishes', () => {
  it.each(['note.written', 'note.committed'])('at %s leaves every draft, or every note', async (point) => {
    const target = fixture.mergeRequest();
    for (const note of ['One', 'Two', '/title Other']) await draft(target, { note });
    await fixture.here.stopHere();
    await dieAt(point, fixture.here.startProcess, async () => {
      await publish(target).catch(() => undefined);
    });
    const next = await fixture.here.startProcess();
    const before = await list(target);
    expect([before.length, (await bodies(target)).length]).toEqual(point === 'note.written' ? [3, 0] : [0, 2]);
    await publish(target);
    expect([await list(target), await bodies(target)]).toEqual([[], [['One'], ['Two']]]);
    expect(await facts(target)).toEqual(['created', 'created', 'reviewed']);
    expect(await terminate(next)).toBe(0);
    await fixture.here.startHere();
  });
});

test('time that a draft reports has one cause and names its note, however often it is published', async () => {
  const target = fixture.mergeRequest();
  const thread = await start(target);
  await draft(target, { note: 'Looked at it.\n/spend 1h\n/spend 1h' });
  const lost = await draft(target, { note: 'Yes', inReplyToDiscussionId: thread.id });
  await fixture.here.db.query(sql`delete from notes where id = ${thread.notes[0].id}`);
  const seen = fixture.here.edits.length;
  expect(await refusal(publish(target))).toEqual(['invalid', { base: [expect.stringContaining(`${lost.id}`)] }]);
  await fixture.here.drafts.deleteDraftNote({ ...at(target), draftNoteId: lost.id }, fixture.as(fixture.bob));
  await publish(target);
  const [first, second, ...again] = fixture.here.edits.slice(seen) as Item[];
  expect(first.cause).not.toBe(second.cause);
  expect(again.map(({ cause }: Item) => cause)).toEqual([first.cause, second.cause]);
  const [note] = (await threads(target))[0].notes;
  expect([first, second, ...again].map(({ tracking }: Item) => tracking.noteId)).toEqual(Array(4).fill(note.id));
});
