import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type System, startSystem } from '../e2e/support/system';

jest.setTimeout(1_800_000);

const root = resolve(__dirname, '../../../..');
const { releases } = JSON.parse(readFileSync(join(root, 'deploy/releases.json'), 'utf8')) as {
  releases: { version: string; commit: string }[];
};
const { version, commit } = releases[0] as (typeof releases)[number];
const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const hasHistory = git('cat-file', '-e', `${commit}^{commit}`).status === 0;
/** A clone without its history, or sources without a repository, cannot show what came before. */
const withRelease = hasHistory ? describe : describe.skip;

withRelease(`the first release, ${version} (needs the history of the repository)`, () => {
  let older: string;
  let system: System;

  beforeAll(() => {
    older = mkdtempSync(join(realpathSync(tmpdir()), 'switchyard-release-'));
    // PostgreSQL, run as another user by root, must be able to pass.
    chmodSync(older, 0o711);
    execFileSync('git', ['clone', '--quiet', '--no-checkout', root, older]);
    execFileSync('git', ['checkout', '--quiet', commit], { cwd: older });
  });
  afterAll(async () => {
    await system?.close();
    rmSync(older, { recursive: true, force: true });
  });

  /** What each visit left behind, and every later one, of whichever version, must find. */
  const left: { id: number; iid: number; sha: string; body: string }[] = [];

  /** The tour of the README: a project, a commit, a merge request with a note, and its merge; then what earlier visits left. */
  async function tour(): Promise<void> {
    const client = system.gitlab();
    const number = left.length + 1;
    const { id } = await client.Projects.create({ name: `tour-${number}`, initializeWithReadme: true });
    const body = `Visit ${number}`;
    await client.Commits.create(id, 'topic', body, [{ action: 'create', filePath: 'a.txt', content: body }], {
      startBranch: 'main',
    });
    const { iid } = await client.MergeRequests.create(id, 'topic', 'main', body);
    await client.MergeRequestNotes.create(id, iid, body);
    await eventually(
      async () => expect((await client.MergeRequests.show(id, iid)).detailed_merge_status).toBe('mergeable'),
      {
        within: 30_000,
      },
    );
    const { merge_commit_sha: sha } = await client.MergeRequests.merge(id, iid);
    left.push({ id, iid, sha: sha as string, body });
    for (const one of left) {
      expect(await client.MergeRequests.show(one.id, one.iid)).toMatchObject({
        state: 'merged',
        title: one.body,
        merge_commit_sha: one.sha,
      });
      const notes = await client.MergeRequestNotes.all(one.id, one.iid);
      expect(notes.map((note) => note.body)).toContain(one.body);
      expect((await client.Branches.show(one.id, 'main')).commit.id).toBe(one.sha);
    }
  }

  test('is upgraded, gone back to, and upgraded again, and nothing is lost', async () => {
    system = await startSystem({}, older);
    await tour();
    for (const checkout of [root, older, root]) {
      await system.stop();
      await system.start(checkout);
      await tour();
    }
    expect(left).toHaveLength(4);
  });
});
