import { at, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
let project: TestProject;
const shas: string[] = [];
const { api, addMembers, commit, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
  project = await newProject();
  for (let index = 0; index < 22; index += 1) shas.push(await commit(project, 'main', { [`f${index}`]: 'x' }));
  await commit(project, 'topic', { topic: 'x' }, { start: 'main' });
  await open(project, 'topic');
});
afterAll(() => harness?.close());

const path = () => mr(project, 1, '/context_commits');
const add = (commits: unknown, by = people.developer) => api(by, 'POST', path(), { commits });
const remove = (commits: unknown, by = people.developer) => api(by, 'DELETE', path(), { commits });
const listed = async (query = ''): Promise<string[]> =>
  (await api(people.reporter, 'GET', `${path()}${query}`)).body.map(({ id }: { id: string }) => id);

test('commits are added, listed and taken away', async () => {
  const [one = '', two = '', three = ''] = shas;
  const added = await add([one, two.slice(0, 12)]);
  expect(added.status).toBe(201);
  expect(added.body).toMatchObject([{ id: one, parent_ids: [expect.any(String)] }, { id: two }]);
  expect((await add([two, three])).status).toBe(201);
  expect((await listed()).sort()).toEqual([one, two, three].sort());
  expect(await listed('?per_page=2')).toHaveLength(2);
  expect(await listed('?per_page=2&page=2')).toHaveLength(1);
  expect((await remove([three.slice(0, 12), one])).status).toBe(204);
  expect(await listed()).toEqual([two]);
  expect((await remove([one])).body).toEqual({ message: "One or more context commits' sha is not valid." });
});

test('what is no commit, too much, or not theirs is refused, and nothing is added', async () => {
  const before = await listed();
  const notValid = { message: "One or more context commits' sha is not valid." };
  for (const commits of [['0123456789'.repeat(4)], [shas[5], 'main'], ['nonsense'], ['']])
    expect(await add(commits)).toMatchObject({ status: 400, body: notValid });
  expect(await add(shas.slice(0, 21))).toMatchObject({
    status: 400,
    body: { message: 'Context commits array size should not be more than 20' },
  });
  expect((await api(people.developer, 'POST', path(), {})).body).toEqual({ error: 'commits is missing' });
  expect((await add([shas[5]], people.reporter)).status).toBe(403);
  expect((await add([shas[5]], people.outsider)).status).toBe(404);
  expect((await api(people.developer, 'GET', mr(project, 9, '/context_commits'))).status).toBe(404);
  expect(await listed()).toEqual(before);
  expect((await api(people.owner, 'GET', at(project, '/merge_requests/1/commits'))).body).toHaveLength(1);
});
