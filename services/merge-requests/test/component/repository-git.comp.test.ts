import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { sql } from '@switchyard/database/sql';
import { identityKey } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { branchNameOf, ensureRepository, openRepository, readHead } from '../../src/git';
import { purgeRepositories } from '../../src/repositories/application/purge-repositories';
import { storagesIn } from '../../src/repositories/application/storages';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { gitSteps } from './git-steps';
import { type Harness, type Person, people, startHarness } from './repository-harness';

let harness: Harness;
const { commit, events, pushed } = gitSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.close());

test('a history of hundreds of commits with binaries and tags is pushed, cloned, fetched and cloned shallow', async () => {
  const project = await harness.project();
  const folder = harness.folder();
  await harness.git(folder, 'init', '--quiet', '--initial-branch=main');
  // Above git's http.postBuffer, so that the push goes in chunks after a probe.
  const binary = randomBytes(3_000_000);
  writeFileSync(join(folder, 'picture.bin'), binary);
  await harness.git(folder, 'add', '.');
  await harness.git(folder, 'commit', '--quiet', '-m', 'A picture');
  const stream = Array.from({ length: 400 }, (_, at) => {
    const message = `Change ${at}`;
    const content = `line ${at}\n`;
    return [
      'commit refs/heads/main',
      `committer Ada <ada@example.org> ${1_700_000_000 + at} +0000`,
      `data ${message.length}\n${message}`,
      at === 0 ? 'from refs/heads/main^0' : '',
      `M 100644 inline file${at % 20}.txt`,
      `data ${content.length}\n${content}`,
    ]
      .filter((line) => line !== '')
      .join('\n');
  }).join('\n');
  writeFileSync(join(folder, '..', 'stream'), `${stream}\n`);
  await harness.git(folder, '-c', 'alias.load=!git fast-import --quiet < ../stream', 'load');
  await harness.git(folder, 'tag', 'v1');
  await harness.git(folder, 'tag', '-a', 'v2', '-m', 'Second');
  await harness.git(folder, 'branch', 'feature/one', 'main~5');
  await harness.git(folder, 'remote', 'add', 'origin', harness.remote(people.maintainer, project.path));
  await harness.git(folder, 'push', '--quiet', 'origin', 'main', 'feature/one', '--tags');

  const clone = harness.folder();
  await harness.git(clone, 'clone', '--quiet', harness.remote(people.reporter, project.path), 'full');
  const full = join(clone, 'full');
  expect((await harness.git(full, 'rev-list', '--count', 'HEAD')).trim()).toBe('401');
  expect(readFileSync(join(full, 'picture.bin')).equals(binary)).toBe(true);
  expect((await harness.git(full, 'tag')).trim().split('\n')).toEqual(['v1', 'v2']);
  await harness.git(full, 'fsck', '--strict');

  await harness.git(clone, 'clone', '--quiet', '--depth=1', harness.remote(people.reporter, project.path), 'shallow');
  expect((await harness.git(join(clone, 'shallow'), 'rev-list', '--count', 'HEAD')).trim()).toBe('1');

  await harness.git(folder, 'reset', '--hard', '--quiet');
  await commit(folder, { 'new.txt': 'new\n' }, 'One more');
  await harness.git(folder, 'push', '--quiet', 'origin', 'main');
  await harness.git(full, 'pull', '--quiet');
  expect(readFileSync(join(full, 'new.txt'), 'utf8')).toBe('new\n');

  const found = await events(project.id);
  expect(found.map(({ body }) => `${body.action} ${body.refName}`).sort()).toEqual([
    'created feature/one',
    'created main',
    'created v1',
    'created v2',
    'pushed main',
  ]);
  const last = found.at(-1)?.body;
  expect(last).toMatchObject({ commitCount: 1, commitTitle: 'One more' });
}, 60_000);

test('a Developer is refused on a protected branch with the reason on the screen, and pushes to others', async () => {
  const { project, folder } = await pushed();
  await commit(folder, { b: 'b' }, 'Second');
  const remote = harness.remote(people.developer, project.path);
  const said = await harness.gitFails(folder, 'push', remote, 'main', 'main:refs/heads/mine');
  expect(said).toContain("You are not allowed to push code to the protected branch 'main' on this project.");
  expect(said).toMatch(/! \[remote rejected\] main -> main/);
  expect(said).toMatch(/\[new branch\]\s+main -> mine/);
});

test('what may not be pushed is refused one by one', async () => {
  const { project, folder } = await pushed();
  const remote = harness.remote(people.owner, project.path);
  expect(await harness.gitFails(folder, 'push', remote, ':main')).toContain('default branch');
  expect(await harness.gitFails(folder, 'push', remote, 'main:refs/merge-requests/1/head')).toContain('read-only');
  expect(await harness.gitFails(folder, 'push', remote, 'main:refs/keep/it')).toContain('only branches and tags');
  await commit(folder, { c: 'c' }, 'Other');
  await harness.git(folder, 'reset', '--hard', '--quiet', 'HEAD~1');
  await harness.git(folder, 'commit', '--quiet', '--amend', '-m', 'Rewritten');
  expect(await harness.gitFails(folder, 'push', '--force', remote, 'main')).toContain('force push');
});

test('a private project asks for credentials, and hides from outsiders exactly as one that is not there', async () => {
  const { project } = await pushed();
  const probe = (path: string, token?: string) =>
    fetch(`${harness.url}/${path}.git/info/refs?service=git-upload-pack`, {
      headers: token === undefined ? {} : { authorization: `Basic ${Buffer.from(`x:${token}`).toString('base64')}` },
    }).then(async (response) => ({
      status: response.status,
      asks: response.headers.get('www-authenticate'),
      text: await response.text(),
    }));
  const anonymous = await probe(project.path);
  expect(anonymous).toMatchObject({ status: 401, asks: expect.stringContaining('Basic realm') });
  expect(await probe('group/missing')).toEqual(anonymous);
  const strange = await probe(project.path, people.outsider.token);
  expect(strange.status).toBe(404);
  expect(await probe('group/missing', people.outsider.token)).toEqual(strange);
  expect((await probe(project.path, 'no such token')).status).toBe(401);
  expect((await probe(project.path, people.guest.token)).status).toBe(403);
  expect((await probe(project.path, people.reporter.token)).status).toBe(200);
});

test('scopes, levels and archiving decide over pushes; both address forms and all token headers work', async () => {
  const { project, folder } = await pushed({ visibility: 'public' });
  await commit(folder, { d: 'd' }, 'More');
  const refused = (person: Parameters<Harness['remote']>[0]) =>
    harness.gitFails(folder, 'push', harness.remote(person, project.path), 'main:refs/heads/x');
  expect(await refused(people.readOnly)).toContain('scopes');
  expect(await refused(people.reporter)).toContain('not allowed to push code');
  expect(await refused(people.outsider)).toContain('not allowed to push code');
  expect(await refused(undefined)).toMatch(/could not read Username|Authentication failed|terminal prompts disabled/);
  const bare = harness.remote(undefined, project.path).replace(/\.git$/, '');
  await harness.git(
    folder,
    '-c',
    `http.extraHeader=PRIVATE-TOKEN: ${people.developer.token}`,
    'push',
    bare,
    'main:refs/heads/y',
  );
  await harness.git(
    folder,
    '-c',
    `http.extraHeader=Authorization: Bearer ${people.developer.token}`,
    'push',
    bare,
    'main:refs/heads/z',
  );
  await harness.git(harness.folder(), 'clone', '--quiet', bare, '.');
  await harness.db.query(sql`update directory.projects set archived = true where id = ${project.id}`);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(await refused(people.owner)).toContain('archived');
});

test('a push says where a merge request is made or found, and which of its options mean nothing', async () => {
  const { project, folder } = await pushed();
  const push = (...args: string[]) => harness.git(folder, 'push', 'origin', ...args);
  await harness.git(folder, 'checkout', '--quiet', '-b', 'a/b c'.replace(' ', '+'));
  await commit(folder, { 'new.txt': 'new\n' }, 'New');
  const first = await push('-o', 'reviewers=ada', 'a/b+c');
  expect(first).toMatch(/remote: To create a merge request for a\/b\+c, visit:\s*\n/);
  const address = `http://switchyard.test/${project.path}/-/merge_requests`;
  expect(first).toContain(`remote:   ${address}/new?merge_request%5Bsource_branch%5D=a%2Fb%2Bc`);
  expect(first).toContain("remote: Switchyard: The push option 'reviewers=ada' is unknown and has no effect.");
  const opened = await harness.api(people.maintainer, 'POST', `/projects/${project.id}/merge_requests`, {
    source_branch: 'a/b+c',
    target_branch: 'main',
    title: 'New',
  });
  expect(opened.status).toBe(201);
  await commit(folder, { 'newer.txt': 'newer\n' }, 'Newer');
  const second = await push('a/b+c', 'a/b+c:refs/heads/other', 'a/b+c:refs/tags/v9');
  expect(second).toContain('remote: View merge request for a/b+c:');
  expect(second).toMatch(new RegExp(`remote:   ${address}/1\\s`));
  expect(second).toContain('remote: To create a merge request for other, visit:');
  expect(second).not.toContain('v9, visit');
  for (const args of [[':other'], ['a/b+c:main']]) expect(await push(...args)).not.toContain('merge request');
  await harness.db.query(sql`update directory.projects set merge_requests_enabled = false where id = ${project.id}`);
  expect(await push('a/b+c:refs/heads/third')).not.toContain('merge request');
});

test('a clone without file contents gets them when it needs them, and can be pushed from', async () => {
  const { project, folder } = await pushed();
  await commit(folder, { 'README.md': '# Second\n', 'deep/er.txt': 'deep\n' }, 'Second');
  await harness.git(folder, 'push', '--quiet', harness.remote(people.maintainer, project.path), 'main');
  const remote = harness.remote(people.developer, project.path);
  const clone = async (filter: string): Promise<{ at: string; missing: () => Promise<number> }> => {
    const at = harness.folder();
    await harness.git(at, 'clone', '--quiet', '--no-checkout', `--filter=${filter}`, remote, '.');
    const missing = async () =>
      (await harness.git(at, 'rev-list', '--objects', '--missing=print', 'HEAD'))
        .split('\n')
        .filter((line) => line.startsWith('?')).length;
    return { at, missing };
  };
  const blobless = await clone('blob:none');
  expect(await blobless.missing()).toBe(3);
  await harness.git(blobless.at, 'checkout', '--quiet', 'main');
  expect(readFileSync(join(blobless.at, 'deep/er.txt'), 'utf8')).toBe('deep\n');
  expect(await blobless.missing()).toBe(1);
  expect(await harness.git(blobless.at, 'log', '-p', '--format=%s')).toContain('-# Hello');
  expect(await blobless.missing()).toBe(0);
  await harness.git(blobless.at, 'checkout', '--quiet', '-b', 'from-partial');
  await commit(blobless.at, { 'more.txt': 'more\n' }, 'More');
  await harness.git(blobless.at, 'push', '--quiet', 'origin', 'from-partial');
  await harness.git(folder, 'fetch', '--quiet', remote, 'from-partial');

  const treeless = await clone('tree:0');
  expect(await treeless.missing()).toBeGreaterThan(0);
  await harness.git(treeless.at, 'checkout', '--quiet', 'main');
  expect(readFileSync(join(treeless.at, 'README.md'), 'utf8')).toBe('# Second\n');
  expect(await harness.gitFails(harness.folder(), 'clone', '--quiet', '--filter=nonsense', remote, '.')).toMatch(
    /invalid filter-spec/,
  );
});

test('refs of the service itself are told to no client, whichever protocol it speaks', async () => {
  const { project, folder } = await pushed();
  const repo = openRepository(join(harness.data, 'repositories'), project.id);
  await commit(folder, { secret: 'x' }, 'Kept');
  await harness.git(folder, 'push', '--quiet', harness.remote(people.maintainer, project.path), 'main:refs/heads/gone');
  const kept = (await harness.git(folder, 'rev-parse', 'HEAD')).trim();
  const hidden = ['refs/keep-around/one', 'refs/internal/two', 'refs/notes/three', 'refs/pipelines/4'];
  for (const ref of hidden) await harness.git(repo.path, 'update-ref', ref, kept);
  await harness.git(repo.path, 'update-ref', 'refs/merge-requests/1/head', kept);
  await harness.git(folder, 'push', '--quiet', harness.remote(people.maintainer, project.path), ':gone');
  const remote = harness.remote(people.developer, project.path);
  for (const version of ['0', '1', '2']) {
    const protocol = ['-c', `protocol.version=${version}`];
    const told = (await harness.git(folder, ...protocol, 'ls-remote', remote))
      .split('\n')
      .flatMap((line) => line.split('\t')[1] ?? []);
    expect(told).toEqual(['HEAD', 'refs/heads/main', 'refs/merge-requests/1/head']);
    for (const ref of hidden) {
      expect(await harness.git(folder, ...protocol, 'ls-remote', remote, ref)).toBe('');
      const empty = harness.folder();
      await harness.git(empty, 'init', '--quiet');
      expect(await harness.gitFails(empty, ...protocol, 'fetch', remote, ref)).toMatch(/couldn't find remote ref/);
    }
  }
  const response = await fetch(`${harness.url}/${project.path}.git/info/refs?service=git-receive-pack`, {
    headers: { authorization: `Basic ${Buffer.from(`git:${people.maintainer.token}`).toString('base64')}` },
  });
  const advertised = await response.text();
  expect(advertised.match(/refs\/[a-z0-9/-]+/g)).toEqual(['refs/heads/main']);
  expect(advertised).toContain(' push-options ');
});

test('large files are reported as unsupported, to users who may read the project', async () => {
  const { project } = await pushed();
  const ask = async (person: Person | undefined, path: string, method = 'POST') => {
    const password = Buffer.from(`git:${person?.token}`).toString('base64');
    const response = await fetch(`${harness.url}/${path}`, {
      method,
      headers: {
        ...(person === undefined ? {} : { authorization: `Basic ${password}` }),
        'content-type': 'application/vnd.git-lfs+json',
      },
      body: method === 'GET' ? undefined : JSON.stringify({ operation: 'download', objects: [] }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  for (const [path, method] of [
    ['objects/batch', 'POST'],
    ['locks?limit=1', 'GET'],
    ['locks/verify', 'POST'],
    ['locks/1/unlock', 'POST'],
  ]) {
    const answer = await ask(people.reporter, `${project.path}.git/info/lfs/${path}`, method);
    expect(answer.status).toBe(501);
    expect(answer.headers.get('content-type')).toMatch(/^application\/vnd\.git-lfs\+json/);
    expect(JSON.parse(answer.text)).toEqual({ message: 'Git LFS is not supported by this server.' });
  }
  const batch = `${project.path}/info/lfs/objects/batch`;
  expect((await ask(people.reporter, batch)).status).toBe(501);
  expect((await ask(people.outsider, batch)).status).toBe(404);
  const challenged = await ask(undefined, batch);
  expect([challenged.status, challenged.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Switchyard"']);
  expect((await ask(people.reporter, 'group/nothing.git/info/lfs/objects/batch')).status).toBe(404);
});

test.each(['git-upload-pack', 'git-receive-pack'])(
  'a body of %s that is no gzip is the fault of its sender',
  async (service) => {
    const { project } = await pushed();
    const post = async (body: Buffer) => {
      const response = await fetch(`${harness.url}/${project.path}.git/${service}`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`git:${people.maintainer.token}`).toString('base64')}`,
          'content-type': `application/x-${service}-request`,
          'content-encoding': 'gzip',
        },
        body: new Uint8Array(body),
      });
      return { status: response.status, body: await response.json() };
    };
    const refused = { status: 400, body: { message: '400 Bad request - the body is no gzip' } };
    expect(await post(Buffer.from('no gzip at all'))).toEqual(refused);
    expect(await post(gzipSync(randomBytes(1_000)).subarray(0, 12))).toEqual(refused);
  },
);

test('a merged branch is removed however many that are not merged stand before it', async () => {
  const { project, folder } = await pushed();
  await harness.git(folder, 'checkout', '--quiet', '-b', 'ahead');
  await commit(folder, { 'ahead.txt': 'ahead\n' }, 'Ahead');
  const unmerged = Array.from({ length: 1_000 }, (_, index) => `ahead:refs/heads/a${index}`);
  await harness.git(folder, 'push', '--quiet', 'origin', 'main:refs/heads/merged');
  // Straight into the store: a push of a thousand branches takes more than a minute.
  await harness.git(
    folder,
    'push',
    '--quiet',
    openRepository(join(harness.data, 'repositories'), project.id).path,
    ...unmerged,
  );
  const branches = `/projects/${project.id}/repository/branches`;
  expect((await harness.api(people.maintainer, 'GET', `${branches}/merged`)).status).toBe(200);
  const path = `/projects/${project.id}/repository/merged_branches`;
  expect((await harness.api(people.maintainer, 'DELETE', path)).status).toBe(202);
  await eventually(async () =>
    expect((await harness.api(people.maintainer, 'GET', `${branches}/merged`)).status).toBe(404),
  );
  expect((await harness.api(people.maintainer, 'GET', `${branches}/a999`)).status).toBe(200);
});

test('of pushes to one branch at the same time one wins and the others are refused', async () => {
  const { project, folder } = await pushed();
  const clones = await Promise.all(
    Array.from({ length: 4 }, async (_, at) => {
      const clone = harness.folder();
      await harness.git(clone, 'clone', '--quiet', folder, '.');
      await commit(clone, { [`file${at}`]: String(at) }, `Change ${at}`);
      return clone;
    }),
  );
  const outcomes = await Promise.all(
    clones.map((clone) =>
      harness.git(clone, 'push', harness.remote(people.maintainer, project.path), 'main').then(
        () => 'won',
        (error: { stderr: string }) => error.stderr,
      ),
    ),
  );
  expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
  for (const outcome of outcomes) expect(outcome).toMatch(/^won$|rejected/);
  const open = await harness.db.query(sql`select id from ref_change_intents where state = 'open'`);
  expect(open).toEqual([]);
});

test('intents left open are settled by reading the refs, by two reconcilers at once', async () => {
  const { project, folder } = await pushed();
  const sha = (await harness.git(folder, 'rev-parse', 'HEAD')).trim();
  const zero = '0'.repeat(40);
  const open = (ref: string, before: string, after: string) =>
    harness.db.query(sql`
      insert into ref_change_intents (push_id, project_id, ref, old_sha, new_sha, actor_id, source, created_at)
      values (gen_random_uuid(), ${project.id}, ${ref}, ${before}, ${after}, 2, 'push', now() - interval '1 minute')`);
  const { repo } = await harness.beside.repositories.openRepository(project.id);
  await harness.git(repo.path, 'update-ref', 'refs/heads/moved', sha);
  await open('refs/heads/moved', zero, sha);
  await open('refs/heads/never', zero, sha);
  await Promise.all([harness.beside.repositories.reconcile(), harness.beside.repositories.reconcile()]);
  const rows = await harness.db.query<{ ref: string; state: string }>(sql`
    select ref, state from ref_change_intents where project_id = ${project.id} and ref <> 'refs/heads/main' order by ref`);
  expect(rows).toEqual([
    { ref: 'refs/heads/moved', state: 'done' },
    { ref: 'refs/heads/never', state: 'failed' },
  ]);
  const found = await events(project.id);
  expect(found.filter(({ body }) => body.refName === 'moved')).toHaveLength(1);
  expect(found.filter(({ body }) => body.refName === 'never')).toHaveLength(0);
});

test('a project with a README has it on first touch, once, also when two come at the same time', async () => {
  const project = await harness.project({ readme: true });
  const [one, two] = await Promise.all([
    harness.api(people.reporter, 'GET', `/projects/${project.id}/repository/commits`),
    harness.api(people.reporter, 'GET', `/projects/${project.id}/repository/branches`),
  ]);
  expect([one.status, two.status]).toEqual([200, 200]);
  const { body } = await harness.api(people.reporter, 'GET', `/projects/${project.id}/repository/commits`);
  expect(body).toMatchObject([{ title: 'Initial commit', author_email: 'user1@example.org' }]);
  const raw = await harness.api(people.reporter, 'GET', `/projects/${project.id}/repository/files/README.md/raw`);
  expect(raw.text).toBe(`# Project ${project.id}\n`);
});

test('a push of many hundred refs arrives, each with its event', async () => {
  const { project, folder } = await pushed();
  const sha = (await harness.git(folder, 'rev-parse', 'HEAD')).trim();
  const refs = Array.from({ length: 700 }, (_, at) => `create refs/${at % 10 === 0 ? 'heads' : 'tags'}/n${at} ${sha}`);
  writeFileSync(join(folder, '..', 'refs'), `${refs.join('\n')}\n`);
  await harness.git(folder, '-c', 'alias.load=!git update-ref --stdin < ../refs', 'load');
  await harness.git(folder, 'push', '--quiet', 'origin', '--all');
  await harness.git(folder, 'push', '--quiet', 'origin', '--tags');
  const found = await events(project.id);
  expect(found).toHaveLength(701);
  expect(found.every(({ body }) => body.commitTitle === 'First')).toBe(true);
}, 60_000);

test('the repository of a deleted project goes, and does not come back', async () => {
  const repositories = repositoryStore(harness.db);
  let copying = true;
  const storages = storagesIn(harness.data, new Map(Object.entries({ default: 1, second: 0 })));
  const purge = purgeRepositories({ repositories, storages, isBackupRunning: async () => copying });
  const { project } = await pushed();
  const { repo } = await harness.beside.repositories.openRepository(project.id);
  // A move is about to end.
  const copy = storages.at('second', project.id);
  await ensureRepository(copy);
  await purge();
  expect(existsSync(repo.path)).toBe(true);
  await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${project.id}`);
  await purge();
  expect(existsSync(repo.path)).toBe(true);
  copying = false;
  await purge();
  expect([repo.path, copy.path].filter((path) => existsSync(path))).toEqual([]);
  await expect(harness.beside.repositories.openRepository(project.id)).rejects.toMatchObject({ kind: 'not_found' });
  expect(existsSync(repo.path)).toBe(false);
  expect(await harness.db.query(sql`select 1 from protected_branches where project_id = ${project.id}`)).toEqual([]);
});

test('what lies in the place of a repository without a row, as after a restore, is not shown but set aside', async () => {
  const { repositoryOf, openRepository: open } = harness.beside.repositories;
  const project = await harness.project();
  const repo = await repositoryOf(project.id);
  await ensureRepository(repo, { defaultBranch: branchNameOf('theirs') });
  const opened = await Promise.all([open(project.id), open(project.id), open(project.id)]);
  expect(opened.map((one) => one.defaultBranch)).toEqual(['main', 'main', 'main']);
  expect(await readHead(repo)).toBe('main');
  const aside = readdirSync(join(repo.path, '..')).filter((name) => name.startsWith(`.unnamed-${project.id}-`));
  expect(aside).toHaveLength(1);
  expect(await readHead({ path: join(repo.path, '..', String(aside[0])) })).toBe('theirs');
});

test('a request that is not signed by the gateway for this very address, or was made before, is refused', async () => {
  const { project } = await pushed({ visibility: 'public' });
  const other = await harness.project();
  const address = (id: number, service = 'git-upload-pack') => `/projects/${id}/git/info/refs?service=${service}`;
  const statusOf = async (path: string, headers = {}) =>
    (await fetch(`${harness.serviceUrl}${path}`, { headers })).status;
  expect(await statusOf(address(project.id))).toBe(503);
  expect(await statusOf(address(project.id), { [identityKey]: '?not=claims' })).toBe(503);
  const identity = harness.signed(`HTTP GET ${address(project.id)}`, project.id);
  expect(await statusOf(address(other.id), identity)).toBe(503);
  expect(await statusOf(address(project.id, 'git-receive-pack'), identity)).toBe(503);
  const wrongTarget = harness.signed(`HTTP GET ${address(other.id)}`, project.id);
  expect(await statusOf(address(other.id), wrongTarget)).toBe(403);
  expect(await statusOf(address(project.id), identity)).toBe(200);
  expect(await statusOf(address(project.id), identity)).toBe(503);
});

test('without the service a git client gets 503', async () => {
  const { project } = await pushed();
  await harness.stopService();
  const folder = harness.folder();
  expect(await harness.gitFails(folder, 'clone', harness.remote(people.reporter, project.path), '.')).toContain('503');
  const raw = await harness.api(people.reporter, 'GET', `/projects/${project.id}/repository/files/README.md/raw`);
  expect([raw.status, raw.headers.get('retry-after')]).toEqual([503, '1']);
});
