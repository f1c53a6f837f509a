import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import {
  ImportMergeRequestsRequest,
  MergeRequestImportServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_import';
import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { eventually } from '@switchyard/testkit';
import { type FakeForge, gitBackend, startFakeForge } from '@switchyard/testkit/forge';
import { openRepository, openWiki, readHead } from '../../src/git';
import { type Harness, people, type TestProject } from './repository-harness';
import { startRepository } from './repository-rig';

let harness: Harness;
let project: TestProject;
let forge: FakeForge;
let folder: string;
let work: string;

const bare = () => join(folder, 'octo', 'things.git');
const git = async (...args: string[]) => (await harness.git(work, ...args)).trim();
const commit = async (message: string) => {
  await git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', message);
  return git('rev-parse', 'HEAD');
};
/** A commit with a file that hides a folder of git's. */
async function hiddenFolder(): Promise<string> {
  const blob = await git('hash-object', '-w', '/dev/null');
  const tree = execFileSync('git', ['mktree'], { cwd: work, input: `100644 blob ${blob}\t.git\n` })
    .toString()
    .trim();
  return git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit-tree', tree, '-m', 'evil');
}

beforeAll(async () => {
  ({ harness } = await startRepository());
  await harness.db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (1, ${people.maintainer.id}, 1, 40)`);
  folder = mkdtempSync(join(tmpdir(), 'switchyard-forge-'));
  work = join(folder, 'work');
  mkdirSync(work);
  await git('init', '-q', '--bare', '-b', 'main', bare());
  await git('init', '-q', '-b', 'main', '.');
  await commit('Closes #1');
  await git('branch', 'feature/a');
  await git('tag', 'v1');
  await git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'tag', '-a', 'v2', '-m', 'two');
  await git('push', '-q', '--all', bare());
  await git('push', '-q', '--tags', bare());
  await git('push', '-q', bare(), 'main:refs/pull/1/head');
  forge = await startFakeForge({}, folder);
});
afterAll(async () => {
  await forge?.close();
  await harness?.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  project = await harness.project();
});

const authorization = () => `Basic ${Buffer.from(`x-access-token:${forge.token}`).toString('base64')}`;
const bring = (given: object = {}) =>
  harness.asImports(RepositoryImportServiceService).importRepository(
    {
      ...{ projectId: project.id, actorId: people.maintainer.id },
      ...{ url: `${forge.url}/octo/things.git`, authorization: authorization(), headsPattern: '' },
      ...given,
    },
    { requestId: 'test', timeoutMs: 60_000 },
  );
const repositoryPath = () => openRepository(join(harness.data, 'repositories'), project.id).path;
const refs = (path: string, ...below: string[]) =>
  harness.git(path, 'for-each-ref', '--format=%(refname) %(objectname)', ...below);
const published = () =>
  harness.db.query<{ source: string }>(
    sql`select body::jsonb ->> 'source' as source from events.outbox where topic like '%repository%' and body::jsonb ->> 'projectId' = ${String(project.id)}`,
  );

test('all branches and tags come over, and nothing else; again, and only what is new comes', async () => {
  expect(await bring()).toEqual({ refs: 4, skipped: 0, kept: [], impossible: [] });
  const expected = await refs(bare(), 'refs/heads', 'refs/tags');
  expect(await refs(repositoryPath())).toBe(expected);
  await harness.git(repositoryPath(), 'fsck', '--strict');
  const asked = forge.requests.length;
  expect(await bring()).toEqual({ refs: 4, skipped: 0, kept: [], impossible: [] });
  // The list of refs alone.
  expect(forge.requests.slice(asked).filter(({ url }) => !url.includes('info/refs'))).toHaveLength(1);

  await commit('Closes #2');
  await git('push', '-q', bare(), 'main');
  await bring();
  expect(await refs(repositoryPath(), 'refs/heads/main')).toBe(await refs(bare(), 'refs/heads/main'));
});

test('merge requests of the forge follow their branches as history; those that were made here as ever (ADR 73)', async () => {
  await bring();
  const [before, target] = [await git('rev-parse', 'main'), await commit('Target')];
  await git('push', '-q', bare(), 'main', `${target}:refs/heads/landed`);
  await git('checkout', '-q', '-b', 'moving', before);
  const first = await commit('First');
  await git('push', '-q', bare(), 'moving', 'moving:landing', 'moving:mine');
  await bring();
  const mergeRequest = (iid: number, sourceBranch: string) => ({
    ...{ iid, authorId: people.developer.id, title: sourceBranch, state: 'opened', sourceBranch, targetBranch: 'main' },
    ...{ diffs: [{ baseSha: '', startSha: target, headSha: first }], createdAt: new Date('2020-01-02') },
  });
  await harness.asImports(MergeRequestImportServiceService).importMergeRequests(
    ImportMergeRequestsRequest.fromPartial({
      ...{ projectId: project.id, importedFrom: 'github', actorId: people.maintainer.id },
      mergeRequests: [mergeRequest(1, 'moving'), mergeRequest(2, 'landing')],
    }),
    { requestId: 'test', timeoutMs: 60_000 },
  );
  const mrs = `/projects/${project.id}/merge_requests`;
  await harness.api(people.developer, 'POST', mrs, { source_branch: 'mine', target_branch: 'main', title: 'Mine' });
  const second = await commit('Second');
  await git('checkout', '-q', 'main');
  await git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'merge', '-q', '--no-ff', '-m', 'Merge', first);
  await git('push', '-q', bare(), 'main', 'moving');
  await bring();
  const shown = async (iid: number) => (await harness.api(people.developer, 'GET', `${mrs}/${iid}`)).body;
  await eventually(async () => {
    expect(await shown(1)).toMatchObject({ sha: second, state: 'opened' });
    expect(await shown(3)).toMatchObject({ state: 'merged' });
  });
  // The forge says itself that it was merged.
  expect(await shown(2)).toMatchObject({ state: 'opened', sha: first });
  const facts = await harness.db.query<{ iid: number; fact: string }>(sql`
    select (body #>> '{mergeRequest,iid}')::int as iid, fact from events.outbox, json_object_keys(body) as fact
    where type = 'merge_request.changed' and (body #>> '{mergeRequest,projectId}')::bigint = ${project.id}
      and fact in ('acted', 'merged', 'closed', 'updated') order by id`);
  expect(facts).toEqual([{ iid: 3, fact: 'merged' }]);
  await git('push', '-q', bare(), ':moving', ':landing', ':mine', ':landed');
});

test('what was made here since is never overwritten', async () => {
  await bring();
  const before = await refs(repositoryPath());
  await git('checkout', '-q', '--orphan', 'other');
  await commit('Another history');
  await git('push', '-q', '-f', bare(), 'other:feature/a', 'other:refs/tags/v1');
  await bring();
  expect(await refs(repositoryPath())).toBe(before);
  await git('push', '-q', '-f', bare(), 'main~0:feature/a', 'v1:refs/tags/v1');
  await git('checkout', '-q', 'main');
});

test('what is protected from who imports, and what is about to be merged, stays and is named (ADR 73)', async () => {
  await bring();
  const here = await refs(repositoryPath());
  const protect = (kind: string, given: object) =>
    harness.api(people.maintainer, 'POST', `/projects/${project.id}/${kind}`, given);
  await harness.api(people.maintainer, 'DELETE', `/projects/${project.id}/protected_branches/main`);
  await protect('protected_branches', { name: 'main', push_access_level: 0 });
  await protect('protected_tags', { name: 'v3*', create_access_level: 0 });
  await harness.db.query(sql`
    insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, auto_merge_strategy)
    values (1, ${project.id}, ${project.id}, 'feature/a', 'main', ${people.developer.id}, 'Draft: a', 'merge_train')`);
  const [before, feature] = [await git('rev-parse', 'main'), await git('rev-parse', 'feature/a')];
  const next = await commit('Next');
  await git('push', '-q', bare(), 'main', 'main:feature/a', 'main:refs/tags/v3');
  expect(await bring()).toMatchObject({
    skipped: 3,
    kept: ['refs/heads/feature/a', 'refs/heads/main', 'refs/tags/v3'],
  });
  expect(await refs(repositoryPath())).toBe(here);
  await harness.api(people.maintainer, 'DELETE', `/projects/${project.id}/protected_branches/main`);
  expect(await bring()).toMatchObject({ kept: ['refs/heads/feature/a', 'refs/tags/v3'] });
  expect(await refs(repositoryPath(), 'refs/heads/main')).toBe(`refs/heads/main ${next}\n`);
  await git('reset', '-q', '--hard', before);
  await git('push', '-q', '-f', bare(), 'main', `${feature}:feature/a`, ':refs/tags/v3');
});

test('what cannot be a branch or a tag here stays away and is named', async () => {
  const long = `refs/heads/${'x'.repeat(251)}`;
  const impossible = ['refs/heads/HEAD', `refs/heads/${'a'.repeat(40)}`, long];
  // The file of a ref above 250 bytes cannot be locked; a packed one needs none.
  const packed = join(bare(), 'packed-refs');
  const tip = await git('rev-parse', 'main');
  writeFileSync(packed, impossible.map((name) => `${tip} ${name}\n`).join(''));
  try {
    expect(await bring()).toEqual({ refs: 4, skipped: 3, kept: [], impossible: [...impossible].sort() });
  } finally {
    rmSync(packed);
  }
});

test('heads of merge requests come over; one whose objects git refuses costs itself alone, and one that is here stays', async () => {
  const hidden = await hiddenFolder();
  await git('push', '-q', bare(), `${hidden}:refs/pull/2/head`, 'main:refs/pull/3/merge', 'main:refs/pull/0/head');
  await git('push', '-q', bare(), `${await commit('Of a fork')}:refs/pull/4/head`);
  await git('reset', '-q', '--hard', 'HEAD^');
  const heads = () => refs(repositoryPath(), 'refs/merge-requests');
  expect(await bring({ headsPattern: 'refs/pull/*/head' })).toEqual({
    ...{ refs: 4, skipped: 1, kept: [] },
    impossible: ['refs/pull/0/head'],
  });
  const first = await heads();
  expect(first.replace(/ .*/gm, '')).toBe('refs/merge-requests/1/head\nrefs/merge-requests/4/head\n');
  await git('push', '-q', '-f', bare(), 'main:refs/pull/4/head', ':refs/pull/2/head');
  await bring({ headsPattern: 'refs/pull/*/head' });
  expect(await heads()).toBe(first);
  await expect(bring({ headsPattern: '--upload-pack=id' })).rejects.toMatchObject({ kind: 'invalid_params' });
  await git('push', '-q', bare(), ':refs/pull/3/merge', ':refs/pull/0/head', ':refs/pull/4/head');
});

test.each([
  ['asks for a pause', 'rate_limited', (response: ServerResponse) => void response.writeHead(429).end()],
  ['fails', 'unavailable', (response: ServerResponse) => void response.writeHead(503).end()],
  [
    'breaks off',
    'unavailable',
    (response: ServerResponse) =>
      void response
        .writeHead(200, { 'Content-Type': 'application/x-git-upload-pack-result' })
        .write('000dpackfile\n', () => response.destroy()),
  ],
])('a forge that %s at the heads of merge requests loses none of them', async (_, kind, fail) => {
  await bring();
  await git('push', '-q', bare(), `${await commit('Of a fork')}:refs/pull/5/head`);
  await git('reset', '-q', '--hard', 'HEAD^');
  // The first is for the list of refs.
  for (const answered of [false, true])
    forge.breakNext(/git-upload-pack$/, (request, response) =>
      answered ? fail(response) : gitBackend(folder)(request, response),
    );
  await expect(bring({ headsPattern: 'refs/pull/*/head' })).rejects.toMatchObject({ kind });
  await bring({ headsPattern: 'refs/pull/*/head' });
  expect(await refs(repositoryPath(), 'refs/merge-requests/5')).not.toBe('');
  await git('push', '-q', bare(), ':refs/pull/5/head');
});

test.each([
  [
    'a wrong token',
    () => ({ authorization: 'Basic eA==' }),
    'unprocessable',
    /does not let the repository be read \(404\)/,
  ],
  ['an address inside', () => ({ url: 'http://169.254.169.254/a.git' }), 'unprocessable', /not allowed/],
  ['what is no repository', () => ({ url: `${forge.url}/api/v3/repositories/1` }), 'unprocessable', /401/],
  ['an address without http', () => ({ url: 'ext::sh -c id' }), 'unprocessable', /http/],
  ['an address of files', () => ({ url: 'file:///etc' }), 'unprocessable', /http/],
])('%s is refused', async (_, given, kind, message) => {
  await expect(bring(given())).rejects.toMatchObject({ kind, body: { message: expect.stringMatching(message) } });
});

test('a forge that is away, asks for a pause or breaks off is one for later', async () => {
  // Of a call that has begun something by then it is `unavailable` (ADR 49); the pause is kept.
  forge.breakNext(/info\/refs/, (_, response) => response.writeHead(429, { 'Retry-After': '77' }).end());
  await expect(bring()).rejects.toMatchObject({ retryAfter: 77 });
  forge.breakNext(/info\/refs/, (_, response) => response.writeHead(429, { 'Retry-After': '999999999' }).end());
  await expect(bring()).rejects.toMatchObject({ retryAfter: 3_600 });
  forge.breakNext(/info\/refs/, (_, response) => response.writeHead(503).end());
  await expect(bring()).rejects.toMatchObject({ kind: 'unavailable' });
  forge.breakNext(/info\/refs/, (_, response) => void response.destroy());
  await expect(bring()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await refs(repositoryPath())).toBe('');
  await bring();
});

test('objects that hide a .git are refused, and nothing of them stays', async () => {
  await git('push', '-q', '-f', bare(), `${await hiddenFolder()}:refs/heads/evil`);
  await expect(bring()).rejects.toMatchObject({
    kind: 'unprocessable',
    body: { message: 'The forge did not send a repository that git accepts' },
  });
  expect(await refs(repositoryPath())).toBe('');
  await git('push', '-q', bare(), ':refs/heads/evil');
});

describe('a wiki', () => {
  const wiki = () => join(folder, 'octo', 'things.wiki.git');
  const bringWiki = () =>
    harness
      .asImports(RepositoryImportServiceService)
      .importWiki(
        { projectId: project.id, url: `${forge.url}/octo/things.wiki.git`, authorization: authorization() },
        { requestId: 'test', timeoutMs: 60_000 },
      );
  const wikiPath = () => openWiki(join(harness.data, 'repositories'), project.id).path;
  beforeEach(() => git('init', '-q', '--bare', '-b', 'master', wiki()));
  afterEach(() => rmSync(wiki(), { recursive: true, force: true }));

  test('comes over with its history and nothing else, again as well, and is not overwritten (ADR 82)', async () => {
    await git('push', '-q', wiki(), 'main:master', 'main:refs/pull/1/head');
    expect(await bringWiki()).toEqual({ refs: 1, skipped: 0 });
    expect(await refs(wikiPath())).toBe(await refs(wiki(), 'refs/heads'));
    expect(await readHead({ path: wikiPath() })).toBe('master');
    const before = await git('rev-parse', 'main');
    const next = await commit('Next');
    await git('push', '-q', wiki(), 'main:master');
    await bringWiki();
    await git('push', '-q', '-f', wiki(), `${before}:master`);
    await bringWiki();
    expect(await refs(wikiPath())).toBe(`refs/heads/master ${next}\n`);
    await git('reset', '-q', '--hard', before);
    expect(await refs(repositoryPath())).toBe('');
    expect(await published()).toEqual([]);
  });

  test.each([
    ['without a page', () => Promise.resolve()],
    ['that is not there', async () => rmSync(wiki(), { recursive: true })],
    ['that is not shown', async () => forge.breakNext(/info\/refs/, (_, response) => response.writeHead(403).end())],
  ])('%s is no error, and none is made', async (_, prepare) => {
    await prepare();
    expect(await bringWiki()).toEqual({ refs: 0, skipped: 0 });
    expect(existsSync(wikiPath())).toBe(false);
  });

  test('of a forge that asks for a pause is one for later, and one that git refuses stays empty', async () => {
    forge.breakNext(/info\/refs/, (_, response) => response.writeHead(403, { 'Retry-After': '77' }).end());
    await expect(bringWiki()).rejects.toMatchObject({ retryAfter: 77 });
    await git('push', '-q', wiki(), `${await hiddenFolder()}:refs/heads/master`);
    await expect(bringWiki()).rejects.toMatchObject({ kind: 'unprocessable' });
    expect(await refs(wikiPath())).toBe('');
  });
});

test('D6: events of history say so', async () => {
  await bring();
  expect(new Set((await published()).map(({ source }) => source))).toEqual(new Set(['import']));
});
