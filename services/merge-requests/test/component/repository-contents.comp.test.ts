import { createHash } from 'node:crypto';
import { sql } from '@switchyard/database/sql';
import { CommitTargetServiceService } from '@switchyard/protos/merge_requests/v1/commit_target';
import { anonymous } from '@switchyard/rpc';
import { type Harness, people, type TestProject } from './repository-harness';
import { repositoryClient, startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
let head: string;
const { at, api, get, post, write } = repositoryClient(() => ({ harness, project }));

beforeAll(async () => {
  ({ harness, project, head } = await startRepository());
  await write('ahead', [{ action: 'create', file_path: 'ahead.txt', content: 'x' }], { start_branch: 'main' });
});
afterAll(() => harness?.close());

describe('commits', () => {
  test('are listed and filtered, without totals', async () => {
    const list = await get('/repository/commits');
    expect(list.headers.get('x-total')).toBeNull();
    expect(list.headers.get('x-page')).toBe('1');
    expect(list.body).toMatchObject([{ id: head, trailers: {} }]);
    expect((await get('/repository/commits?ref_name=ahead')).body).toHaveLength(2);
    expect((await get('/repository/commits?ref_name=main..ahead')).body).toHaveLength(1);
    expect((await get('/repository/commits?all=true&per_page=1')).headers.get('x-next-page')).toBe('2');
    expect((await get('/repository/commits?ref_name=ahead&path=ahead.txt')).body).toHaveLength(1);
    expect((await get('/repository/commits?author=nobody')).body).toEqual([]);
    expect((await get('/repository/commits?since=2999-01-01')).body).toEqual([]);
    expect((await get('/repository/commits?until=2999-01-01')).body).toHaveLength(1);
    expect((await get('/repository/commits?with_stats=true&trailers=true&first_parent=true')).body).toMatchObject([
      {
        stats: { additions: 3, deletions: 0, total: 3 },
        trailers: { 'Reviewed-by': 'Bob' },
        extended_trailers: { 'Reviewed-by': ['Ada <ada@example.org>', 'Bob'] },
      },
    ]);
    expect(await get('/repository/commits?ref_name=nowhere')).toMatchObject({ status: 404 });
    expect(await get('/repository/commits?page=0')).toMatchObject({
      status: 400,
      body: { error: 'page does not have a valid value' },
    });
    const first = await get('/repository/commits?ref_name=ahead&pagination=keyset&per_page=1');
    const cursor = /[?&]cursor=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1];
    expect((await get(`/repository/commits?ref_name=ahead&per_page=1&cursor=${cursor}`)).body).toMatchObject([
      { id: head },
    ]);
  });

  test.each([
    ['main..ahead', 1],
    ['main..ahead^', 0],
    ['ahead~1', 1],
    ['main...ahead', 1],
    ['ahead...main', 1],
    ['..ahead', 1],
    ['ahead..', 0],
    ['HEAD^{commit}..ahead~0', 1],
  ])('are listed by the expression %s', async (refName, count) =>
    expect((await get(`/repository/commits?ref_name=${encodeURIComponent(refName)}`)).body).toHaveLength(count),
  );

  test.each(['ahead~1', 'ahead^', 'HEAD', 'ahead^{commit}~', 'refs/heads/ahead~1'])(
    'are found by the expression %s wherever one is taken',
    async (text) => {
      const revision = encodeURIComponent(text);
      expect((await get(`/repository/commits/${revision}`)).body).toMatchObject({ id: head });
      expect((await get(`/repository/commits/${revision}/diff`)).body).toHaveLength(3);
      expect((await get(`/repository/commits/${revision}/statuses`)).body).toEqual([]);
      expect((await get(`/repository/tree?ref=${revision}`)).body).toHaveLength(3);
      expect((await get(`/repository/files/README.md?ref=${revision}`)).body).toMatchObject({ commit_id: head });
      expect((await get(`/repository/contributors?ref=${revision}`)).body).toHaveLength(1);
      const branch = { branch: 'expressed', ref: text };
      expect(await post('/repository/branches', branch)).toMatchObject({ status: 201, body: { commit: { id: head } } });
      expect((await api(people.developer, 'DELETE', at('/repository/branches/expressed'))).status).toBe(204);
      const tag = { tag_name: 'expressed', ref: text };
      expect(await post('/repository/tags', tag)).toMatchObject({ status: 201, body: { target: head } });
      expect((await api(people.maintainer, 'DELETE', at('/repository/tags/expressed'))).status).toBe(204);
    },
  );

  test.each([
    'main~1',
    'main^2',
    'main~999999999',
    'HEAD^{/A}',
    ':/A',
    'main:README.md',
    'main@{upstream}',
    'a..b...c',
  ])('are none by the expression %s', async (text) => {
    const revision = encodeURIComponent(text);
    const missing = { status: 404, body: { message: '404 Commit Not Found' } };
    expect(await get(`/repository/commits/${revision}`)).toMatchObject(missing);
    expect(await get(`/repository/commits?ref_name=${revision}`)).toMatchObject(missing);
  });

  test('are targets of rows elsewhere for those who read the code, and what is none is left out', async () => {
    const commits = harness.asCollaboration(CommitTargetServiceService);
    const names = [head, 'e'.repeat(40), '--all'].map((sha) => ({ projectId: project.id, sha }));
    const request = { commits: [...names, { projectId: 999_999, sha: head }] };
    const asked = (userId: number, admin: boolean) =>
      commits.batchGet(request, { requestId: 'test', actor: { ...anonymous, userId, admin } });
    const web_url = expect.stringMatching(`^http://switchyard.test/group/.*/-/commit/${head}$`);
    const [target] = (await asked(1, true)).targets;
    expect(target).toMatchObject({ projectId: project.id, sha: head, webUrl: web_url });
    expect(JSON.parse(target?.json.toString() ?? '')).toMatchObject({ id: head, title: target?.title, web_url });
    expect(await asked(people.outsider.id, false)).toEqual({ targets: [] });
  });

  test('one is shown with its newest pipeline', async () => {
    expect((await get(`/repository/commits/${head}`)).body).toMatchObject({
      project_id: project.id,
      status: null,
      last_pipeline: null,
      stats: { total: 3 },
    });
    await harness.db.query(sql`
      insert into pipelines (iid, project_id, sha, ref, source, status, user_id)
      values (1, ${project.id}, ${head}, 'main', 'push', 'success', 1), (2, ${project.id}, ${head}, 'main', 'push', 'running', 1)`);
    expect((await get('/repository/commits/main')).body).toMatchObject({
      status: 'running',
      last_pipeline: { iid: 2, sha: head, status: 'running', project_id: project.id },
    });
    expect((await get(`/repository/commits/${head.slice(0, 10)}`)).status).toBe(200);
    expect((await get('/repository/commits/nope')).body).toEqual({ message: '404 Commit Not Found' });
  });

  test('show their diff and the refs that contain them', async () => {
    const diff = await get(`/repository/commits/${head}/diff?per_page=1&unidiff=true`);
    expect(diff.body).toMatchObject([
      { new_path: 'README.md', new_file: true, diff: expect.stringContaining('+# Hello') },
    ]);
    expect(diff.headers.get('x-total')).toBe('3');
    expect((await get(`/repository/commits/${head}/refs?type=branch`)).body).toEqual([
      { type: 'branch', name: 'ahead' },
      { type: 'branch', name: 'main' },
    ]);
  });

  test('are made of every kind of action', async () => {
    const id = await write(
      'actions',
      [
        { action: 'update', file_path: 'README.md', content: '# Changed\n' },
        { action: 'move', file_path: 'moved/here.txt', previous_path: 'src/deep/file name.txt' },
        { action: 'delete', file_path: 'picture.bin' },
        { action: 'create', file_path: 'run.sh', content: '#!/bin/sh\n' },
        { action: 'chmod', file_path: 'run.sh', execute_filemode: true },
      ],
      { start_branch: 'main', author_name: 'Grace', author_email: 'grace@example.org' },
    );
    expect((await get(`/repository/commits/${id}`)).body).toMatchObject({
      author_name: 'Grace',
      author_email: 'grace@example.org',
      committer_email: 'user2@example.org',
      parent_ids: [head],
    });
    expect((await get('/repository/tree?ref=actions&recursive=true')).body).toMatchObject([
      { path: 'moved', type: 'tree' },
      { path: 'README.md' },
      { path: 'moved/here.txt' },
      { path: 'run.sh', mode: '100755' },
    ]);
  });

  test.each([
    [
      'an existing file',
      { actions: [{ action: 'create', file_path: 'README.md', content: 'x' }] },
      'A file with this name already exists',
    ],
    [
      'a missing file',
      { actions: [{ action: 'update', file_path: 'no.md', content: 'x' }] },
      "A file with this name doesn't exist",
    ],
    ['a path that climbs', { actions: [{ action: 'create', file_path: '../x', content: 'x' }] }, /traversal/],
    ['a path into .git', { actions: [{ action: 'create', file_path: '.git/config', content: 'x' }] }, /invalid path/],
    ['a branch that is not there', { branch: 'nope' }, 'You can only create or edit files when you are on a branch'],
    ['a start that is not there', { branch: 'nope', start_branch: 'void' }, "Cannot find start_branch 'void'"],
    ['a branch that is there with a start', { branch: 'ahead', start_branch: 'main' }, /already exists/],
  ])('%s is refused', async (_name, given, message) => {
    const reply = await post(
      '/repository/commits',
      { branch: 'ahead', commit_message: 'x', actions: [{ action: 'create', file_path: 'q', content: 'q' }], ...given },
      people.maintainer,
    );
    expect(reply).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } });
  });

  test('missing and wrong parameters are named together', async () => {
    expect(
      await post('/repository/commits', { branch: '', actions: [{ action: 'burn', file_path: 'x' }] }),
    ).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('branch is empty') },
    });
    expect(
      (
        await post('/repository/commits', {
          branch: 'a',
          commit_message: 'b',
          actions: [],
          start_branch: 'a',
          start_sha: 'b',
        })
      ).body,
    ).toMatchObject({
      error: expect.stringContaining('start_branch, start_sha are mutually exclusive'),
    });
  });

  test('a protected branch takes none of a Developer', async () => {
    const actions = [{ action: 'create', file_path: 'q', content: 'q' }];
    expect(await post('/repository/commits', { branch: 'main', commit_message: 'x', actions })).toMatchObject({
      status: 403,
      body: { message: '403 Forbidden - You are not allowed to push into this branch' },
    });
  });

  test('several at once on one branch all arrive', async () => {
    await post('/repository/branches', { branch: 'busy', ref: 'main' });
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        post('/repository/commits', {
          branch: 'busy',
          commit_message: `Number ${index}`,
          actions: [{ action: 'create', file_path: `number${index}`, content: 'x' }],
        }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    expect((await get('/repository/commits?ref_name=main..busy')).body).toHaveLength(5);
  });
});

describe('files', () => {
  const path = encodeURIComponent('src/deep/file name.txt');

  test('are read as JSON, as headers and as bytes', async () => {
    const content = 'one\ntwo\n';
    const reply = await get(`/repository/files/${path}?ref=main`);
    expect(reply).toMatchObject({
      status: 200,
      body: {
        file_name: 'file name.txt',
        file_path: 'src/deep/file name.txt',
        size: 8,
        encoding: 'base64',
        content: Buffer.from(content).toString('base64'),
        content_sha256: createHash('sha256').update(content).digest('hex'),
        ref: 'main',
        commit_id: head,
        last_commit_id: head,
        execute_filemode: false,
      },
    });
    const described = await harness.api(people.reporter, 'HEAD', at(`/repository/files/${path}?ref=main`));
    expect([described.status, described.text]).toEqual([200, '']);
    expect(described.headers.get('x-gitlab-file-path')).toBe('src/deep/file name.txt');
    expect(described.headers.get('x-gitlab-size')).toBe('8');
    expect(described.headers.get('x-gitlab-blob-id')).toBe((reply.body as { blob_id: string }).blob_id);
    const raw = await get(`/repository/files/${path}/raw`);
    expect([raw.status, raw.text, raw.headers.get('content-type')]).toEqual([
      200,
      content,
      'text/plain; charset=utf-8',
    ]);
    const binary = await fetch(`${harness.url}/api/v4${at('/repository/files/picture.bin/raw?ref=main')}`, {
      headers: { 'private-token': people.reporter.token },
    });
    expect(Buffer.from(await binary.arrayBuffer())).toEqual(Buffer.from([0, 1, 2, 255]));
  });

  test.each([
    ['/repository/files/none?ref=main', 404, '404 File Not Found'],
    [`/repository/files/${path}?ref=none`, 404, '404 Commit Not Found'],
    ['/repository/files/..%2F..%2Fetc%2Fpasswd?ref=main', 404, '404 File Not Found'],
    ['/repository/files/README.md%00?ref=main', 400, undefined],
    [`/repository/files/README.md?ref=${encodeURIComponent('--upload-pack=x')}`, 404, '404 Commit Not Found'],
    [`/repository/files/README.md?ref=${encodeURIComponent('main@{1}')}`, 404, '404 Commit Not Found'],
    ['/repository/files/src?ref=main', 404, '404 File Not Found'],
  ])('%s answers %s', async (address, status, message) => {
    const reply = await get(address);
    expect(reply.status).toBe(status);
    if (message !== undefined) expect(reply.body).toEqual({ message });
  });

  test('are not sent again to clients that have them', async () => {
    const { blob_id } = (await get(`/repository/files/${path}?ref=main`)).body as { blob_id: string };
    for (const address of [
      `/repository/files/${path}?ref=main`,
      `/repository/files/${path}/raw?ref=main`,
      `/repository/blobs/${blob_id}/raw`,
    ]) {
      const ask = (method: string, headers: Record<string, string>) =>
        fetch(`${harness.url}/api/v4${at(address)}`, {
          method,
          headers: { 'private-token': people.reporter.token, ...headers },
        });
      const first = await ask('GET', {});
      const tag = first.headers.get('etag') ?? '';
      const text = await first.text();
      expect([first.status, tag]).toEqual([200, expect.stringMatching(/^W\/"[\w-]{20,}"$/)]);
      expect((await ask('HEAD', {})).headers.get('etag')).toBe(tag);
      const same = await ask('GET', { 'if-none-match': `"other", ${tag}` });
      expect([same.status, await same.text()]).toEqual([304, '']);
      const other = await ask('GET', { 'if-none-match': '"other"' });
      expect([other.status, await other.text()]).toEqual([200, text]);
    }
  });

  test('of twelve writers to one branch at once, all succeed', async () => {
    await write('hurried', [{ action: 'create', file_path: 'busy.txt', content: 'x' }], { start_branch: 'main' });
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        post(`/repository/files/busy-${index}`, { branch: 'hurried', commit_message: `Busy ${index}`, content: 'x' }),
      ),
    );
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
    const { body } = await get('/repository/commits?ref_name=hurried&per_page=12');
    expect(new Set((body as { title: string }[]).map(({ title }) => title)).size).toBe(12);
  });

  test('are made, changed and removed by single commits', async () => {
    const file = '/repository/files/notes%2Fnew.md';
    const base = { branch: 'ahead', commit_message: 'Notes' };
    const made = await post(file, { ...base, content: 'aGk=', encoding: 'base64' });
    expect([made.status, made.body]).toEqual([201, { file_path: 'notes/new.md', branch: 'ahead' }]);
    const { last_commit_id } = (await get(`${file}?ref=ahead`)).body as { last_commit_id: string };
    const update = (body: object) => api(people.developer, 'PUT', at(file), { ...base, ...body });
    expect((await update({ content: 'two', last_commit_id })).status).toBe(200);
    expect(await update({ content: 'three', last_commit_id })).toMatchObject({
      status: 400,
      body: { message: 'You are attempting to update a file that has changed since you started editing it.' },
    });
    expect((await get(`${file}/raw?ref=ahead`)).text).toBe('two');
    expect((await post(file, { ...base, content: 'x' })).body).toEqual({
      message: 'A file with this name already exists',
    });
    expect((await api(people.developer, 'DELETE', at(file), base)).status).toBe(204);
    expect((await get(`${file}?ref=ahead`)).status).toBe(404);
    expect(await post(file, { branch: 'ahead' })).toMatchObject({
      status: 400,
      body: { error: 'commit_message is missing, content is missing' },
    });
  });
});

describe('trees, blobs and comparisons', () => {
  test('a tree is listed, below a path, and page by page', async () => {
    const tree = await get('/repository/tree');
    expect(tree.body).toMatchObject([
      { path: 'src', type: 'tree', mode: '040000' },
      { path: 'README.md' },
      { path: 'picture.bin' },
    ]);
    expect(tree.headers.get('x-total')).toBe('3');
    expect((await get('/repository/tree?path=src%2Fdeep')).body).toMatchObject([
      { path: 'src/deep/file name.txt', name: 'file name.txt' },
    ]);
    const first = await get('/repository/tree?pagination=keyset&per_page=2');
    const token = /page_token=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1];
    expect((await get(`/repository/tree?pagination=keyset&per_page=2&page_token=${token}`)).body).toMatchObject([
      { path: 'picture.bin' },
    ]);
    for (const query of ['path=none', 'ref=none', 'path=..', `ref=${encodeURIComponent('@{-1}')}`])
      expect(await get(`/repository/tree?${query}`)).toMatchObject({
        status: 404,
        body: { message: '404 Tree Not Found' },
      });
  });

  test('a blob is had as JSON and as bytes', async () => {
    const { blob_id } = (await get('/repository/files/picture.bin?ref=main')).body as { blob_id: string };
    expect((await get(`/repository/blobs/${blob_id}`)).body).toEqual({
      size: 4,
      encoding: 'base64',
      content: 'AAEC/w==',
      sha: blob_id,
    });
    expect((await get(`/repository/blobs/${blob_id}/raw`)).headers.get('content-length')).toBe('4');
    expect((await get(`/repository/blobs/${'0'.repeat(40)}`)).body).toEqual({ message: '404 Blob Not Found' });
    expect((await get('/repository/blobs/main/raw')).status).toBe(404);
  });

  test('two refs are compared, from their merge base or straight', async () => {
    const forward = await get('/repository/compare?from=main&to=actions');
    expect(forward.body).toMatchObject({
      commits: [{ title: 'A commit' }],
      commit: { title: 'A commit' },
      compare_same_ref: false,
      compare_timeout: false,
    });
    expect((forward.body as { diffs: unknown[] }).diffs.length).toBeGreaterThan(2);
    expect((await get('/repository/compare?from=main&to=main')).body).toMatchObject({
      commit: null,
      commits: [],
      diffs: [],
      compare_same_ref: true,
    });
    expect((await get('/repository/compare?from=ahead&to=main')).body).toMatchObject({ diffs: [] });
    expect(
      ((await get('/repository/compare?from=ahead&to=main&straight=true')).body as { diffs: unknown[] }).diffs,
    ).not.toEqual([]);
    expect((await get('/repository/compare?from=main&to=none')).status).toBe(404);
    expect((await get('/repository/merge_base?refs[]=ahead&refs[]=actions&refs[]=main')).body).toMatchObject({
      id: head,
    });
    expect((await get('/repository/merge_base?refs=main')).status).toBe(400);
  });

  test('what is compared is one commit whatever it is called', async () => {
    const same = async (from: string, to: string) =>
      (await get(`/repository/compare?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`)).body;
    expect(await same('main', head)).toMatchObject({ compare_same_ref: true, commit: null });
    expect(await same('HEAD~0', 'refs/heads/main')).toMatchObject({ compare_same_ref: true });
    expect(await same('ahead~1', 'ahead')).toMatchObject({ compare_same_ref: false, commits: [{}] });
  });

  test('contributors are counted', async () => {
    expect((await get('/repository/contributors?ref=actions')).body).toEqual([
      { name: 'Grace', email: 'grace@example.org', commits: 1, additions: 0, deletions: 0 },
      { name: 'User 2', email: 'user2@example.org', commits: 1, additions: 0, deletions: 0 },
    ]);
  });

  test('an empty repository answers without error', async () => {
    const empty = await harness.project();
    const ask = (path: string) => api(people.reporter, 'GET', `/projects/${empty.id}/repository/${path}`);
    expect((await ask('branches')).body).toEqual([]);
    expect((await ask('tags')).body).toEqual([]);
    expect((await ask('commits')).body).toEqual([]);
    expect((await ask('contributors')).body).toEqual([]);
    expect((await ask('tree')).status).toBe(404);
  });
});
