import { sql } from '@switchyard/database/sql';
import {
  CreateSnippetRequest,
  ImportSnippetRequest,
  ListPersonalSnippetsRequest,
  ListPersonalSnippetsRequest_Scope as Scope,
  type SnippetFile,
  UpdateSnippetRequest,
} from '@switchyard/protos/collaboration/v1/snippet';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import { snippetMeasurements } from '../../src/snippets/storage/snippet-measurement.store';
import { type Item, json, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;

beforeAll(async () => {
  fixture = await startNoteFixture();
});

afterAll(() => fixture.here.close());

const file = (path: string, content: string | undefined, action = '', previousPath = ''): SnippetFile => ({
  path,
  content,
  action,
  previousPath,
});

const create = async (given: Partial<CreateSnippetRequest> = {}, user = fixture.bob): Promise<Item> =>
  json(
    await fixture.here.snippets.createSnippet(
      CreateSnippetRequest.fromPartial({
        projectId: fixture.project.id,
        title: 'A snippet',
        visibility: 'public',
        files: [file('a.txt', 'alpha')],
        ...given,
      }),
      fixture.as(user),
    ),
  );

const get = async (snippetId: number, user: DirectoryUser | undefined = fixture.bob): Promise<Item> =>
  json(await fixture.here.snippets.getSnippet({ projectId: fixture.project.id, snippetId }, fixture.as(user)));

const raw = async (snippetId: number, path = '', ref = ''): Promise<string> =>
  (
    await fixture.here.snippets.getSnippetRaw(
      { projectId: fixture.project.id, snippetId, path, ref },
      fixture.as(fixture.bob),
    )
  ).json.toString();

const update = async (snippetId: number, given: Partial<UpdateSnippetRequest>, user = fixture.bob): Promise<Item> =>
  json(
    await fixture.here.snippets.updateSnippet(
      UpdateSnippetRequest.fromPartial({ projectId: fixture.project.id, snippetId, ...given }),
      fixture.as(user),
    ),
  );

describe('a snippet', () => {
  it('is made, read, changed, and deleted with its notes', async () => {
    const made = await create({ description: 'd', files: [file('a.txt', 'alpha'), file('dir/b.md', 'beta')] });
    expect(made).toMatchObject({
      title: 'A snippet',
      description: 'd',
      visibility: 'public',
      author: { username: 'bob' },
      project_id: fixture.project.id,
      file_name: 'a.txt',
      files: [{ path: 'a.txt' }, { path: 'dir/b.md', raw_url: expect.stringMatching(/raw\/main\/dir\/b\.md$/) }],
    });
    expect([await raw(made.id), await raw(made.id, 'dir/b.md')]).toEqual(['alpha', 'beta']);
    for (const ref of ['main', 'HEAD', 'refs/heads/main']) expect(await raw(made.id, 'a.txt', ref)).toBe('alpha');
    for (const ref of ['no-such-ref', 'Main', 'f'.repeat(40)])
      await expect(raw(made.id, 'a.txt', ref)).rejects.toMatchObject({ body: { message: '404 Reference Not Found' } });
    await expect(raw(made.id, 'c')).rejects.toMatchObject({ body: { message: '404 File Not Found' } });
    const changed = await update(made.id, {
      title: 'Other',
      files: [file('c.txt', 'gamma', 'create'), file('a.txt', undefined, 'delete')],
    });
    expect(changed).toMatchObject({ title: 'Other', description: 'd', file_name: 'dir/b.md' });
    const noteable = { projectId: fixture.project.id, target: { $case: 'snippetId' as const, value: made.id } };
    const note = json(
      await fixture.here.notes.createNote(
        { noteable, body: 'Nice', internal: false, createdAt: undefined },
        fixture.as(fixture.ada),
      ),
    );
    expect(note).toMatchObject({ noteable_type: 'Snippet', noteable_id: made.id });
    expect(note).not.toHaveProperty('noteable_iid');
    await fixture.here.snippets.deleteSnippet(
      { projectId: fixture.project.id, snippetId: made.id, ifUnmodifiedSince: undefined },
      fixture.as(fixture.bob),
    );
    await expect(get(made.id)).rejects.toMatchObject({ body: { message: '404 Snippet Not Found' } });
    await expect(
      fixture.here.notes.getNote({ noteable, noteId: note.id }, fixture.as(fixture.ada)),
    ).rejects.toMatchObject({
      body: { message: '404 Snippet Not Found' },
    });
    expect(
      await fixture.here.db.query(
        sql`select removed_at is not null as gone from noteables where target_id = ${made.id}`,
      ),
    ).toEqual([{ gone: true }]);
  });

  it('is seen by whom its visibility says', async () => {
    const ids = await Promise.all(
      ['public', 'internal', 'private'].map(async (visibility) => (await create({ visibility })).id),
    );
    const seen = async (user: DirectoryUser | undefined) => {
      const reply = await fixture.here.snippets.listSnippets(
        { projectId: fixture.project.id, page: pageOf() },
        fixture.as(user),
      );
      return json(reply)
        .map(({ id }: Item) => ids.indexOf(id))
        .filter((at: number) => at >= 0)
        .sort();
    };
    expect(await seen(fixture.eve)).toEqual([0, 1, 2]);
    expect(await seen(fixture.mallory)).toEqual([0, 1]);
    expect(await seen(undefined)).toEqual([0]);
    await expect(get(ids[2]!, fixture.mallory)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('is changed by its author and Maintainers', async () => {
    const { id } = await create();
    await expect(update(id, { title: 'x' }, fixture.eve)).rejects.toMatchObject({ kind: 'forbidden' });
    await update(id, { title: 'x' }, fixture.ada);
    const gone = { projectId: fixture.project.id, snippetId: id };
    await expect(
      fixture.here.snippets.deleteSnippet({ ...gone, ifUnmodifiedSince: new Date(0) }, fixture.as(fixture.ada)),
    ).rejects.toMatchObject({ kind: 'precondition_failed' });
    await expect(create({ title: ' ' })).rejects.toMatchObject({ kind: 'invalid' });
    await expect(create({ files: [] })).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('a personal snippet', () => {
  const as = (user: DirectoryUser | undefined, given: { admin?: boolean; external?: boolean } = {}) =>
    fixture.here.as(user && { id: user.id, ...given });

  const make = async (user: DirectoryUser, given: Partial<CreateSnippetRequest> = {}): Promise<Item> => {
    const wanted = { title: 'Mine', visibility: 'private', files: [file('a.txt', 'alpha'), file('b.txt', 'beta')] };
    const request = CreateSnippetRequest.fromPartial({ ...wanted, ...given });
    return json(await fixture.here.snippets.createSnippet(request, as(user)));
  };

  const titles = async (
    options: ReturnType<typeof as>,
    given: Partial<ListPersonalSnippetsRequest> = {},
  ): Promise<string[]> => {
    const request = ListPersonalSnippetsRequest.fromPartial({ page: pageOf(), ...given });
    return json(await fixture.here.snippets.listPersonalSnippets(request, options)).map(({ title }: Item) => title);
  };

  afterEach(() => fixture.here.db.query(sql`delete from snippets where project_id is null`));

  it('lies in no project; its files are read, and it is changed and deleted', async () => {
    const { snippets, db } = fixture.here;
    const made = await make(fixture.bob);
    const url = `https://code.example/-/snippets/${made.id}`;
    expect(made).toMatchObject({
      ...{ project_id: null, author: { username: 'bob' }, file_name: 'a.txt', web_url: url, raw_url: `${url}/raw` },
      ...{ imported: false, imported_from: 'none' },
      files: [{ path: 'a.txt', raw_url: `${url}/raw/main/a.txt` }, { path: 'b.txt' }],
    });
    const one = { projectId: 0, snippetId: made.id };
    const read = async (path: string, ref = '') =>
      (await snippets.getSnippetRaw({ ...one, path, ref }, as(fixture.bob))).json.toString();
    expect([await read(''), await read('b.txt', 'main')]).toEqual(['alpha', 'beta']);
    const change = UpdateSnippetRequest.fromPartial({ ...one, title: 'New', files: [file('', 'gamma', 'update')] });
    await expect(snippets.updateSnippet(change, as(fixture.bob))).rejects.toMatchObject({ kind: 'invalid' });
    const changed = { ...change, files: [file('b.txt', undefined, 'delete'), file('', 'gamma', 'update')] };
    expect(json(await snippets.updateSnippet(changed, as(fixture.bob)))).toMatchObject({
      ...{ title: 'New', files: [{ path: 'a.txt' }] },
    });
    expect(await read('')).toBe('gamma');
    // Nothing follows from it in a project.
    expect(
      await db.query(sql`select from events.outbox where type = 'snippet.changed' and key = ${String(made.id)}`),
    ).toEqual([]);
    await snippets.deleteSnippet({ ...one, ifUnmodifiedSince: undefined }, as(fixture.bob));
    await expect(snippets.getSnippet(one, as(fixture.bob))).rejects.toMatchObject({
      body: { message: '404 Snippet Not Found' },
    });
  });

  it('is found neither in a project nor as one of it', async () => {
    const { snippets } = fixture.here;
    const made = await make(fixture.bob, { visibility: 'public' });
    const inside = await create();
    await expect(get(made.id)).rejects.toMatchObject({ kind: 'not_found' });
    for (const [projectId, options] of [
      [0, as(fixture.bob)],
      [fixture.project.id, as(fixture.bob)],
      [0, fixture.as(fixture.bob)],
    ] as const)
      await expect(snippets.getSnippet({ projectId, snippetId: inside.id }, options)).rejects.toMatchObject({
        kind: 'not_found',
      });
  });

  it('is seen by whom its visibility says, and changed by its author and administrators', async () => {
    const { snippets } = fixture.here;
    for (const visibility of ['public', 'internal', 'private'])
      await make(fixture.bob, { title: visibility, visibility });
    const [hidden, open] = [
      await make(fixture.eve, { title: 'hers' }),
      await make(fixture.eve, { title: 'open', visibility: 'public' }),
    ];
    expect(await titles(as(fixture.bob))).toEqual(['private', 'internal', 'public']);
    expect(await titles(as(fixture.bob), { scope: Scope.SCOPE_PUBLIC })).toEqual(['open', 'public']);
    expect(await titles(as(undefined), { scope: Scope.SCOPE_PUBLIC })).toEqual(['open', 'public']);
    const all = { scope: Scope.SCOPE_ALL };
    expect(await titles(as(fixture.bob), all)).toEqual(['open', 'private', 'internal', 'public']);
    expect(await titles(as(fixture.mallory), all)).toEqual(['open', 'internal', 'public']);
    expect(await titles(as(fixture.mallory, { external: true }), all)).toEqual(['open', 'public']);
    expect(await titles(as(fixture.mallory, { admin: true }), all)).toEqual([
      'open',
      'hers',
      'private',
      'internal',
      'public',
    ]);
    const change = (id: number) => UpdateSnippetRequest.fromPartial({ snippetId: id, title: 'x' });
    await expect(snippets.updateSnippet(change(hidden.id), as(fixture.bob))).rejects.toMatchObject({
      kind: 'not_found',
    });
    await expect(snippets.updateSnippet(change(open.id), as(fixture.bob))).rejects.toMatchObject({ kind: 'forbidden' });
    await snippets.updateSnippet(change(hidden.id), as(fixture.mallory, { admin: true }));
    await expect(
      snippets.createSnippet(
        CreateSnippetRequest.fromPartial({ title: 'x', visibility: 'private', files: [file('a', 'b')] }),
        as(fixture.bob, { external: true }),
      ),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('is imported once, with its times, and filtered by them', async () => {
    const { imports } = fixture.here;
    const service = { requestId: 'test' };
    const gist = ImportSnippetRequest.fromPartial({
      ...{ authorId: fixture.bob.id, importedFrom: 'github', foreignId: 'aa11', title: 'Gist', visibility: 'private' },
      ...{ files: [file('a.txt', 'alpha')], createdAt: new Date(86_400_000), updatedAt: new Date(172_800_000) },
    });
    expect(await imports.snippets.importSnippet(gist, service)).toEqual({ created: true });
    expect(await imports.snippets.importSnippet({ ...gist, title: 'Again' }, service)).toEqual({ created: false });
    await expect(
      imports.snippets.importSnippet({ ...gist, foreignId: 'bb', files: [] }, service),
    ).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(fixture.here.snippets.importSnippet(gist, as(fixture.bob))).rejects.toMatchObject({
      kind: 'forbidden',
    });
    const request = ListPersonalSnippetsRequest.fromPartial({ page: pageOf() });
    expect(json(await fixture.here.snippets.listPersonalSnippets(request, as(fixture.bob)))).toMatchObject([
      {
        ...{ title: 'Gist', imported: true, imported_from: 'github', author: { username: 'bob' } },
        ...{ created_at: '1970-01-02T00:00:00.000Z', updated_at: '1970-01-03T00:00:00.000Z' },
      },
    ]);
    await make(fixture.bob);
    expect(await titles(as(fixture.bob), { createdBefore: new Date(86_400_000) })).toEqual(['Gist']);
    expect(await titles(as(fixture.bob), { createdAfter: new Date(86_400_001) })).toEqual(['Mine']);
  });
});

test('the size of the snippets of a project is published after changes and once a day', async () => {
  const { db } = fixture.here;
  const projectId = fixture.project.id;
  let seen = 0;
  /** Has the project measured, here or by the running service, and returns what that published since the last call. */
  const measured = async (): Promise<Item | undefined> => {
    await db.query(
      sql`update snippet_measurements set measure_at = now() - interval '1 second' where measure_at < now() + interval '1 hour'`,
    );
    await eventually(async () => {
      await snippetMeasurements.measureDue(db);
      const due = await db.query(sql`select project_id from snippet_measurements where measure_at <= now()`);
      expect(due).toEqual([]);
    });
    const all = await published();
    const latest = all.length > seen ? all.at(-1) : undefined;
    seen = all.length;
    return latest;
  };
  const published = async (): Promise<Item[]> =>
    (
      await db.query<{ body: Item }>(sql`
        select body from events.outbox where type = 'snippets.measured' and key = ${String(projectId)} order by id`)
    ).map(({ body }) => body);
  await measured();
  const { id } = await create({ files: [file('a.txt', 'été'), file('b.txt', 'bb')] });
  const first = await measured();
  await update(id, { files: [file('a.txt', undefined, 'delete')] });
  const second = await measured();
  expect(Number(first?.size) - Number(second?.size)).toBe(5);
  expect(Number(second?.version)).toBeGreaterThan(Number(first?.version));
  expect(await measured()).toBeUndefined();
  await db.query(sql`update snippet_measurements set measure_at = now() - interval '1 second'`);
  expect(await measured()).toMatchObject({ size: second?.size });
  await fixture.here.snippets.deleteSnippet(
    { projectId, snippetId: id, ifUnmodifiedSince: undefined },
    fixture.as(fixture.bob),
  );
  expect(Number(second?.size) - Number((await measured())?.size ?? 0)).toBe(2);
});
