import { sql } from '@switchyard/database/sql';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { measureCost } from '@switchyard/rpc';
import type { StoredTarget } from '../support/installation';
import { type Item, json, mergeRequestRef, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

type Given = { admin?: boolean; level?: number };

const write = async (
  target: StoredTarget,
  body: string,
  user: DirectoryUser = fixture.bob,
  { internal = false, createdAt, ...given }: Given & { internal?: boolean; createdAt?: Date } = {},
) => {
  const request = { noteable: mergeRequestRef(target), body, internal, createdAt };
  const reply = await fixture.here.notes.createNote(request, fixture.as(user, given));
  return { status: reply.status, ...json(reply) } as Item;
};

const list = async (
  target: StoredTarget,
  user: DirectoryUser = fixture.bob,
  { filter = '', ...page }: Parameters<typeof pageOf>[0] & { filter?: string } = {},
): Promise<{ bodies: string[]; items: Item[]; page: Item }> => {
  const reply = await fixture.here.notes.listNotes(
    { noteable: mergeRequestRef(target), activityFilter: filter, page: pageOf(page) },
    fixture.as(user),
  );
  const items = json(reply);
  return { items, bodies: items.map((item: Item) => item.body), page: reply.page };
};

const get = async (target: StoredTarget, noteId: number, user: DirectoryUser = fixture.bob) =>
  json(await fixture.here.notes.getNote({ noteable: mergeRequestRef(target), noteId }, fixture.as(user)));

const update = async (
  target: StoredTarget,
  noteId: number,
  body: string | undefined,
  user: DirectoryUser = fixture.bob,
  { confidential, ...given }: Given & { confidential?: boolean } = {},
) =>
  json(
    await fixture.here.notes.updateNote(
      { noteable: mergeRequestRef(target), noteId, body, confidential },
      fixture.as(user, given),
    ),
  );

const remove = (target: StoredTarget, noteId: number, user: DirectoryUser = fixture.bob, since?: Date) =>
  fixture.here.notes.deleteNote(
    { noteable: mergeRequestRef(target), noteId, ifUnmodifiedSince: since },
    fixture.as(user),
  );

const published = async (target: StoredTarget): Promise<Item[]> => {
  const rows = await fixture.here.db.query<{ body: Item }>(
    sql`select body from events.outbox where type = 'note.changed' and key like ${`%:${target.id}`} order by id`,
  );
  return rows.map(({ body }) => body);
};

describe('a note', () => {
  it('is written, read, changed, and deleted', async () => {
    const target = fixture.mergeRequest();
    const made = await write(target, 'Looks good, @ada');
    expect(made).toMatchObject({
      status: 0,
      type: null,
      body: 'Looks good, @ada',
      author: { username: 'bob' },
      system: false,
      noteable_id: target.id,
      noteable_iid: target.iid,
      noteable_type: 'MergeRequest',
      resolvable: false,
      internal: false,
      commands_changes: {},
    });
    expect(await get(target, made.id)).toMatchObject({ body: 'Looks good, @ada' });
    const changed = await update(target, made.id, 'Looks fine');
    expect(changed.body).toBe('Looks fine');
    expect(Date.parse(changed.updated_at)).toBeGreaterThanOrEqual(Date.parse(made.updated_at));
    await remove(target, made.id);
    await expect(get(target, made.id)).rejects.toMatchObject({ body: { message: '404 Not found' } });
    expect(
      (await published(target)).map((event) => [Object.keys(event).at(-1), event.counters.userNotesCount ?? 0]),
    ).toEqual([
      ['created', 1],
      ['updated', 1],
      ['deleted', 0],
    ]);
    expect((await published(target))[0].created.mentions).toEqual({ usernames: ['ada'] });
  });

  it('is refused where there is nothing to comment on', async () => {
    const hidden = fixture.mergeRequest({ hiddenFrom: [fixture.bob.id] });
    for (const target of [hidden, { ...hidden, iid: 99_999 }]) {
      await expect(write(target, 'x')).rejects.toMatchObject({
        body: { message: '404 Merge request Not Found' },
      });
    }
    const elsewhere = { ...fixture.mergeRequest(), projectId: fixture.project.id + 1 };
    await expect(write(elsewhere, 'x')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('has a body of 1 to 1,000,000 characters', async () => {
    const target = fixture.mergeRequest();
    for (const blank of ['', '  \n'])
      await expect(write(target, blank)).rejects.toMatchObject({
        body: { message: '400 Bad request - Note {:note=>["can\'t be blank"]}' },
      });
    await expect(write(target, '🙂'.repeat(1_000_001))).rejects.toMatchObject({
      body: { message: '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}' },
    });
    expect((await write(target, '🙂'.repeat(1_000_000))).body).toHaveLength(2_000_000);
    await write(target, '@ada '.repeat(100_000));
    await write(target, '['.repeat(500_000));
    expect((await published(target)).at(-2).created.mentions.directlyAddressedUsernames).toEqual(['ada']);
  });

  it('is locked to members where the discussion is', async () => {
    const target = fixture.mergeRequest({ discussionLocked: true });
    await expect(write(target, 'x', fixture.mallory)).rejects.toMatchObject({ kind: 'forbidden' });
    const { id } = await write(target, 'x', fixture.eve);
    for (const noteId of [undefined, id]) {
      const awardable = { noteable: mergeRequestRef(target), noteId };
      const react = (user: Parameters<typeof fixture.as>[0]) =>
        fixture.here.awards.createAwardEmoji({ awardable, name: 'tada' }, fixture.as(user));
      await expect(react(fixture.mallory)).rejects.toMatchObject({ kind: 'not_found' });
      await react(fixture.eve);
    }
    const open = fixture.mergeRequest();
    const written = await write(open, 'calm', fixture.mallory);
    fixture.here.targets.set(open.id, { ...open, discussionLocked: true });
    await expect(update(open, written.id, 'angry', fixture.mallory)).rejects.toMatchObject({ kind: 'forbidden' });
    expect((await update(open, written.id, 'edited', fixture.ada)).body).toBe('edited');
  });

  it('is edited and deleted by its author and by Maintainers, a system note by no one (G-4.6-6)', async () => {
    const target = fixture.mergeRequest();
    const note = await write(target, 'mine', fixture.bob);
    await expect(update(target, note.id, 'x', fixture.eve)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(remove(target, note.id, fixture.eve)).rejects.toMatchObject({ kind: 'forbidden' });
    await update(target, note.id, 'theirs', fixture.ada);
    await expect(update(target, note.id, 'x', fixture.bob, { confidential: true })).rejects.toMatchObject({
      kind: 'bad_request',
    });
    await expect(remove(target, note.id, fixture.bob, new Date(0))).rejects.toMatchObject({
      kind: 'precondition_failed',
    });
    await fixture.here.db.query(sql`update notes set system = true where id = ${note.id}`);
    await expect(update(target, note.id, 'x', fixture.ada)).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(remove(target, note.id, fixture.ada)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('takes the present value of confidential, and no other (G-4.6-4)', async () => {
    const target = fixture.mergeRequest();
    const note = await write(target, 'mine', fixture.bob);
    expect(await update(target, note.id, undefined, fixture.bob, { confidential: false })).toMatchObject({
      body: 'mine',
      confidential: false,
      updated_at: note.updated_at,
    });
    await expect(update(target, note.id, undefined, fixture.bob, { confidential: true })).rejects.toMatchObject({
      kind: 'bad_request',
    });
    await expect(update(target, note.id, undefined, fixture.eve, { confidential: false })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  it('may be dated by owners and administrators; the wish of others is ignored (G-4.6-7)', async () => {
    const target = fixture.mergeRequest();
    const createdAt = new Date('2001-02-03T04:05:06.000Z');
    const dated = await write(target, 'old', fixture.ada, { createdAt, level: 50 });
    expect([dated.created_at, dated.updated_at]).toEqual([createdAt.toISOString(), createdAt.toISOString()]);
    expect((await write(target, 'old', fixture.mallory, { createdAt, admin: true })).created_at).toBe(
      createdAt.toISOString(),
    );
    const early = new Date('1969-12-31T00:00:00Z');
    expect((await write(target, 'new', fixture.ada, { createdAt: early })).created_at).not.toMatch(/^1969/);
    await expect(write(target, 'x', fixture.ada, { createdAt: early, level: 50 })).rejects.toMatchObject({
      kind: 'bad_request',
    });
  });

  it('is internal from Reporter on, and invisible below (G-4.6-9)', async () => {
    const target = fixture.mergeRequest();
    await expect(write(target, 'x', fixture.eve, { internal: true })).rejects.toMatchObject({ kind: 'forbidden' });
    const note = await write(target, 'secret', fixture.bob, { internal: true });
    expect(note).toMatchObject({ internal: true, confidential: true });
    await write(target, 'open', fixture.bob);
    expect((await list(target, fixture.bob)).bodies).toEqual(['open', 'secret']);
    expect(await list(target, fixture.eve)).toMatchObject({ bodies: ['open'], page: { total: 1 } });
    await expect(get(target, note.id, fixture.eve)).rejects.toMatchObject({
      body: { message: '404 Note Not Found' },
    });
  });

  it('that is internal is answered like a missing one', async () => {
    const target = fixture.mergeRequest();
    const note = await write(target, 'secret', fixture.bob, { internal: true });
    const missing = note.id + 1_000_000;
    const answer = (refused: Promise<unknown>) => refused.then(undefined, ({ kind, body }) => ({ kind, body }));
    expect(await answer(get(target, note.id, fixture.eve))).toEqual(await answer(get(target, missing, fixture.eve)));
    await expect(get(target, missing, fixture.bob)).rejects.toMatchObject({ body: { message: '404 Not found' } });
  });

  it('that belongs to another object is not there', async () => {
    const note = await write(fixture.mergeRequest(), 'here');
    await expect(get(fixture.mergeRequest(), note.id)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

describe('the list of notes', () => {
  it('sorts both ways by both columns, filters, and pages', async () => {
    const target = fixture.mergeRequest();
    const notes: Item[] = [];
    for (const body of ['a', 'b', 'c']) notes.push(await write(target, body));
    await update(target, notes[0].id, 'a2');
    await fixture.here.db.query(sql`update notes set system = true where id = ${notes[1].id}`);
    expect((await list(target)).bodies).toEqual(['c', 'b', 'a2']);
    expect((await list(target, fixture.bob, { descending: false })).bodies).toEqual(['a2', 'b', 'c']);
    expect((await list(target, fixture.bob, { orderBy: 'updated_at' })).bodies).toEqual(['a2', 'c', 'b']);
    expect((await list(target, fixture.bob, { filter: 'only_comments' })).bodies).toEqual(['c', 'a2']);
    expect((await list(target, fixture.bob, { filter: 'only_activity' })).bodies).toEqual(['b']);
    const first = await list(target, fixture.bob, { keyset: true, perPage: 2 });
    const next = await list(target, fixture.bob, { keyset: true, perPage: 2, cursor: first.page.nextCursor });
    expect([...first.bodies, ...next.bodies]).toEqual(['c', 'b', 'a2']);
  });

  it('costs the same at two rows and at a hundred', async () => {
    const target = fixture.mergeRequest();
    const { id } = await write(target, 'first');
    await fixture.here.db.query(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
      select noteable_id, project_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), true, author_id, 'n'
      from notes, generate_series(1, 99) n where id = ${id}`);
    for (const perPage of [2, 100]) {
      const { result, cost } = await measureCost(() => list(target, fixture.bob, { perPage }));
      expect(result.items).toHaveLength(perPage);
      expect(cost).toEqual({ statements: 2, calls: 2 });
    }
  });

  it('is for those who are logged in', async () => {
    const target = fixture.mergeRequest();
    await expect(
      fixture.here.notes.listNotes(
        { noteable: mergeRequestRef(target), activityFilter: '', page: pageOf() },
        fixture.as(undefined),
      ),
    ).rejects.toMatchObject({ kind: 'unauthorized' });
  });
});

describe('a body that says something else', () => {
  it('is one too many after 300 in a minute, a thread is not (G-4.6-10)', async () => {
    const target = fixture.mergeRequest();
    await write(target, 'x', fixture.eve);
    await fixture.here.db.query(sql`update note_rates set count = 299 where user_id = ${fixture.eve.id}`);
    await write(target, ':rocket:', fixture.eve);
    await expect(write(target, 'y', fixture.eve)).rejects.toMatchObject({
      kind: 'rate_limited',
      retryAfter: 60,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    });
    const request = { noteable: mergeRequestRef(target), body: 'z', createdAt: undefined, internal: false };
    await fixture.here.discussions.createDiscussion({ ...request, position: undefined }, fixture.as(fixture.eve));
    await fixture.here.db.query(sql`delete from note_rates`);
  });

  it('is a reaction when it is one emoji (G-4.6-8)', async () => {
    const target = fixture.mergeRequest();
    expect(await write(target, ':+1: ')).toEqual({
      status: 0,
      id: expect.any(Number),
      name: 'thumbsup',
      user: expect.objectContaining({ username: 'bob' }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      awardable_id: target.id,
      awardable_type: 'MergeRequest',
      url: null,
    });
    await expect(write(target, ':thumbsup:')).rejects.toMatchObject({
      body: { message: '404 Award Emoji Name has already been taken Not Found' },
    });
    expect((await published(target)).at(-1)).toMatchObject({
      counters: { upvotes: 1 },
      reacted: { name: 'thumbsup', given: true },
    });
    const hidden = await write(target, ':rocket:', fixture.bob, { internal: true });
    expect(hidden).toMatchObject({ body: ':rocket:', internal: true, type: null });
    await expect(get(target, hidden.id, fixture.eve)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(write(target, ':rocket:', fixture.eve, { internal: true })).rejects.toMatchObject({
      kind: 'forbidden',
    });
    expect(await write(target, ':no_such_thing:')).toMatchObject({ body: ':no_such_thing:' });
    expect(await write(target, ':tada: done')).toMatchObject({ body: ':tada: done' });
  });
});

describe('reactions to a note', () => {
  it('are given once, listed, and taken back by their giver', async () => {
    const target = fixture.mergeRequest();
    const note = await write(target, 'Ship it');
    const awardable = { noteable: mergeRequestRef(target), noteId: note.id };
    const { awards } = fixture.here;
    const give = async (name: string, user: DirectoryUser) =>
      json(await awards.createAwardEmoji({ awardable, name }, fixture.as(user)));
    const given = await give('+1', fixture.bob);
    expect(given).toMatchObject({ name: 'thumbsup', awardable_type: 'Note', awardable_id: note.id });
    await give('rocket', fixture.ada);
    await expect(give('thumbsup', fixture.bob)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(give('nothing_like_that', fixture.bob)).rejects.toMatchObject({ kind: 'not_found' });
    const listed = await awards.listAwardEmoji({ awardable, page: pageOf() }, fixture.as(fixture.eve));
    expect(json(listed).map((award: Item) => award.name)).toEqual(['thumbsup', 'rocket']);
    await expect(
      awards.deleteAwardEmoji({ awardable, awardId: given.id, ifUnmodifiedSince: undefined }, fixture.as(fixture.ada)),
    ).rejects.toMatchObject({
      kind: 'unauthorized',
    });
    await expect(
      awards.deleteAwardEmoji(
        { awardable, awardId: given.id, ifUnmodifiedSince: new Date(0) },
        fixture.as(fixture.bob),
      ),
    ).rejects.toMatchObject({ kind: 'precondition_failed' });
    await awards.deleteAwardEmoji(
      { awardable, awardId: given.id, ifUnmodifiedSince: undefined },
      fixture.as(fixture.bob),
    );
    await expect(awards.getAwardEmoji({ awardable, awardId: given.id }, fixture.as(fixture.bob))).rejects.toMatchObject(
      {
        kind: 'not_found',
      },
    );
    await remove(target, note.id);
    expect(await fixture.here.db.query(sql`select 1 from award_emoji where awardable_id = ${note.id}`)).toEqual([]);
  });
});
