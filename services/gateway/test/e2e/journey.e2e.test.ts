import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { replicas } from './support/processes';
import { type System, startSystem } from './support/system';

jest.setTimeout(180_000);

/** One installation, used from empty to merged by real clients: `git` and the unmodified GitLab client for Node. */
describe('a repository is pushed, reviewed and merged', () => {
  let system: System;
  let folder: string;
  const tokens: Record<string, string> = {};
  const ids: Record<string, number> = {};
  let projectId = 0;
  const path = 'acme/platform/shop';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-work-'));
    system = await startSystem();
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const git = (args: string[], cwd = join(folder, 'work')) => system.git(args, cwd);

  it('has users with tokens, a group, a project and members', async () => {
    const root = system.gitlab();
    for (const [username, name] of [
      ['ada', 'Ada Lovelace'],
      ['bob', 'Bob Kahn'],
      ['eve', 'Eve Stranger'],
    ] as const) {
      const user = await root.Users.create({
        email: `${username}@example.com`,
        username,
        name,
        password: 'correct horse battery',
        skipConfirmation: true,
      });
      ids[username] = user.id;
      const created = await system.api('POST', `/users/${user.id}/personal_access_tokens`, {
        body: { name: 'work', scopes: ['api', 'read_repository', 'write_repository'] },
      });
      expect(created.status).toBe(201);
      tokens[username] = created.body.token;
    }
    const group = await root.Groups.create('Acme', 'acme', { visibility: 'private' });
    const subgroup = await root.Groups.create('Platform', 'platform', { parentId: group.id, visibility: 'private' });
    const project = await root.Projects.create({
      name: 'Shop',
      path: 'shop',
      namespaceId: subgroup.id,
      visibility: 'private',
    });
    projectId = project.id;
    expect(project.path_with_namespace).toBe(path);
    await root.GroupMembers.add(group.id, 40, { userId: ids.ada as number });
  });

  it('lets a member who was added this instant list, read and push at once, and hides the project from an outsider', async () => {
    const added = await system.api('POST', `/projects/${projectId}/members`, {
      body: { user_id: ids.bob, access_level: 30 },
    });
    expect(added.status).toBe(201);
    const listed = await system.gitlab(tokens.bob).Projects.all({ membership: true });
    expect(listed.map((project) => project.path_with_namespace)).toEqual([path]);
    expect((await system.api('GET', `/projects/${encodeURIComponent(path)}`, { token: tokens.bob })).status).toBe(200);
    expect((await system.api('GET', `/projects/${encodeURIComponent(path)}`, { token: tokens.eve })).status).toBe(404);
    expect(
      (await system.api('GET', `/projects/${encodeURIComponent('acme/platform/nothing')}`, { token: tokens.eve })).text,
    ).toBe((await system.api('GET', `/projects/${encodeURIComponent(path)}`, { token: tokens.eve })).text);
  });

  it('takes a push of several hundred commits with binary files and tags', async () => {
    await system.git(['init', '-q', '-b', 'main', 'work'], folder);
    const stream: string[] = [];
    for (let commit = 1; commit <= 300; commit += 1) {
      const text = `line ${commit}\n`;
      stream.push(
        `commit refs/heads/main\nmark :${commit}\ncommitter Ada <ada@example.com> ${1_700_000_000 + commit} +0000\ndata <<END\nchange ${commit}\nEND\nM 644 inline file-${commit % 40}.txt\ndata ${text.length}\n${text}\n`,
      );
    }
    execFileSync('git', ['fast-import', '--quiet'], { cwd: join(folder, 'work'), input: stream.join('') });
    await git(['checkout', '-q', 'main']);
    writeFileSync(join(folder, 'work', 'logo.bin'), randomBytes(300_000));
    await git(['add', '.']);
    await git(['commit', '-q', '-m', 'Add the logo']);
    await git(['tag', 'v1.0']);
    await git(['tag', '-a', 'v1.1', '-m', 'Second']);
    await git(['remote', 'add', 'origin', system.remote(path, tokens.ada)]);
    await git(['push', '-q', 'origin', 'main', '--tags']);
    const branches = await system.gitlab(tokens.bob).Branches.all(projectId);
    expect(branches.map((branch) => [branch.name, branch.default, branch.protected])).toEqual([['main', true, true]]);
    const tags = await system.gitlab(tokens.bob).Tags.all(projectId);
    expect(tags.map((tag) => tag.name).sort()).toEqual(['v1.0', 'v1.1']);
  });

  it('is cloned, fetched and cloned shallowly; an outsider and a guest without token see nothing', async () => {
    await system.git(['clone', '-q', system.remote(path, tokens.bob), 'bob'], folder);
    const { stdout } = await system.git(['rev-list', '--count', 'HEAD'], join(folder, 'bob'));
    expect(stdout.trim()).toBe('301');
    await system.git(['clone', '-q', '--depth', '1', system.remote(path, tokens.bob), 'shallow'], folder);
    expect((await system.git(['rev-list', '--count', 'HEAD'], join(folder, 'shallow'))).stdout.trim()).toBe('1');
    await expect(system.git(['clone', '-q', system.remote(path, tokens.eve), 'eve'], folder)).rejects.toMatchObject({
      stderr: expect.stringMatching(/not found/i),
    });
    const anonymous = await fetch(`${system.url}/${path}.git/info/refs?service=git-upload-pack`);
    expect([anonymous.status, anonymous.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
  });

  it('refuses a Developer’s push to the protected branch, and says why on the screen', async () => {
    const work = join(folder, 'bob');
    writeFileSync(join(work, 'direct.txt'), 'x');
    await system.git(['add', '.'], work);
    await system.git(['commit', '-q', '-m', 'Straight to main'], work);
    await expect(system.git(['push', '-q', 'origin', 'HEAD:main'], work)).rejects.toMatchObject({
      stderr: expect.stringMatching(/remote:.*protected/i),
    });
    await system.git(['reset', '-q', '--hard', 'origin/main'], work);
  });

  const propose = async (branch: string, file: string, content: string) => {
    const work = join(folder, 'bob');
    await system.git(['fetch', '-q', 'origin'], work);
    await system.git(['checkout', '-q', '-B', branch, 'origin/main'], work);
    writeFileSync(join(work, file), content);
    await system.git(['add', '.'], work);
    await system.git(['commit', '-q', '-m', `Change ${file}`], work);
    await system.git(['push', '-q', '-f', 'origin', branch], work);
    return (await system.git(['rev-parse', 'HEAD'], work)).stdout.trim();
  };
  const mergeable = (iid: number, status: string) =>
    eventually(
      async () => {
        const { body } = await system.api('GET', `/projects/${projectId}/merge_requests/${iid}`, { token: tokens.ada });
        expect(body.detailed_merge_status).toBe(status);
        return body;
      },
      { within: 10_000, every: 100 },
    );

  it('opens a merge request, gets a to-do to its reviewer, and merges it when its pipeline has succeeded', async () => {
    const sha = await propose('feature', 'feature.txt', 'hello\n');
    const bob = system.gitlab(tokens.bob);
    const created = await bob.MergeRequests.create(projectId, 'feature', 'main', 'Add a feature', {
      description: 'For @ada to read',
      reviewerIds: [ids.ada as number],
    });
    expect(created).toMatchObject({ iid: 1, state: 'opened', sha });
    const todos = await eventually(
      async () => {
        const reply = await system.api('GET', '/todos', { token: tokens.ada });
        expect(reply.body).toHaveLength(2);
        return reply.body;
      },
      { within: 10_000, every: 100 },
    );
    expect(todos.map((todo: { action_name: string }) => todo.action_name).sort()).toEqual([
      'mentioned',
      'review_requested',
    ]);
    expect(todos[0].target).toMatchObject({ iid: 1, title: 'Add a feature' });
    await mergeable(1, 'mergeable');

    const status = (state: string) =>
      system.api('POST', `/projects/${projectId}/statuses/${sha}`, {
        token: tokens.bob,
        body: { state, name: 'ci/test', ref: 'feature' },
      });
    await system.api('PUT', `/projects/${projectId}`, {
      token: tokens.ada,
      body: { only_allow_merge_if_pipeline_succeeds: true },
    });
    expect((await status('running')).status).toBe(201);
    await mergeable(1, 'ci_still_running');
    const ada = system.gitlab(tokens.ada);
    const waiting = await ada.MergeRequests.merge(projectId, 1, { mergeWhenPipelineSucceeds: true });
    expect(waiting).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
    expect((await status('success')).status).toBe(201);
    const merged = await eventually(
      async () => {
        const { body } = await system.api('GET', `/projects/${projectId}/merge_requests/1`, { token: tokens.bob });
        expect(body.state).toBe('merged');
        return body;
      },
      { within: 10_000, every: 100 },
    );
    expect(merged.merge_user.username).toBe('ada');
    await git(['fetch', '-q', 'origin']);
    expect((await git(['rev-parse', 'origin/main'])).stdout.trim()).toBe(merged.merge_commit_sha);
    expect((await git(['show', 'origin/main:feature.txt'])).stdout).toBe('hello\n');
    expect((await system.api('GET', '/todos', { token: tokens.ada })).body).toEqual([]);
    await system.api('PUT', `/projects/${projectId}`, {
      token: tokens.ada,
      body: { only_allow_merge_if_pipeline_succeeds: false },
    });
  });

  it.each([
    ['merge', true, 2],
    ['rebase_merge', false, 2],
    ['ff', false, 1],
    ['ff', true, 1],
  ])('merges by method %s, squash %s', async (method, squash, parents) => {
    await system.api('PUT', `/projects/${projectId}`, { token: tokens.ada, body: { merge_method: method } });
    const branch = `by-${method}-${squash}`;
    await propose(branch, `${branch}.txt`, `${branch}\n`);
    const created = await system.api('POST', `/projects/${projectId}/merge_requests`, {
      token: tokens.bob,
      body: { source_branch: branch, target_branch: 'main', title: branch, squash },
    });
    expect(created.status).toBe(201);
    await mergeable(created.body.iid, 'mergeable');
    const merged = await system.api('PUT', `/projects/${projectId}/merge_requests/${created.body.iid}/merge`, {
      token: tokens.ada,
      body: { squash },
    });
    expect([merged.status, merged.body?.state]).toEqual([200, 'merged']);
    await git(['fetch', '-q', 'origin']);
    const { stdout } = await git(['rev-list', '--parents', '-1', 'origin/main']);
    expect(stdout.trim().split(' ')).toHaveLength(parents + 1);
    expect((await git(['show', `origin/main:${branch}.txt`])).stdout).toBe(`${branch}\n`);
    expect(merged.body.squash_commit_sha === null).toBe(!squash);
  });

  it('follows a push that makes a conflict, and refuses to merge it', async () => {
    await propose('left', 'same.txt', 'left\n');
    await propose('right', 'same.txt', 'right\n');
    const open = async (branch: string) =>
      (
        await system.api('POST', `/projects/${projectId}/merge_requests`, {
          token: tokens.bob,
          body: { source_branch: branch, target_branch: 'main', title: branch },
        })
      ).body.iid as number;
    const left = await open('left');
    const right = await open('right');
    await mergeable(left, 'mergeable');
    await system.api('PUT', `/projects/${projectId}`, { token: tokens.ada, body: { merge_method: 'merge' } });
    expect(
      (await system.api('PUT', `/projects/${projectId}/merge_requests/${left}/merge`, { token: tokens.ada, body: {} }))
        .status,
    ).toBe(200);
    const conflicting = await mergeable(right, 'conflict');
    expect(conflicting.has_conflicts).toBe(true);
    const refused = await system.api('PUT', `/projects/${projectId}/merge_requests/${right}/merge`, {
      token: tokens.ada,
      body: {},
    });
    expect([405, 422]).toContain(refused.status);
  });

  it('loses nothing when everything is killed and started again', async () => {
    const before = (await system.api('GET', `/projects/${projectId}/merge_requests?state=all`, { token: tokens.ada }))
      .body;
    await system.kill();
    await system.start();
    const after = (await system.api('GET', `/projects/${projectId}/merge_requests?state=all`, { token: tokens.ada }))
      .body;
    expect(after).toEqual(before);
    await git(['fetch', '-q', 'origin']);
  });

  it('prints every field of section 2 of the specification at a value that says something', async () => {
    const at = `/projects/${projectId}`;
    const ada = { token: tokens.ada };
    await system.api('POST', `${at}/labels`, {
      ...ada,
      body: { name: 'bug', color: '#d9534f', description: 'Broken' },
    });
    const milestone = await system.api('POST', `${at}/milestones`, {
      ...ada,
      body: { title: 'v1', description: 'First', due_date: '2030-01-31', start_date: '2029-01-31' },
    });
    const describe = async (branch: string, body: Record<string, unknown>) => {
      await propose(branch, `${branch}.txt`, `${branch}\n`);
      const created = await system.api('POST', `${at}/merge_requests`, {
        token: tokens.bob,
        body: {
          source_branch: branch,
          target_branch: 'main',
          title: `Draft: ${branch}`,
          description: '- [x] one\n- [ ] two',
          ...body,
        },
      });
      expect(created.status).toBe(201);
      return created.body.iid as number;
    };
    const merged = await describe('complete', {
      labels: 'bug',
      milestone_id: milestone.body.id,
      assignee_ids: [ids.ada],
      reviewer_ids: [ids.ada],
      squash: true,
      remove_source_branch: true,
      merge_after: '2026-01-01T00:00:00Z',
    });
    await system.api('PUT', `${at}/merge_requests/${merged}`, {
      ...ada,
      body: { discussion_locked: true, title: 'Complete' },
    });
    await mergeable(merged, 'mergeable');
    expect(
      (
        await system.api('PUT', `${at}/merge_requests/${merged}/merge`, {
          ...ada,
          body: { squash: true, should_remove_source_branch: true },
        })
      ).status,
    ).toBe(200);
    const closed = await describe('abandoned', {});
    await system.api('PUT', `${at}/merge_requests/${closed}`, { ...ada, body: { state_event: 'close' } });
    for (const one of [merged, closed]) await system.api('GET', `${at}/merge_requests/${one}`, ada);
    await system.api('GET', '/merge_requests?scope=all&state=all&with_labels_details=true', ada);
    await system.api('GET', `${at}/merge_requests/${closed}/commits`, ada);
    const todo = await system.api('POST', `${at}/merge_requests/${closed}/todo`, ada);
    await system.api('POST', `/todos/${todo.body.id}/mark_as_done`, ada);
    await system.api('PUT', `/groups/acme`, { body: { description: 'A group', name: 'Acme' } });
    await system.api('GET', '/groups/acme', ada);

    const user = ['id', 'name', 'username', 'state', 'web_url'];
    const prefixed = (name: string, fields: string[]): string[] => fields.map((field) => `${name}.${field}`);
    const expected: Record<string, string[]> = {
      MergeRequest: [
        ...['id', 'iid', 'project_id', 'source_project_id', 'target_project_id', 'title', 'description', 'state'],
        ...['imported_from', 'merged_at', 'closed_at', 'merge_after', 'prepared_at', 'created_at', 'updated_at'],
        ...['target_branch', 'source_branch', 'labels', 'draft', 'work_in_progress', 'merge_when_pipeline_succeeds'],
        ...[
          'merge_status',
          'detailed_merge_status',
          'sha',
          'merge_commit_sha',
          'squash_commit_sha',
          'discussion_locked',
        ],
        ...[
          'should_remove_source_branch',
          'force_remove_source_branch',
          'web_url',
          'reference',
          'squash',
          'squash_on_merge',
        ],
        ...['has_conflicts', 'blocking_discussions_resolved'],
        ...['merged_by', 'merge_user', 'closed_by', 'author', 'assignee', 'assignees', 'reviewers'].flatMap((name) =>
          prefixed(name, user),
        ),
        ...prefixed('milestone', [
          'id',
          'iid',
          'project_id',
          'title',
          'description',
          'state',
          'created_at',
          'updated_at',
          'due_date',
          'start_date',
          'web_url',
        ]),
        ...prefixed('references', ['short', 'relative', 'full']),
        ...prefixed('task_completion_status', ['count', 'completed_count']),
      ],
      MergeRequestItem: prefixed('labels', ['name', 'color', 'description', 'description_html', 'text_color']),
      Commit: [
        ...['id', 'short_id', 'title', 'message', 'created_at', 'parent_ids', 'author_name', 'author_email'],
        ...['committer_name', 'committer_email', 'authored_date', 'committed_date', 'web_url'],
      ],
      Todo: [
        ...['id', 'action_name', 'target_type', 'target', 'target_url', 'body', 'state', 'created_at', 'updated_at'],
        ...prefixed('project', ['id', 'name', 'name_with_namespace', 'path', 'path_with_namespace']),
        ...prefixed('author', user),
        'target.subscribed',
      ],
      Group: [
        ...[
          'id',
          'name',
          'path',
          'description',
          'visibility',
          'web_url',
          'request_access_enabled',
          'repository_storage',
        ],
        ...['full_name', 'full_path', 'created_at', 'runners_token', 'enabled_git_access_protocol'],
      ],
    };
    const missing = Object.entries(expected).flatMap(([component, fields]) =>
      fields.filter((field) => system.seen.get(component)?.has(field) !== true).map((field) => `${component}.${field}`),
    );
    expect(missing).toEqual([]);
  });

  it('hides a deleted project at once and then leaves nothing of it, also when everything dies in between', async () => {
    const kept = await system.api('POST', '/projects', {
      body: { name: 'Kept', path: 'kept', initialize_with_readme: true },
    });
    await system.api('GET', `/projects/${kept.body.id}/repository/branches`);
    const root = join(system.data, 'repositories');
    const repositories = () =>
      readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap((shard) => readdirSync(join(root, shard.name)))
        .map((path) => /(\d+)\.git$/.exec(path)?.[1])
        .filter((id) => id !== undefined)
        .map(Number);
    expect(repositories()).toEqual(expect.arrayContaining([projectId, kept.body.id]));
    expect((await system.api('DELETE', `/projects/${projectId}`)).status).toBe(202);
    expect((await system.api('GET', `/projects/${projectId}`)).status).toBe(404);
    expect((await system.api('GET', '/merge_requests?scope=all&state=all', { token: tokens.ada })).body).toEqual([]);
    await expect(git(['fetch', '-q', 'origin'])).rejects.toMatchObject({ stderr: expect.stringMatching(/not found/i) });
    await eventually(
      async () => {
        expect(await system.query('groups_admin', `select 1 from projects where id = ${projectId}`)).toEqual([]);
        for (const service of replicas) {
          const gone = `select 1 from directory.projects where id = ${projectId} and deleted_at is null`;
          expect(await system.query(service, gone)).toEqual([]);
        }
      },
      { within: 30_000, every: 100 },
    );
    // Purges run at the start and then once a minute: what is left now has to go after the restart.
    await system.kill();
    await system.start();
    await eventually(
      async () => {
        expect(repositories()).toEqual([kept.body.id]);
        for (const table of ['merge_requests', 'pipelines', 'repositories', 'protected_branches']) {
          expect(
            await system.query('merge_requests', `select 1 from ${table} where project_id = ${projectId}`),
          ).toEqual([]);
        }
        expect(await system.query('collaboration', `select 1 from todos where project_id = ${projectId}`)).toEqual([]);
      },
      { within: 30_000, every: 100 },
    );
    expect((await system.api('GET', `/projects/${kept.body.id}/repository/branches`)).body).toHaveLength(1);
  });
});
