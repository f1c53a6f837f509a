import { type Harness, people, type TestProject } from './repository-harness';
import { repositoryClient, startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
const { at, api, get, post } = repositoryClient(() => ({ harness, project }));

beforeAll(async () => {
  ({ harness, project } = await startRepository());
});
afterAll(() => harness?.close());

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Body = any;

const protect = (body: object, person = people.maintainer) => post('/protected_tags', body, person);
const tag = (tag_name: string, person = people.developer) =>
  post('/repository/tags', { tag_name, ref: 'main' }, person);

test('rules on tags are made, read, listed and removed', async () => {
  const made = await protect({ name: 'rule/*' });
  expect(made.status).toBe(201);
  const level = { access_level: 40, access_level_description: 'Maintainers' };
  expect(made.body).toMatchObject({ name: 'rule/*', create_access_levels: [level] });
  expect((await protect({ name: 'rule/none', create_access_level: 0 })).body).toMatchObject({
    create_access_levels: [{ access_level: 0, access_level_description: 'No one' }],
  });
  const twice = await protect({ name: 'rule/*' });
  expect([twice.status, twice.body]).toEqual([422, { message: ['Name has already been taken'] }]);
  expect((await protect({ name: 'x', create_access_level: 20 })).status).toBe(400);
  expect((await protect({})).body).toEqual({ error: 'name is missing' });
  expect((await protect({ name: 'x'.repeat(2_001) })).status).toBe(400);
  expect((await protect({ name: 'x' }, people.developer)).status).toBe(403);
  const listed = await get('/protected_tags', people.developer);
  expect((listed.body as Body[]).map(({ name }) => name)).toEqual(['rule/*', 'rule/none']);
  expect((await get('/protected_tags', people.reporter)).status).toBe(403);
  expect((await get('/protected_tags/rule%2F*', people.developer)).body).toMatchObject({ name: 'rule/*' });
  expect((await api(people.developer, 'DELETE', at('/protected_tags/rule%2F*'))).status).toBe(403);
  for (const name of ['rule%2F*', 'rule%2Fnone']) {
    expect((await api(people.maintainer, 'DELETE', at(`/protected_tags/${name}`))).status).toBe(204);
    expect((await api(people.maintainer, 'DELETE', at(`/protected_tags/${name}`))).status).toBe(404);
  }
});

test('the API creates and deletes protected tags for those whom the rules let', async () => {
  await protect({ name: 'v*' });
  const refused = await tag('v1');
  expect([refused.status, refused.body]).toEqual([
    403,
    { message: '403 Forbidden - You are not allowed to create this tag as it is protected.' },
  ]);
  expect((await tag('free')).body).toMatchObject({ protected: false });
  expect((await tag('v1', people.maintainer)).body).toMatchObject({ protected: true });
  expect((await get('/repository/tags/v1')).body).toMatchObject({ protected: true });
  expect((await get('/repository/tags?order_by=name&sort=asc')).body).toMatchObject([
    { name: 'free', protected: false },
    { name: 'v1', protected: true },
  ]);
  expect((await api(people.developer, 'DELETE', at('/repository/tags/v1'))).status).toBe(403);
  expect((await api(people.maintainer, 'DELETE', at('/repository/tags/v1'))).status).toBe(204);
  expect((await api(people.developer, 'DELETE', at('/repository/tags/free'))).status).toBe(204);
});

test('a push creates protected tags for those whom the rules let, and moves or deletes none', async () => {
  await protect({ name: 'release/*', create_access_level: 30 });
  await protect({ name: 'final/*', create_access_level: 40 });
  const folder = harness.folder();
  const push = (person: typeof people.developer, ...refs: string[]) =>
    ['push', '--quiet', '--force', harness.remote(person, project.path), ...refs] as const;
  await harness.git(folder, 'clone', '--quiet', harness.remote(people.developer, project.path), '.');
  const said = await harness.gitFails(
    folder,
    ...push(people.developer, 'main:refs/tags/release/1', 'main:refs/tags/final/1'),
  );
  expect(said).toContain('Switchyard: You are not allowed to create this tag as it is protected.');
  const names = async () => ((await get('/repository/tags')).body as Body[]).map(({ name }) => name).sort();
  expect(await names()).toEqual(['release/1']);
  await harness.git(folder, ...push(people.maintainer, 'main:refs/tags/final/1'));
  await harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Later');
  expect(await harness.gitFails(folder, ...push(people.owner, 'HEAD:refs/tags/release/1'))).toContain(
    'Protected tags cannot be updated.',
  );
  expect(await harness.gitFails(folder, ...push(people.owner, ':refs/tags/release/1'))).toContain(
    'You can only delete protected tags using the API.',
  );
  expect(await names()).toEqual(['final/1', 'release/1']);
});
