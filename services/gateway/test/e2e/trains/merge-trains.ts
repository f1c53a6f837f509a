import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually as within } from '@switchyard/testkit';
import type { System } from '../support/system';

/** Long enough for a machine that runs other suites beside this one. */
const eventually = <T>(assertion: () => T | Promise<T>): Promise<T> =>
  within(assertion, { within: 20_000, every: 100 });

/** A train from the outside: pushed with git, driven with the unmodified GitLab client, tested by a CI that fetches its commits. */
export const mergeTrainTests = (started: () => System): void =>
  describe('a merge train', () => {
    let system: System;
    let folder: string;
    let projectId = 0;
    const tokens: Record<string, string> = {};
    const ids: Record<string, number> = {};
    const path = 'acme/shop';
    const work = () => join(folder, 'work');

    const post = async (address: string, body: unknown, token?: string) => {
      const reply = await system.api('POST', address, { body, token });
      if (reply.status >= 300) throw new Error(`POST ${address} ${reply.status} ${reply.text}`);
      return reply.body;
    };
    const trains = () => `/projects/${projectId}/merge_trains`;
    const ada = () => system.gitlab(tokens.ada).MergeTrains;

    /** Pushes a branch with one more file and opens a merge request from it, whose own pipeline is green. */
    async function propose(branch: string, author = 'bob', target = 'main'): Promise<number> {
      const git = (...args: string[]) => system.git(args, work());
      await git('checkout', '-q', '-b', branch, target);
      writeFileSync(join(work(), `${branch}.txt`), `${branch}\n`);
      await git('add', '.');
      await git('commit', '-q', '-m', `Add ${branch}`);
      await git('push', '-q', 'origin', branch);
      const sha = (await git('rev-parse', branch)).stdout.trim();
      await post(`/projects/${projectId}/statuses/${sha}`, { state: 'success', ref: branch, name: 'own' });
      const opened = await post(
        `/projects/${projectId}/merge_requests`,
        { source_branch: branch, target_branch: target, title: `Add ${branch}` },
        tokens[author],
      );
      return opened.iid;
    }

    /** Pipelines of cars that wait for an outside CI, as it finds them. */
    async function waiting(): Promise<{ id: number; sha: string; ref: string }[]> {
      const list = `/projects/${projectId}/pipelines?source=merge_request_event&status=pending&order_by=id&sort=asc`;
      return (await system.api('GET', list, { token: tokens.ci })).body;
    }
    const waitingFor = (iid: number) =>
      eventually(async () => {
        const found = (await waiting()).find(({ ref }) => ref === `refs/merge-requests/${iid}/train`);
        if (found === undefined) throw new Error(`no pipeline of !${iid} waits`);
        return found;
      });
    const report = (pipeline: { id: number; sha: string }, state: string, name = 'ci') =>
      post(`/projects/${projectId}/statuses/${pipeline.sha}`, { state, name, pipeline_id: pipeline.id }, tokens.ci);
    const stateOf = async (iid: number): Promise<string> =>
      (await system.api('GET', `/projects/${projectId}/merge_requests/${iid}`, { token: tokens.bob })).body.state;
    const tip = async (branch = 'main'): Promise<string> =>
      (await system.api('GET', `/projects/${projectId}/repository/branches/${encodeURIComponent(branch)}`)).body.commit
        .id;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'switchyard-trains-'));
      system = started();
      for (const username of ['ada', 'bob', 'ci', 'eve']) {
        const user = await post('/users', {
          email: `${username}@example.com`,
          username,
          name: username.toUpperCase(),
          force_random_password: true,
        });
        ids[username] = user.id;
        tokens[username] = (
          await post(`/users/${user.id}/personal_access_tokens`, {
            name: 'work',
            scopes: ['api', 'read_repository', 'write_repository'],
          })
        ).token;
      }
      const group = await post('/groups', { name: 'Acme', path: 'acme', visibility: 'private' });
      const project = await post('/projects', { name: 'Shop', path: 'shop', namespace_id: group.id });
      projectId = project.id;
      for (const [user, level] of [
        ['ada', 40],
        ['ci', 40],
        ['bob', 30],
      ] as const) {
        await post(`/projects/${projectId}/members`, { user_id: ids[user], access_level: level });
      }
      await system.git(['init', '-q', '-b', 'main', 'work'], folder);
      writeFileSync(join(work(), 'README.md'), 'Shop\n');
      await system.git(['add', '.'], work());
      await system.git(['commit', '-q', '-m', 'Start'], work());
      await system.git(['remote', 'add', 'origin', system.remote(path, tokens.ada)], work());
      await system.git(['push', '-q', 'origin', 'main'], work());
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('does not run before it is switched on', async () => {
      const iid = await propose('early');
      const refused = await system.api('POST', `${trains()}/merge_requests/${iid}`, { token: tokens.ada });
      expect([refused.status, refused.body]).toEqual([400, { message: '400 Bad request - Failed to merge' }]);
      const set = await system.api('PUT', `/projects/${projectId}`, {
        token: tokens.ada,
        body: { merge_pipelines_enabled: true, merge_trains_enabled: true },
      });
      expect([set.status, set.body.merge_trains_enabled]).toEqual([200, true]);
    });

    it('queues three, fails one, lands the commits that were tested, and notifies the right users', async () => {
      const [first, second, third] = [await propose('one'), await propose('two'), await propose('three')];
      const numbers = [first, second, third];
      for (const [index, iid] of numbers.entries()) {
        // Typed as one entry, answered as the whole train (G-4.1-4).
        const train = (await ada().addMergeRequest(projectId, iid)) as unknown as { merge_request: { iid: number } }[];
        expect(train.map(({ merge_request: { iid: one } }) => one)).toEqual(numbers.slice(0, index + 1));
      }
      const listed = await ada().all(projectId, { scope: 'active', sort: 'asc' });
      expect(listed.map((entry) => entry.merge_request.iid)).toEqual(numbers);
      expect((await ada().all(projectId, { targetBranch: 'main', scope: 'complete' })).length).toBe(0);
      expect((await ada().all(projectId, { targetBranch: 'other' })).length).toBe(0);

      // A CI fetches what it tests.
      const cars = [await waitingFor(first), await waitingFor(second), await waitingFor(third)] as const;
      await system.git(['init', '-q', 'ci'], folder);
      const inCi = (...args: string[]) => system.git(args, join(folder, 'ci'));
      await inCi('fetch', '-q', system.remote(path, tokens.ci), ...cars.map(({ ref }) => `${ref}:${ref}`));
      for (const { ref, sha } of cars) expect((await inCi('rev-parse', ref)).stdout.trim()).toBe(sha);
      expect((await inCi('ls-tree', '--name-only', cars[2].sha)).stdout.trim().split('\n')).toEqual([
        'README.md',
        'one.txt',
        'three.txt',
        'two.txt',
      ]);
      expect(await ada().showStatus(projectId, second)).toMatchObject({
        merge_request: { iid: second },
        user: { username: 'ada' },
        pipeline: { id: cars[1].id, sha: cars[1].sha, ref: cars[1].ref, source: 'merge_request_event' },
        target_branch: 'main',
        status: 'fresh',
        merged_at: null,
        duration: null,
      });

      // The last one is green before the others have said anything: nothing moves.
      await report(cars[2], 'success');
      const before = await tip();
      await report(cars[1], 'failed');
      // What is ahead of the second may be the cause: it keeps its place.
      await eventually(async () => {
        const { body } = await system.api('GET', `${trains()}/merge_requests/${second}`, { token: tokens.ada });
        expect(body).toMatchObject({ failing: true, position: 2 });
      });
      expect([await stateOf(second), await tip()]).toEqual(['opened', before]);
      // The third was tested on top of the one that failed; that green is worth nothing.
      const rebuilt = await eventually(async () => {
        const again = await waitingFor(third);
        expect(again.sha).not.toBe(cars[2].sha);
        return again;
      });
      await report(cars[0], 'success');
      await eventually(async () => expect(await stateOf(first)).toBe('merged'));
      expect(await tip()).toBe(cars[0].sha);

      // Now all that it stood on has landed. The same commit is tested once more before it is blamed.
      const rerun = await eventually(async () => {
        const again = await waitingFor(second);
        expect(again.id).not.toBe(cars[1].id);
        return again;
      });
      expect(rerun.sha).toBe(cars[1].sha);
      await report(rerun, 'failed');
      await eventually(async () => {
        const gone = await system.api('GET', `${trains()}/merge_requests/${second}`, { token: tokens.ada });
        expect([gone.status, gone.body]).toEqual([404, { message: '404 Merge Train Merge Request Not Found' }]);
      });
      expect(await stateOf(second)).toBe('opened');
      expect(await stateOf(third)).toBe('opened');
      await report(rebuilt, 'success');
      await eventually(async () => expect(await stateOf(third)).toBe('merged'));
      expect(await tip()).toBe(rebuilt.sha);
      await system.git(['fetch', '-q', 'origin'], work());
      const files = (await system.git(['ls-tree', '--name-only', 'origin/main'], work())).stdout;
      expect(files.trim().split('\n')).toEqual(['README.md', 'one.txt', 'three.txt']);

      const receipt = (await system.api('GET', `${trains()}/merge_requests/${third}/receipt`, { token: tokens.bob }))
        .body;
      expect(receipt).toMatchObject({
        merge_request: { iid: third },
        base_sha: cars[0].sha,
        tested: { sha: rebuilt.sha },
        landed: { sha: rebuilt.sha },
        pipeline: { id: rebuilt.id, status: 'success' },
        statuses: [{ name: 'ci', status: 'success' }],
        added_by: { username: 'ada' },
      });

      // Author and the user who added it, each once, with the reason.
      for (const user of ['bob', 'ada']) {
        const todos = await eventually(async () => {
          const { body } = await system.api('GET', '/todos?action=merge_train_removed', { token: tokens[user] });
          expect(body).toHaveLength(1);
          return body;
        });
        expect(todos[0]).toMatchObject({ target: { iid: second }, target_type: 'MergeRequest' });
      }
      const notes = await eventually(async () => {
        const { body } = await system.api('GET', `/projects/${projectId}/merge_requests/${second}/notes`, {
          token: tokens.bob,
        });
        const texts = body
          .filter((note: { system: boolean }) => note.system)
          .map((note: { body: string }) => note.body);
        expect(texts.some((text: string) => text.includes('removed'))).toBe(true);
        return texts;
      });
      expect(notes.join('\n')).toMatch(/train/);
    });

    it('a second train of the project runs by itself, on a branch with a slash', async () => {
      await system.git(['push', '-q', 'origin', 'origin/main:refs/heads/release/1.0'], work());
      await system.git(['fetch', '-q', 'origin'], work());
      await system.git(['branch', '-q', 'release/1.0', 'origin/release/1.0'], work());
      const iid = await propose('patch', 'bob', 'release/1.0');
      const other = await propose('other', 'bob', 'main');
      await ada().addMergeRequest(projectId, iid, { squash: true });
      await ada().addMergeRequest(projectId, other);
      const onRelease = await system.api('GET', `${trains()}/release%2F1.0`, { token: tokens.bob });
      expect(onRelease.body.map((entry: { merge_request: { iid: number } }) => entry.merge_request.iid)).toEqual([iid]);
      await report(await waitingFor(iid), 'success');
      await eventually(async () => expect(await stateOf(iid)).toBe('merged'));
      expect(await stateOf(other)).toBe('opened');
      const removed = await system.api('DELETE', `${trains()}/merge_requests/${other}`, { token: tokens.bob });
      expect([removed.status, removed.text]).toEqual([204, '']);
      expect(await ada().all(projectId, { scope: 'active' })).toEqual([]);
    });

    it('is not there for outsiders, nor in the free tier', async () => {
      const unseen = await system.api('GET', trains(), { token: tokens.eve });
      expect([unseen.status, unseen.body]).toEqual([404, { message: '404 Project Not Found' }]);
      await system.api('PUT', '/groups/acme', { body: { tier: 'free' } });
      const refused = await system.api('GET', trains(), { token: tokens.ada });
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }]);
      await system.api('PUT', '/groups/acme', { body: { tier: 'premium' } });
      expect((await system.api('GET', trains(), { token: tokens.ada })).status).toBe(200);
    });
  });
