import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type FakeForge, startFakeForge } from '@switchyard/testkit/forge';
import {
  gistImportPoints,
  importCancelPoints,
  importPoints,
  importRefreshPoints,
  placeholderPoints,
} from '../../e2e/support/fault-points';
import { atEach, type Chosen, type Ground } from './ground';

/** Projects and gists that come in from a forge. */
export function importDeaths(chosen: Chosen, here: () => Ground): void {
  describe('an import', () => {
    let forge: FakeForge;
    let repositories: string;

    beforeAll(async () => {
      const { folder, work } = here();
      repositories = join(folder, 'forge');
      await work.branch('to-be-imported');
      await work.git(['clone', '--quiet', '--bare', '.', join(repositories, 'octo', 'things.git')]);
      const label = { id: 1, name: 'bug', color: 'ff0000', description: null };
      forge = await startFakeForge(
        {
          lists: { labels: [label, { ...label, id: 2, name: 'idea' }], ...(await mergedPull()) },
          files: { 'user-attachments/assets/1': { content: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex') } },
        },
        repositories,
      );
      const [merged] = forge.contents.lists.pulls as { body?: string }[];
      Object.assign(merged as object, { body: `![shot](${forge.url}/user-attachments/assets/1)` });
    });

    /** A merged pull request whose branch is gone, with a comment on the first line of what it adds, and a reply to it. */
    async function mergedPull(): Promise<Record<string, object[]>> {
      const { work } = here();
      const at = '2020-01-02T03:04:05Z';
      const bare = join(repositories, 'octo', 'things.git');
      const base = (await work.git(['rev-parse', 'HEAD'])).stdout.trim();
      const head = await work.commit('of-a-pull-request');
      await work.git(['push', '--quiet', bare, 'HEAD:refs/pull/7/head']);
      const user = { login: 'octocat' };
      const branch = (ref: string, sha: string) => ({ ref, sha, user, repo: { full_name: 'octo/things' } });
      const comment = {
        ...{
          id: 1,
          pull_request_url: `${bare}/pulls/7`,
          path: 'of-a-pull-request.txt',
          line: 1,
          side: 'RIGHT',
          user,
        },
        ...{ commit_id: head, original_commit_id: head, body: 'On its line', created_at: at, updated_at: at },
      };
      return {
        pulls: [
          {
            ...{ number: 7, title: 'A pull request', state: 'closed', merged_at: at, merge_commit_sha: null, user },
            ...{ head: branch('gone', head), base: branch('main', base), created_at: at, updated_at: at },
          },
        ],
        'pulls/comments': [comment, { ...comment, id: 2, in_reply_to_id: 1, body: 'A reply' }],
        'pulls/7/reviews': [{ id: 1, user, state: 'APPROVED', body: 'Good', submitted_at: at }],
        'issues/events': [
          { id: 1, event: 'merged', actor: user, issue: { number: 7, pull_request: {} }, created_at: at },
        ],
      };
    }
    afterAll(() => forge?.close());

    /** Status of the import, as if the leases of dead processes had run out. */
    async function statusOf(path: string): Promise<string> {
      const { system, fixture } = here();
      await system.query(
        'imports_exports',
        `update project_imports set leased_until = now() where leased_until < now() + interval '25 seconds' returning id`,
      );
      return (await fixture.ok('GET', `/projects/${encodeURIComponent(path)}/import`)).import_status;
    }

    const start = (name: string) =>
      here().system.api('POST', '/import/forgea', {
        body: {
          ...{ personal_access_token: forge.token, repo_id: 1, target_namespace: 'root', new_name: name },
          forgea_hostname: forge.url,
          optional_stages: { attachments_import: true },
        },
      });

    atEach(chosen(importPoints))('at %s: it goes on, and everything is there once', async (point) => {
      const { system, fixture, work, fired } = here();
      const name = point.replace(/[._]/g, '-');
      const path = `root/${name}`;
      system.arm(point);
      await start(name).catch(() => undefined);
      await fired();
      const project = `/projects/${encodeURIComponent(path)}`;
      await eventually(
        async () => {
          expect(await statusOf(path)).toBe('finished');
          expect((await fixture.ok('GET', project)).import_status).toBe('finished');
        },
        { within: 90_000, every: 500 },
      );
      expect((await fixture.ok('GET', `${project}/labels`)).map((one: { name: string }) => one.name)).toEqual([
        'bug',
        'idea',
      ]);
      const branches = (await fixture.all(`${project}/repository/branches`)).map((one) => one.commit.id);
      const heads = await work.git([
        '--git-dir',
        join(repositories, 'octo', 'things.git'),
        'for-each-ref',
        '--format=%(objectname)',
        'refs/heads',
      ]);
      expect(branches).toEqual(heads.stdout.trim().split('\n'));
      expect(await system.query('imports_exports', 'select 1 from project_imports where token is not null')).toEqual(
        [],
      );
      const merged = await fixture.ok('GET', `${project}/merge_requests/7`);
      expect(merged).toMatchObject({ state: 'merged', source_branch: 'gone', imported_from: 'github' });
      const uploads = await fixture.all(`${project}/uploads`);
      expect(uploads.map(({ filename }) => filename)).toEqual(['1.png']);
      expect(merged.description).toMatch(/^!\[shot\]\(\/uploads\/[0-9a-f]{32}\/1\.png\)$/);
      const discussions = await fixture.all(`${project}/merge_requests/7/discussions`);
      const notes = discussions.map((one) => one.notes.map(({ body }: { body: string }) => body.split('\n').at(-1)));
      expect(notes.sort()).toEqual([['Good'], ['On its line', 'A reply'], ['approved this merge request']]);
      const onLine = discussions.flatMap((one) => one.notes).filter(({ type }) => type === 'DiffNote');
      const refs = merged.diff_refs;
      for (const { position } of onLine) {
        expect(position).toMatchObject({ ...refs, new_path: 'of-a-pull-request.txt', old_line: null, new_line: 1 });
      }
      expect(onLine).toHaveLength(2);
      expect(await fixture.all(`${project}/merge_requests/7/resource_state_events`)).toMatchObject([
        { state: 'merged' },
      ]);
    });

    atEach(chosen(importRefreshPoints))('at %s: what is new is there once, and what changed', async (point) => {
      const { system, fixture, fired } = here();
      const path = `root/${point.replace(/[._]/g, '-')}`;
      const project = `/projects/${encodeURIComponent(path)}`;
      const finished = () =>
        eventually(
          async () => {
            expect(await statusOf(path)).toBe('finished');
            expect((await fixture.ok('GET', project)).import_status).toBe('finished');
          },
          { within: 90_000, every: 500 },
        );
      await eventually(async () => expect((await start(path.slice('root/'.length))).status).toBe(201), {
        ...{ within: 30_000, every: 200 },
      });
      await finished();
      const [pull] = forge.contents.lists.pulls as { title: string }[];
      const { labels = [] } = forge.contents.lists;
      const [first] = labels;
      Object.assign(pull!, { title: point, updated_at: new Date().toISOString() });
      labels.push({ ...first, id: 9, name: point });
      try {
        system.arm(point);
        const body = { personal_access_token: forge.token };
        await system.api('POST', `${project}/import/refresh`, { body }).catch(() => undefined);
        await fired();
        await finished();
        const names = (await fixture.ok('GET', `${project}/labels`)).map((one: { name: string }) => one.name);
        expect(names.sort()).toEqual(['bug', 'idea', point].sort());
        expect(await fixture.ok('GET', `${project}/merge_requests/7`)).toMatchObject({
          title: point,
          state: 'merged',
        });
        const discussions = await fixture.all(`${project}/merge_requests/7/discussions`);
        expect(discussions.map((one) => one.notes.length).sort()).toEqual([1, 1, 2]);
        expect(await system.query('imports_exports', 'select 1 from project_imports where token is not null')).toEqual(
          [],
        );
      } finally {
        labels.pop();
      }
    });

    atEach(chosen(placeholderPoints))('at %s: who accepts a place has written what the person wrote', async (point) => {
      const { system, fixture, fired } = here();
      const name = point.replace(/[._]/g, '-');
      const dated = { created_at: '2020-01-02T03:04:05Z', updated_at: '2020-01-02T03:04:05Z' };
      const issue = {
        number: 1,
        title: 'Issue',
        body: 'Text',
        state: 'open',
        user: { login: 'octocat' },
        ...dated,
      };
      forge.contents.lists.issues = [issue];
      await eventually(async () => expect((await start(name)).status).toBe(201), { within: 30_000, every: 200 });
      const path = `root/${name}`;
      await eventually(async () => expect(await statusOf(path)).toBe('finished'), { within: 60_000, every: 500 });
      const at = `/projects/${encodeURIComponent(path)}`;
      const [placeholder] = await fixture.ok('GET', `${at}/import/placeholders`);
      expect((await fixture.ok('GET', `${at}/issues/1`)).author.id).toBe(placeholder.placeholder_user.id);
      system.arm(point);
      const { id } = await fixture.ok('GET', '/user');
      const reassign = `${at}/import/placeholders/${placeholder.id}/reassign`;
      await system.api('POST', reassign, { body: { user_id: id } }).catch(() => undefined);
      await fired();
      await eventually(
        async () => {
          // As if the lease of the dead process had run out.
          await system.query(
            'imports_exports',
            `update import_placeholders set leased_until = now() where leased_until < now() + interval '25 seconds' returning id`,
          );
          const [shown] = await fixture.ok('GET', `${at}/import/placeholders`);
          expect(shown).toMatchObject({ state: 'reassigned', placeholder_user: null, reassign_to_user: { id } });
        },
        { within: 90_000, every: 1_000 },
      );
      expect((await fixture.ok('GET', `${at}/issues/1`)).author.id).toBe(id);
      forge.contents.lists.issues = [];
    });

    atEach(chosen(gistImportPoints))('at %s: a gist is a personal snippet once', async (point) => {
      const { system, fixture, fired } = here();
      const gist = {
        ...{ id: point.replace(/[._]/g, '-'), description: point, public: false, html_url: `${forge.url}/g` },
        ...{ created_at: '2020-01-02T03:04:05Z', updated_at: '2020-01-02T03:04:05Z' },
        files: { 'a.txt': { filename: 'a.txt', content: 'a', truncated: false, raw_url: `${forge.url}/raw/a` } },
      };
      forge.contents.gists.push(gist);
      system.arm(point);
      const body = { personal_access_token: forge.token, forgea_hostname: forge.url };
      await system.api('POST', '/import/forgea/gists', { body }).catch(() => undefined);
      await fired();
      await eventually(
        async () => {
          // As if the lease of the dead process had run out.
          await system.query('imports_exports', `update gist_imports set leased_until = now() where lease is not null`);
          const open = await system.query('imports_exports', `select 1 from gist_imports where token is not null`);
          expect(open).toEqual([]);
        },
        { within: 90_000, every: 2_000 },
      );
      const titles = (await fixture.all('/snippets')).map(({ title }: { title: string }) => title);
      expect(titles.filter((title) => title === point)).toEqual([point]);
    });

    atEach(chosen(importCancelPoints))('at %s: it stays cancelled, and the project says so', async (point) => {
      const { system, fixture, fired } = here();
      // Nothing of it ends before it is cancelled.
      forge.breakNext(/info\/refs/, (_, response) => response.writeHead(503).end());
      // The process of the last case may still be starting.
      const begun = async () => {
        const reply = await start('cancelled');
        expect(reply.status).toBe(201);
        return reply;
      };
      const { body } = await eventually(begun, { within: 30_000, every: 200 });
      system.arm(point);
      const cancel = () => system.api('POST', '/import/github/cancel', { body: { project_id: body.id } });
      await cancel().catch(() => undefined);
      await fired();
      await eventually(async () => expect(await statusOf('root/cancelled')).toBe('canceled'), { within: 30_000 });
      await eventually(
        async () => expect((await fixture.ok('GET', `/projects/${body.id}`)).import_status).toBe('canceled'),
        { within: 30_000 },
      );
    });
  });
}
