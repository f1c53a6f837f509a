import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type System, startSystem } from './support/system';

jest.setTimeout(180_000);

/** A contribution by a user who is no member: fork, push, merge request, help of a maintainer, merge, the fork goes. */
describe('a stranger contributes through a fork', () => {
  let system: System;
  let folder: string;
  let work: string;
  const tokens: Record<string, string> = {};
  let target = 0;
  let fork = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-forks-'));
    work = join(folder, 'work');
    system = await startSystem();
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (who: string, method: string, path: string, body?: unknown) =>
    system.api(method, path, { body, token: tokens[who] });
  const one = () => `/projects/${target}/merge_requests/1`;
  const commit = async (cwd: string, name: string): Promise<string> => {
    writeFileSync(join(cwd, `${name}.txt`), `${name}\n`);
    await system.git(['add', '.'], cwd);
    await system.git(['commit', '-q', '-m', `Add ${name}`], cwd);
    return (await system.git(['rev-parse', 'HEAD'], cwd)).stdout.trim();
  };
  const hasHead = (sha: string) =>
    eventually(async () => expect((await as('ada', 'GET', one())).body.sha).toBe(sha), { within: 20_000, every: 100 });

  it('forks a public project', async () => {
    for (const username of ['ada', 'bob']) {
      const user = await system.api('POST', '/users', {
        body: { email: `${username}@example.com`, username, name: username, force_random_password: true },
      });
      const token = await system.api('POST', `/users/${user.body.id}/personal_access_tokens`, {
        body: { name: 'work', scopes: ['api', 'read_repository', 'write_repository'] },
      });
      tokens[username] = token.body.token;
    }
    const body = { name: 'shop', path: 'shop', visibility: 'public', initialize_with_readme: true };
    target = (await as('ada', 'POST', '/projects', body)).body.id;
    const forked = await as('bob', 'POST', `/projects/${target}/fork`);
    expect(forked.status).toBe(201);
    fork = forked.body.id;
  });

  it('pushes a branch to the fork, which opens the merge request where it was forked from', async () => {
    await system.git(['clone', '-q', system.remote('bob/shop', tokens.bob), work], folder);
    await system.git(['checkout', '-q', '-b', 'fix'], work);
    const sha = await commit(work, 'fix');
    const { stderr } = await system.git(['push', '-o', 'merge_request.create', 'origin', 'fix'], work);
    expect(stderr).toContain('/ada/shop/-/merge_requests/1');
    await hasHead(sha);
    expect((await as('ada', 'GET', one())).body).toMatchObject({
      source_project_id: fork,
      target_project_id: target,
      author: { username: 'bob' },
      allow_collaboration: false,
    });
  });

  it('lets a maintainer of the target push to the branch, once its author allows it', async () => {
    const theirs = join(folder, 'theirs');
    await system.git(['clone', '-q', '-b', 'fix', system.remote('bob/shop', tokens.ada), theirs], folder);
    const sha = await commit(theirs, 'help');
    await expect(system.git(['push', '-q', 'origin', 'fix'], theirs)).rejects.toThrow('not allowed to push code');
    const allowed = await as('bob', 'PUT', one(), { allow_collaboration: true });
    expect(allowed.body).toMatchObject({ allow_collaboration: true, allow_maintainer_to_push: true });
    await system.git(['push', '-q', 'origin', 'fix'], theirs);
    await hasHead(sha);
    await expect(system.git(['push', '-q', 'origin', 'fix:other'], theirs)).rejects.toThrow('not allowed to push code');
  });

  it('is merged; the fork has what it had, and can go', async () => {
    await eventually(async () => expect((await as('ada', 'GET', one())).body.detailed_merge_status).toBe('mergeable'), {
      within: 20_000,
      every: 100,
    });
    const merged = await as('ada', 'PUT', `${one()}/merge`, { should_remove_source_branch: false });
    expect(merged.body).toMatchObject({ state: 'merged' });
    const second = await as('bob', 'POST', `/projects/${fork}/merge_requests`, {
      source_branch: 'fix',
      target_branch: 'main',
      target_project_id: fork,
      title: 'At home',
    });
    expect(second.body).toMatchObject({ iid: 1, project_id: fork });
    await system.git(['pull', '-q', 'origin', 'fix'], work);
    await commit(work, 'more');
    await system.git(['push', '-q', 'origin', 'HEAD:more'], work);
    const third = await as('bob', 'POST', `/projects/${fork}/merge_requests`, {
      source_branch: 'more',
      target_branch: 'main',
      target_project_id: target,
      title: 'More',
    });
    expect(third.body).toMatchObject({ iid: 2, state: 'opened' });
    expect((await as('bob', 'DELETE', `/projects/${fork}/fork`)).status).toBe(204);
    await eventually(
      async () => expect((await as('ada', 'GET', `/projects/${target}/merge_requests/2`)).body.state).toBe('closed'),
      { within: 30_000, every: 200 },
    );
    expect((await as('ada', 'GET', `/projects/${target}/merge_requests/2/diffs`)).body).toHaveLength(1);
  });
});
