import { type Harness, type Person, people, type TestProject } from './repository-harness';
import { repositoryClient, startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
let head: string;
const { at, api, get, post, write } = repositoryClient(() => ({ harness, project }));

beforeAll(async () => {
  ({ harness, project, head } = await startRepository());
});
afterAll(() => harness?.close());

describe('branches', () => {
  test('are made, shown, listed, searched, paged and removed', async () => {
    expect(await post('/repository/branches', { branch: 'feature/a.b', ref: 'main' })).toMatchObject({
      status: 201,
      body: {
        name: 'feature/a.b',
        default: false,
        protected: false,
        can_push: true,
        merged: true,
        commit: { id: head },
      },
    });
    expect((await get('/repository/branches/feature%2Fa.b')).body).toMatchObject({
      name: 'feature/a.b',
      can_push: false,
    });
    expect((await get('/repository/branches/main', people.developer)).body).toMatchObject({
      default: true,
      protected: true,
      merged: false,
      can_push: false,
      developers_can_push: false,
      web_url: `http://switchyard.test/${project.path}/-/tree/main`,
    });
    await post('/repository/branches', { branch: 'other', ref: head });
    const names = async (query: string) =>
      ((await get(`/repository/branches?${query}`)).body as { name: string }[]).map(({ name }) => name);
    expect(await names('')).toEqual(['feature/a.b', 'main', 'other']);
    expect(await names('search=^fea')).toEqual(['feature/a.b']);
    expect(await names('search=in%24')).toEqual(['main']);
    expect(await names('regex=^(main|other)%24')).toEqual(['main', 'other']);
    expect(await names('page=2&per_page=1')).toEqual(['main']);
    const first = await get('/repository/branches?pagination=keyset&per_page=2');
    expect(first.headers.get('x-total')).toBeNull();
    const next = /page_token=([^&>]+)/.exec(first.headers.get('link') ?? '')?.[1];
    expect(next).toBe('main');
    expect(await names(`pagination=keyset&per_page=2&page_token=${next}`)).toEqual(['other']);
    expect((await api(people.developer, 'DELETE', at('/repository/branches/feature%2Fa.b'))).status).toBe(204);
    expect(await get('/repository/branches/feature%2Fa.b')).toMatchObject({
      status: 404,
      body: { message: '404 Branch Not Found' },
    });
    expect((await harness.api(people.reporter, 'HEAD', at('/repository/branches/main'))).status).toBe(200);
    expect((await harness.api(people.reporter, 'HEAD', at('/repository/branches/nope'))).status).toBe(404);
  });

  test.each([
    [{ branch: 'main', ref: 'main' }, 400, 'Branch already exists', people.maintainer],
    [{ branch: 'x', ref: 'nowhere' }, 400, 'Invalid reference name: nowhere', people.developer],
    [{ branch: '-x', ref: 'main' }, 400, 'Branch name is invalid', people.developer],
    [{ branch: 'a..b', ref: 'main' }, 400, 'Branch name is invalid', people.developer],
    [{ branch: 'x', ref: '@{-1}' }, 400, 'Invalid reference name: @{-1}', people.developer],
    [{ branch: 'x', ref: '--upload-pack=evil' }, 400, 'Invalid reference name: --upload-pack=evil', people.developer],
    [
      { branch: 'main/below', ref: 'main' },
      400,
      'A branch or tag name cannot be the beginning of another',
      people.maintainer,
    ],
  ])('%j is refused', async (body, status, message, person) =>
    expect(await post('/repository/branches', body, person)).toMatchObject({ status, body: { message } }),
  );

  test('the default branch and protected ones are not removed; a Reporter removes none', async () => {
    const remove = (person: Person) => api(person, 'DELETE', at('/repository/branches/main'));
    expect((await remove(people.owner)).status).toBe(405);
    expect((await remove(people.reporter)).status).toBe(403);
  });

  test('a regular expression that is none, or that explodes, does no harm', async () => {
    expect((await get('/repository/branches?regex=(')).status).toBe(400);
    const started = Date.now();
    await get(`/repository/branches?regex=${encodeURIComponent('^(([a-z])+.)+[A-Z]([a-z])+$')}`);
    expect(Date.now() - started).toBeLessThan(2_000);
  });

  test('the first of an empty repository is made from an initial commit', async () => {
    const empty = await harness.project();
    const place = `/projects/${empty.id}/repository`;
    const make = (branch: string, ref: string, person: Person = people.developer) =>
      api(person, 'POST', `${place}/branches`, { branch, ref });
    expect(await make('topic', 'nowhere')).toMatchObject({ status: 400 });
    expect((await api(people.reporter, 'GET', `${place}/branches`)).body).toEqual([]);
    const topic = (await make('topic', 'main')) as { status: number; body: { commit: { id: string } } };
    expect(topic).toMatchObject({
      status: 201,
      body: { name: 'topic', commit: { title: 'Initial commit', parent_ids: [] } },
    });
    const main = {
      name: 'main',
      default: true,
      commit: { id: topic.body.commit.id, author_email: 'user3@example.org' },
    };
    expect((await api(people.reporter, 'GET', `${place}/branches`)).body).toMatchObject([main, { name: 'topic' }]);
    expect((await api(people.reporter, 'GET', `${place}/tree`)).body).toMatchObject([{ path: 'README.md' }]);
    expect(await make('main', 'main', people.maintainer)).toMatchObject({ body: { message: 'Branch already exists' } });
  });

  test('of those that make the default branch of an empty repository at once one does', async () => {
    const empty = await harness.project();
    const make = (branch: string) =>
      harness.api(people.developer, 'POST', `/projects/${empty.id}/repository/branches`, { branch, ref: 'HEAD' });
    const outcomes = await Promise.all([make('main'), make('main'), make('one'), make('two')]);
    const [first, second, ...others] = outcomes.map(({ status }) => status);
    expect(others).toEqual([201, 201]);
    // Another branch may have had the default one made before both.
    expect([
      [201, 400],
      [400, 400],
    ]).toContainEqual([first, second].sort());
    const branches = (await api(people.reporter, 'GET', `/projects/${empty.id}/repository/branches`)).body;
    expect(new Set((branches as { commit: { id: string } }[]).map(({ commit }) => commit.id)).size).toBe(1);
  });

  test('who may not push to the default branch makes no first one, and a commit says where it starts', async () => {
    const empty = await harness.project();
    const place = `/projects/${empty.id}`;
    await api(people.maintainer, 'POST', `${place}/protected_branches`, { name: 'main' });
    expect(
      (await api(people.developer, 'POST', `${place}/repository/branches`, { branch: 'x', ref: 'main' })).status,
    ).toBe(403);
    const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
    const commit = { branch: 'main', start_branch: 'main', commit_message: 'First', actions };
    expect((await api(people.maintainer, 'POST', `${place}/repository/commits`, commit)).status).toBe(201);
  });

  test.each([
    ['(a)\\1', 'Regex is invalid'],
    ['(?=a)a', 'Regex is invalid'],
    ['a{1000}', 'Regex is too complex'],
  ])('the regular expression %s is refused', async (expression, message) =>
    expect(await get(`/repository/branches?regex=${encodeURIComponent(expression)}`)).toMatchObject({
      status: 400,
      body: { message },
    }),
  );

  test('expressions that are many do not keep others from being served', async () => {
    const address = at(`/repository/branches?regex=${encodeURIComponent('([ab]*a[ab]{200}|m.*n)$')}`);
    const all = Array.from({ length: 24 }, () => harness.api(people.reporter, 'GET', address));
    expect((await harness.api(people.reporter, 'GET', at('/protected_branches'))).status).toBe(403);
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4);
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  });

  test('a rule has a bounded number of wildcards', async () => {
    const protect = (name: string) => post('/protected_branches', { name }, people.maintainer);
    expect((await protect(`${'*a'.repeat(20)}b`)).status).toBe(201);
    expect(await protect(`${'*a'.repeat(21)}b`)).toMatchObject({
      status: 400,
      body: { message: { name: ['has too many wildcards (maximum is 20)'] } },
    });
    expect((await protect('a'.repeat(2_001))).status).toBe(400);
    const rule = encodeURIComponent(`${'*a'.repeat(20)}b`);
    expect((await api(people.maintainer, 'DELETE', at(`/protected_branches/${rule}`))).status).toBe(204);
  });

  test('merged branches are removed at once, others and protected ones stay', async () => {
    await post('/repository/branches', { branch: 'merged', ref: 'main' });
    await write('ahead', [{ action: 'create', file_path: 'ahead.txt', content: 'x' }], { start_branch: 'main' });
    const reply = await api(people.developer, 'DELETE', at('/repository/merged_branches'));
    expect(reply).toMatchObject({ status: 202, body: { message: '202 Accepted' } });
    const left = ((await get('/repository/branches')).body as { name: string }[]).map(({ name }) => name);
    expect(left).toEqual(['ahead', 'main']);
    expect((await get('/repository/branches/ahead')).body).toMatchObject({ merged: false });
  });
});

describe('protected branches', () => {
  test('are made with defaults, changed, listed and removed', async () => {
    const made = await api(people.maintainer, 'POST', at('/protected_branches'), { name: 'release/*' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'release/*',
        allow_force_push: false,
        push_access_levels: [{ access_level: 40, access_level_description: 'Maintainers' }],
        merge_access_levels: [{ access_level: 40 }],
      },
    });
    const again = await api(people.maintainer, 'POST', at('/protected_branches'), { name: 'release/*' });
    expect([again.status, again.body]).toEqual([409, { message: "Protected branch 'release/*' already exists" }]);
    const changed = await api(people.maintainer, 'PATCH', at('/protected_branches/release%2F*'), {
      allow_force_push: true,
      push_access_level: 30,
    });
    expect(changed).toMatchObject({
      status: 200,
      body: {
        allow_force_push: true,
        push_access_levels: [{ access_level: 30 }],
        merge_access_levels: [{ access_level: 40 }],
      },
    });
    expect((await get('/protected_branches', people.developer)).body).toMatchObject([
      { name: 'main' },
      { name: 'release/*' },
    ]);
    expect((await get('/protected_branches?search=rele', people.developer)).body).toHaveLength(1);
    await post('/repository/branches', { branch: 'release/1', ref: 'main' });
    expect((await get('/repository/branches/release%2F1', people.developer)).body).toMatchObject({
      protected: true,
      developers_can_push: true,
      developers_can_merge: false,
      can_push: true,
    });
    expect((await api(people.maintainer, 'DELETE', at('/protected_branches/release%2F*'))).status).toBe(204);
    expect((await get('/protected_branches/release%2F*', people.developer)).status).toBe(404);
  });

  test('levels are of a list, and Developers do not set them', async () => {
    const create = (person: Person, body: object) => api(person, 'POST', at('/protected_branches'), body);
    expect(await create(people.maintainer, { name: 'x', push_access_level: 20 })).toMatchObject({
      status: 400,
      body: { error: 'push_access_level does not have a valid value' },
    });
    expect((await create(people.developer, { name: 'x' })).status).toBe(403);
    expect(
      (await api(people.maintainer, 'PATCH', at('/protected_branches/none'), { allow_force_push: true })).status,
    ).toBe(404);
  });
});

describe('tags', () => {
  test('light and annotated ones are made, listed in three orders and removed', async () => {
    expect(await post('/repository/tags', { tag_name: 'v1.9', ref: 'main' })).toMatchObject({
      status: 201,
      body: { name: 'v1.9', target: head, message: '', created_at: null, commit: { id: head } },
    });
    const annotated = await post('/repository/tags', { tag_name: 'v1.10', ref: head, message: 'Ten\nlines' });
    expect(annotated).toMatchObject({
      status: 201,
      body: { name: 'v1.10', message: 'Ten\nlines', commit: { id: head } },
    });
    expect((annotated.body as { target: string; created_at: string }).target).not.toBe(head);
    expect((annotated.body as { created_at: string }).created_at).toMatch(/^\d{4}-/);
    const names = async (query: string) =>
      ((await get(`/repository/tags?${query}`)).body as { name: string }[]).map(({ name }) => name);
    expect(await names('order_by=version&sort=asc')).toEqual(['v1.9', 'v1.10']);
    expect(await names('order_by=name&sort=asc')).toEqual(['v1.10', 'v1.9']);
    expect(await names('search=^v1.1')).toEqual(['v1.10']);
    expect((await get('/repository/tags/v1.9')).body).toMatchObject({ name: 'v1.9' });
    expect((await post('/repository/tags', { tag_name: 'v1.9', ref: 'main' })).body).toEqual({
      message: 'Tag v1.9 already exists',
    });
    expect((await post('/repository/tags', { tag_name: 'v 2', ref: 'main' })).body).toEqual({
      message: 'Tag name invalid',
    });
    expect((await post('/repository/tags', { tag_name: 'v2', ref: 'nope' })).body).toEqual({
      message: 'Target nope is invalid',
    });
    expect((await api(people.developer, 'DELETE', at('/repository/tags/v1.9'))).status).toBe(204);
    expect((await get('/repository/tags/v1.9')).body).toEqual({ message: '404 Tag Not Found' });
  });

  test('a tag named like a branch exists next to it', async () => {
    expect((await post('/repository/tags', { tag_name: 'main', ref: 'ahead' })).status).toBe(201);
    expect((await get('/repository/branches/main')).body).toMatchObject({ commit: { id: head } });
    expect((await get('/repository/tags/main')).body).not.toMatchObject({ commit: { id: head } });
    await api(people.developer, 'DELETE', at('/repository/tags/main'));
  });
});

describe('who may', () => {
  test('a private repository is hidden from outsiders, closed to Guests, and written by Developers only', async () => {
    expect((await api(undefined, 'GET', at('/repository/branches'))).status).toBe(404);
    expect((await api(people.outsider, 'GET', at('/repository/branches'))).status).toBe(404);
    expect((await api(people.guest, 'GET', at('/repository/branches'))).status).toBe(403);
    expect((await post('/repository/branches', { branch: 'r', ref: 'main' }, people.reporter)).status).toBe(403);
    expect((await post('/repository/tags', { tag_name: 'r', ref: 'main' }, people.reporter)).status).toBe(403);
    expect((await get('/protected_branches', people.reporter)).status).toBe(403);
  });
});

describe('odd names and paths are literal or refused, never a failure', () => {
  const odd = [
    '--upload-pack=touch /tmp/x',
    '@{-1}',
    'main:README.md',
    '..',
    'HEAD',
    'refs/heads/main',
    '.git/config',
    '*',
    'a\nb',
    'ä/ö',
    '0'.repeat(40),
    'x'.repeat(5_000),
    '__proto__',
  ];
  const status = async (method: string, address: string, body?: object) => {
    const reply = await harness.api(people.maintainer, method, at(address), body);
    return reply.status;
  };

  test.each(odd.map((name) => [name]))('%j', async (name) => {
    const encoded = encodeURIComponent(name);
    const seen: Record<string, number> = {};
    const reads = [
      `/repository/branches/${encoded}`,
      `/repository/tags/${encoded}`,
      `/repository/commits/${encoded}`,
      `/repository/commits/${encoded}/diff`,
      `/repository/commits/${encoded}/refs`,
      `/repository/commits?ref_name=${encoded}`,
      `/repository/commits?path=${encoded}`,
      `/repository/commits?author=${encoded}`,
      `/repository/tree?ref=${encoded}`,
      `/repository/tree?path=${encoded}`,
      `/repository/tree?pagination=keyset&page_token=${encoded}`,
      `/repository/branches?search=${encoded}`,
      `/repository/branches?regex=${encoded}`,
      `/repository/branches?pagination=keyset&page_token=${encoded}`,
      `/repository/commits?cursor=${encoded}`,
      `/repository/blobs/${encoded}`,
      `/repository/blobs/${encoded}/raw`,
      `/repository/files/${encoded}?ref=main`,
      `/repository/files/${encoded}/raw?ref=main`,
      `/repository/files/README.md?ref=${encoded}`,
      `/repository/compare?from=${encoded}&to=main`,
      `/repository/compare?from=main&to=${encoded}`,
      `/repository/merge_base?refs[]=${encoded}&refs[]=main`,
      `/repository/contributors?ref=${encoded}`,
      `/protected_branches/${encoded}`,
    ];
    await Promise.all(
      reads.map(async (address) => {
        seen[address] = await status('GET', address);
      }),
    );
    const action = { action: 'create', file_path: name, content: 'x' };
    seen['create branch'] = await status('POST', '/repository/branches', { branch: name, ref: 'main' });
    seen['create from'] = await status('POST', '/repository/branches', { branch: 'never', ref: name });
    await status('DELETE', '/repository/branches/never');
    seen['delete branch'] = await status('DELETE', `/repository/branches/${encoded}`);
    seen['create tag'] = await status('POST', '/repository/tags', { tag_name: name, ref: 'main' });
    seen['delete tag'] = await status('DELETE', `/repository/tags/${encoded}`);
    seen['commit on'] = await status('POST', '/repository/commits', {
      branch: name,
      commit_message: 'x',
      start_branch: 'main',
      force: true,
      actions: [{ action: 'create', file_path: 'q', content: 'x' }],
    });
    await status('DELETE', `/repository/branches/${encoded}`);
    seen['commit path'] = await status('POST', '/repository/commits', {
      branch: 'ahead',
      commit_message: name,
      actions: [action],
    });
    seen.protect = await status('POST', '/protected_branches', { name });
    await status('DELETE', `/protected_branches/${encoded}`);
    expect(Object.entries(seen).filter(([, code]) => code >= 500 || code < 200)).toEqual([]);
  });
});

test('lists cost the same number of calls and statements whatever their length', async () => {
  const lists = ['branches', 'tags', 'commits?ref_name=main', 'tree', 'contributors'].map(
    (list) => `/repository/${list}${list.includes('?') ? '&' : '?'}per_page=100`,
  );
  lists.push('/protected_branches?per_page=100');
  const costs = async () => {
    const costs: Record<string, string | null> = {};
    for (const list of lists) {
      const reply = await get(list, people.maintainer);
      expect(reply.status).toBe(200);
      costs[list] = reply.headers.get('x-switchyard-cost');
    }
    return costs;
  };
  const before = await costs();
  // Tags read the releases of their page beside.
  const statements = (list: string) => (list.startsWith('/repository/tags') ? '[1-3]' : '[12]');
  expect(Object.values(before)).toEqual(
    lists.map((list) => expect.stringMatching(new RegExp(`^calls=1, statements=${statements(list)}$`))),
  );
  for (let index = 0; index < 10; index += 1) {
    await post('/repository/branches', { branch: `many-${index}`, ref: 'main' });
    await post('/repository/tags', { tag_name: `many-${index}`, ref: 'main' });
    await api(people.maintainer, 'POST', at('/protected_branches'), { name: `many-${index}-*` });
  }
  expect(await costs()).toEqual(before);
});
