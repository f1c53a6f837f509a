import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps } from './merge-request-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, commit, newProject } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const releases = (project: TestProject, path = '') => at(project, `/releases${path}`);
const post = (project: TestProject, body: object, by: Person = people.developer, path = '') =>
  api(by, 'POST', releases(project, path), body);
const names = (reply: { body: Body }) => reply.body.map((row: Body) => row.tag_name ?? row.name);
/** What was published of a project's releases. */
const facts = async (project: TestProject): Promise<string[]> => {
  const rows = await harness.db.query<{ body: string }>(
    sql`select body::text as body from events.outbox where topic like 'merge-requests.release%' order by id`,
  );
  return rows
    .map(({ body }) => JSON.parse(body))
    .filter(({ release }) => release.projectId === project.id)
    .map(({ release, created, updated }) => `${created ? 'created' : updated ? 'updated' : 'deleted'} ${release.name}`);
};

async function withCode(): Promise<TestProject> {
  const project = await newProject();
  await commit(project, 'main', { 'a.txt': 'a' });
  return project;
}

test('a release makes its tag, is shown with it, changed, listed and deleted; the tag stays', async () => {
  const project = await withCode();
  const made = await post(project, {
    tag_name: 'v/1',
    ref: 'main',
    tag_message: 'First',
    description: '**all** R-1',
    assets: { links: [{ name: 'app', url: 'https://example.com/app', direct_asset_path: '/bin/app' }] },
  });
  expect(made).toMatchObject({
    status: 201,
    body: {
      tag_name: 'v/1',
      name: 'v/1',
      description: '**all** R-1',
      upcoming_release: false,
      author: { id: people.developer.id },
      commit: { title: expect.any(String) },
      milestones: [],
      assets: { count: 4, links: [{ name: 'app', link_type: 'other', url: 'https://example.com/app' }] },
    },
  });
  const one = releases(project, '/v%2F1');
  expect((await api(people.reporter, 'GET', at(project, '/repository/tags/v%2F1'))).body).toMatchObject({
    message: 'First',
    release: { tag_name: 'v/1', description: '**all** R-1' },
  });
  await api(people.developer, 'POST', at(project, '/repository/tags'), { tag_name: 'bare', ref: 'main' });
  const tags = (await api(people.reporter, 'GET', at(project, '/repository/tags?order_by=name'))).body;
  expect(tags.map(({ name, release }: Body) => [name, release?.description])).toEqual([
    ['v/1', '**all** R-1'],
    ['bare', undefined],
  ]);
  const html = await api(people.reporter, 'GET', `${one}?include_html_description=true`);
  expect(html.body.description_html).toMatch(
    /<strong>all<\/strong> <a href="https:\/\/tracker\.example\/\d+\/1"[^>]*>R-1<\/a>/,
  );
  expect(await post(project, { tag_name: 'v/1' })).toMatchObject({
    status: 409,
    body: { message: 'Release already exists' },
  });
  expect(await api(people.developer, 'PUT', one, { name: 'One', released_at: '2040-01-01T00:00:00Z' })).toMatchObject({
    status: 200,
    body: { name: 'One', description: '**all** R-1', upcoming_release: true },
  });
  expect((await api(people.developer, 'PUT', one, {})).status).toBe(400);
  expect(await api(people.developer, 'DELETE', one)).toMatchObject({ status: 200, body: { name: 'One' } });
  expect((await api(people.reporter, 'GET', one)).status).toBe(404);
  expect((await api(people.reporter, 'GET', at(project, '/repository/tags/v%2F1'))).body.release).toBeNull();
  expect(await facts(project)).toEqual(['created v/1', 'updated One', 'deleted One']);
});

test('nothing is made of a request with problems: all are named, and no tag appears', async () => {
  const project = await withCode();
  const refused = await post(project, {
    tag_name: 'v1',
    ref: 'main',
    name: 'x'.repeat(256),
    milestones: ['none'],
    assets: { links: [{ name: 'a', url: 'javascript:x' }] },
  });
  expect([refused.status, Object.keys(refused.body.message).sort()]).toEqual([400, ['links', 'milestones', 'name']]);
  expect(await post(project, { tag_name: 'v1' })).toMatchObject({
    status: 422,
    body: { message: 'Ref is not specified' },
  });
  expect((await post(project, { tag_name: 'v1', ref: 'nowhere' })).status).toBe(400);
  expect((await post(project, { tag_name: 'a..b', ref: 'main' })).status).toBe(400);
  expect((await post(project, { tag_name: 'v1', milestones: ['a'], milestone_ids: [1] })).status).toBe(400);
  expect((await api(people.reporter, 'GET', at(project, '/repository/tags'))).body).toEqual([]);
  const atOnce = await Promise.all([1, 2, 3].map((n) => post(project, { tag_name: 'v2', ref: 'main', name: `${n}` })));
  expect(atOnce.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(1);
  expect((await facts(project)).length).toBe(1);
});

test('lists go by the time of publication, and the latest leaves upcoming ones out; milestones come with a constant number of statements', async () => {
  const project = await withCode();
  await harness.db.query(sql`
    insert into directory.milestones (id, iid, project_id, title, state, created_at, updated_at)
    values (${project.id * 10}, 1, ${project.id}, 'M', 'active', now(), now())`);
  for (const [tag, year] of [
    ['old', 2020],
    ['new', 2022],
    ['next', 2090],
    ['middle', 2021],
  ] as const) {
    const body = { tag_name: tag, ref: 'main', released_at: `${year}-01-01T00:00:00Z`, milestones: ['M'] };
    expect(await post(project, body)).toMatchObject({ status: 201, body: { milestones: [{ title: 'M' }] } });
  }
  const list = (query: string) => api(people.reporter, 'GET', releases(project, query));
  expect(names(await list(''))).toEqual(['next', 'new', 'middle', 'old']);
  expect(names(await list('?order_by=created_at&sort=asc'))).toEqual(['old', 'new', 'next', 'middle']);
  expect(names(await list('?updated_before=2020-01-01'))).toEqual([]);
  const keyset = await list('?pagination=keyset&per_page=2&sort=asc');
  expect(names(keyset)).toEqual(['old', 'middle']);
  const next = /<[^>]*(\/projects[^>]*)>; rel="next"/.exec(keyset.headers.get('link') ?? '')?.[1];
  expect(names(await api(people.reporter, 'GET', next!))).toEqual(['new', 'next']);
  const latest = await api(people.reporter, 'GET', releases(project, '/permalink/latest'));
  expect([latest.status, latest.body.tag_name]).toEqual([200, 'new']);
  await harness.db.query(sql`update directory.milestones set deleted_at = now() where id = ${project.id * 10}`);
  expect((await list('')).body[0].milestones).toEqual([]);
});

test('links are once by name, address and path, and their permanent address names theirs', async () => {
  const project = await withCode();
  await post(project, { tag_name: 'v1', ref: 'main' });
  const path = releases(project, '/v1/assets/links');
  const add = (body: object, by: Person = people.developer) => api(by, 'POST', path, body);
  const app = { name: 'app', url: 'https://example.com/app', filepath: '/bin/app', link_type: 'package' };
  const made = await add(app);
  expect(made).toMatchObject({ status: 201, body: { name: 'app', link_type: 'package' } });
  for (const [more, field] of [
    [{ url: 'https://x.example', filepath: '/x' }, 'name'],
    [{ name: 'x', filepath: '/x' }, 'url'],
    [{ name: 'x', url: 'https://x.example' }, 'filepath'],
  ] as const) {
    expect(await add({ ...app, ...more })).toMatchObject({
      status: 400,
      body: { message: { [field]: ['has already been taken'] } },
    });
  }
  const asset = await harness.api(
    people.reporter,
    'GET',
    new URL(made.body.direct_asset_url).pathname.slice('/api/v4'.length),
  );
  expect([asset.status, asset.text]).toEqual([200, 'https://example.com/app\n']);
  const latest = releases(project, '/permalink/latest/downloads/bin%2Fapp');
  expect((await harness.api(people.reporter, 'GET', latest)).text).toBe('https://example.com/app\n');
  expect((await add({ name: 'b', url: 'https://example.com/b' })).status).toBe(201);
  expect(names(await api(people.reporter, 'GET', path))).toEqual(['b', 'app']);
  const one = `${path}/${made.body.id}`;
  expect((await api(people.developer, 'PUT', one, { direct_asset_path: '', name: 'c' })).body).toMatchObject({
    name: 'c',
    direct_asset_url: 'https://example.com/app',
  });
  expect((await harness.api(people.reporter, 'GET', latest)).status).toBe(404);
  await post(project, { tag_name: 'v2', ref: 'main' });
  const elsewhere = releases(project, `/v2/assets/links/${made.body.id}`);
  for (const method of ['GET', 'DELETE']) expect((await api(people.developer, method, elsewhere)).status).toBe(404);
  expect((await api(people.developer, 'PUT', elsewhere, { name: 'd' })).status).toBe(404);
  expect(await api(people.developer, 'DELETE', one)).toMatchObject({ status: 200, body: { name: 'c' } });
  expect((await api(people.reporter, 'GET', one)).status).toBe(404);
});

test('a protected tag keeps its release for those who may create it', async () => {
  const project = await withCode();
  await post(project, { tag_name: 'v1', ref: 'main' });
  await api(people.maintainer, 'POST', at(project, '/protected_tags'), { name: 'v*' });
  const one = releases(project, '/v1');
  const links = `${one}/assets/links`;
  const link = { name: 'app', url: 'https://example.com/app' };
  for (const [method, path, body] of [
    ['POST', releases(project), { tag_name: 'v2', ref: 'main' }],
    ['PUT', one, { name: 'x' }],
    ['DELETE', one, undefined],
    ['POST', links, link],
  ] as const) {
    expect((await api(people.developer, method, path, body)).status).toBe(403);
  }
  expect((await api(people.maintainer, 'POST', links, link)).status).toBe(201);
  expect((await api(people.maintainer, 'PUT', one, { name: 'x' })).status).toBe(200);
  expect((await post(project, { tag_name: 'v2', ref: 'main' }, people.maintainer)).status).toBe(201);
});

test('the older endpoints want a tag; a tag deleted by the API takes its release with it, one deleted by a push does not', async () => {
  const project = await withCode();
  const of = (tag: string) => at(project, `/repository/tags/${tag}/release`);
  const described = { description: 'All' };
  expect(await api(people.developer, 'POST', of('v1'), described)).toMatchObject({ status: 404 });
  for (const tag_name of ['v1', 'v2'])
    await api(people.developer, 'POST', at(project, '/repository/tags'), { tag_name, ref: 'main' });
  expect((await api(people.developer, 'PUT', of('v1'), described)).status).toBe(404);
  for (const tag of ['v1', 'v2']) {
    expect(await api(people.developer, 'POST', of(tag), described)).toMatchObject({
      status: 201,
      body: { tag_name: tag, description: 'All' },
    });
  }
  expect((await api(people.developer, 'POST', of('v1'), described)).status).toBe(409);
  expect((await api(people.developer, 'PUT', of('v1'), { description: 'More' })).body.description).toBe('More');

  expect((await api(people.developer, 'DELETE', at(project, '/repository/tags/v1'))).status).toBe(204);
  await eventually(async () => expect((await api(people.reporter, 'GET', releases(project, '/v1'))).status).toBe(404));
  const clone = harness.folder();
  await harness.git(clone, 'init', '-q');
  await harness.git(clone, 'push', harness.remote(people.developer, project.path), '--delete', 'refs/tags/v2');
  const left = await api(people.reporter, 'GET', releases(project, '/v2'));
  expect(left).toMatchObject({ status: 200, body: { commit: null, assets: { count: 0 } } });
  expect(await facts(project)).toEqual(['created v1', 'created v2', 'updated v1', 'deleted v1']);
});
