import { entity, json, page } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const author = {
  id: 7,
  username: 'ada',
  public_email: '',
  name: 'Ada',
  state: 'active',
  locked: false,
  avatar_url: null,
  web_url: 'https://forge.example/ada',
};

const note = {
  id: 3,
  type: null,
  body: 'Hello',
  attachment: null,
  author: { ...author, email: '', created_at: '2026-01-02T03:04:05.678Z' },
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  system: false,
  noteable_id: 9,
  noteable_type: 'Issue',
  project_id: 1,
  resolvable: false,
  confidential: false,
  internal: false,
  imported: false,
  imported_from: 'none',
  noteable_iid: 2,
  commands_changes: {},
};

const discussion = { id: 'a'.repeat(40), individual_note: false, notes: [note] };
const draft = {
  id: 4,
  author_id: 7,
  merge_request_id: 9,
  resolve_discussion: true,
  discussion_id: 'a'.repeat(40),
  note: 'Why?',
  commit_id: null,
  position: { base_sha: null, start_sha: null, head_sha: null, old_path: null, new_path: null, position_type: 'text' },
  line_code: null,
};
const token = { token: 'glpat-note' };

/** What names each kind of noteable, by its path. */
const kinds = [
  ['/projects/1/issues/2', { $case: 'issueIid', value: 2 }],
  ['/projects/1/merge_requests/2', { $case: 'mergeRequestIid', value: 2 }],
  ['/projects/1/snippets/2', { $case: 'snippetId', value: 2 }],
  ['/projects/1/alert_management_alerts/2', { $case: 'alertIid', value: 2 }],
] as const;

describe('notes and discussions', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: ({ token: presented, target }) =>
        resolved({
          ...(presented === '' ? { actor: undefined } : {}),
          ...(target !== undefined ? { access: projectAccess() } : {}),
        }),
      fakes: {
        'NoteService/ListNotes': async () =>
          page([note], { keyset: false, page: 1, perPage: 20, total: 1, hasNext: false }),
        'NoteService/CreateNote': async ({ body }) =>
          body === '/close'
            ? entity({ commands_changes: { state_event: 'close' }, summary: ['Closed it.'] }, 202)
            : entity(note),
        'NoteService/UpdateNote': async () => entity(note),
        'NoteService/DeleteNote': async () => json(Buffer.alloc(0)),
        'DiscussionService/CreateDiscussion': async () => entity(discussion),
        'DiscussionService/UpdateDiscussionNote': async () => entity(note),
        'DraftNoteService/CreateDraftNote': async () => entity(draft),
        'DraftNoteService/PublishDraftNotes': async () => json(Buffer.alloc(0)),
      },
    });
  });
  afterAll(() => gateway.close());

  const asked = () => gateway.calls.at(-1)?.request;

  it.each(kinds)('%s names its noteable, its order and its filter', async (path, target) => {
    const reply = await gateway.send(
      'GET',
      `${path}/notes?sort=asc&order_by=updated_at&activity_filter=only_comments`,
      token,
    );
    expect([reply.status, reply.body]).toEqual([200, [note]]);
    expect(asked()).toMatchObject({
      noteable: { projectId: 1, target },
      activityFilter: 'only_comments',
      page: { orderBy: 'updated_at', descending: false },
    });
    await gateway.send('GET', `${path}/notes`, token);
    expect(asked()).toMatchObject({ page: { orderBy: 'created_at', descending: true } });
    expect((await gateway.send('GET', `${path}/notes`)).status).toBe(401);
  });

  it('201 a note, 202 what was only commanded (G-2-18); `internal` goes before `confidential`', async () => {
    const path = '/projects/1/issues/2/notes';
    const made = await gateway.send('POST', path, {
      ...token,
      body: { body: 'Hello', internal: false, confidential: true, created_at: '2001-02-03T04:05:06Z' },
    });
    expect([made.status, made.body]).toEqual([201, note]);
    expect(asked()).toMatchObject({ body: 'Hello', internal: false, createdAt: new Date('2001-02-03T04:05:06Z') });
    await gateway.send('POST', path, { ...token, body: { body: 'Hello', confidential: true } });
    expect(asked()).toMatchObject({ internal: true });
    expect((await gateway.send('POST', path, { ...token, body: { body: '/close' } })).status).toBe(202);
  });

  it('400 without a body, with an empty one, with a wrong filter or timestamp', async () => {
    const path = '/projects/1/issues/2/notes';
    const refused = async (method: string, at: string, body?: unknown) =>
      (await gateway.send(method, at, { ...token, ...(body === undefined ? {} : { body }) })).body;
    expect(await refused('POST', path, {})).toEqual({ error: 'body is missing' });
    expect(await refused('PUT', `${path}/3`, { body: '' })).toEqual({ error: 'body is empty' });
    expect(await refused('PUT', `${path}/3`, { other: 1 })).toEqual({
      error: 'body, confidential are missing, at least one parameter must be provided',
    });
    expect((await gateway.send('PUT', `${path}/3`, { ...token, body: { confidential: false } })).status).toBe(200);
    expect(await refused('GET', `${path}?activity_filter=x&order_by=id`)).toEqual({
      error: 'activity_filter does not have a valid value, order_by does not have a valid value',
    });
    expect(await refused('POST', path, { body: 'x', created_at: 'yesterday' })).toEqual({
      error: 'created_at is invalid',
    });
  });

  it('passes a position on, and names every part of it that is wrong', async () => {
    const path = '/projects/1/merge_requests/2/discussions';
    const position = {
      base_sha: 'a',
      start_sha: 'b',
      head_sha: 'c',
      position_type: 'text',
      new_path: 'f',
      new_line: 4,
    };
    const reply = await gateway.send('POST', path, { ...token, body: { body: 'x', position } });
    expect([reply.status, reply.body]).toEqual([201, discussion]);
    expect(asked()).toMatchObject({
      position: {
        baseSha: 'a',
        startSha: 'b',
        headSha: 'c',
        positionType: 'text',
        newPath: 'f',
        newLine: 4,
        lineRange: '',
      },
    });
    const wrong = await gateway.send('POST', path, {
      ...token,
      body: { body: 'x', position: { ...position, position_type: 'x', new_line: 0 } },
    });
    expect([wrong.status, wrong.body]).toEqual([
      400,
      { error: 'position[position_type] does not have a valid value, position[new_line] does not have a valid value' },
    ]);
  });

  it('writes a draft, and publishes one or all', async () => {
    const path = '/projects/1/merge_requests/2/draft_notes';
    const body = {
      note: 'Why?',
      in_reply_to_discussion_id: 'a'.repeat(40),
      resolve_discussion: 'true',
      commit_id: 'c',
    };
    const made = await gateway.send('POST', path, { ...token, body });
    expect([made.status, made.body]).toEqual([201, draft]);
    expect(asked()).toMatchObject({
      projectId: 1,
      mergeRequestIid: 2,
      note: 'Why?',
      inReplyToDiscussionId: 'a'.repeat(40),
      resolveDiscussion: true,
      commitId: 'c',
      position: undefined,
    });
    expect((await gateway.send('PUT', `${path}/4`, { ...token, body: {} })).body).toEqual({
      error: 'note, position are missing, at least one parameter must be provided',
    });
    expect((await gateway.send('PUT', `${path}/4/publish`, token)).status).toBe(204);
    expect(asked()).toMatchObject({ draftNoteId: 4 });
    expect((await gateway.send('POST', `${path}/bulk_publish`, token)).status).toBe(204);
    expect(asked()).toMatchObject({ draftNoteId: undefined });
  });

  it('takes exactly one of body and resolved (G-4.7-7)', async () => {
    const path = `/projects/1/merge_requests/2/discussions/${'a'.repeat(40)}/notes/3`;
    const send = (body: unknown) => gateway.send('PUT', path, { ...token, body });
    expect((await send({ other: 1 })).body).toEqual({
      error: 'body, resolved are missing, exactly one parameter must be provided',
    });
    expect((await send({ body: 'x', resolved: true })).body).toEqual({
      error: 'body, resolved are mutually exclusive',
    });
    expect((await send({ resolved: true })).status).toBe(200);
    expect(asked()).toMatchObject({ discussionId: 'a'.repeat(40), noteId: 3, resolved: true });
  });
});
