import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { relate } from './fork-steps';
import { type Ground, insertProject, people, prepareGround } from './repository-harness';
import { expectPushesHandled, git, killProcesses, processOf } from './repository-process';

let ground: Ground;
let db: Database;

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fault test' });
  await db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40), (3, 3, 1, 30)`);
});
afterAll(async () => {
  await killProcesses();
  await db?.close();
  await ground?.close();
});

const named = (id: number) => ({ id, path: `group/project${id}` });

/** A target and a fork whose branch `fix` is one commit ahead; the working copy. */
async function forked(target: number, fork: number): Promise<{ work: string; first: string }> {
  await insertProject(db, target);
  await insertProject(db, fork);
  await relate({ db }, named(target), named(fork));
  const work = mkdtempSync(join(ground.folder, 'work-'));
  const service = await processOf(ground);
  await git(work, 'init', '--quiet', '--initial-branch=main');
  await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Base');
  await git(work, 'push', '--quiet', service.remote(named(target).path), 'main');
  await git(work, 'push', '--quiet', service.remote(named(fork).path), 'main');
  await git(work, 'checkout', '--quiet', '-b', 'fix');
  await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Fix');
  await git(work, 'push', '--quiet', service.remote(named(fork).path), 'fix');
  await expectPushesHandled(db, fork);
  return { work, first: await git(work, 'rev-parse', 'fix') };
}

const wish = (target: number) => ({
  source_branch: 'fix',
  target_branch: 'main',
  target_project_id: target,
  title: 'Fix',
});

/** One merge request, whose head is `sha` in its row, its ref and its diff, with all objects of it. */
async function expectHead(target: number, sha: string): Promise<void> {
  const repo = openRepository(join(ground.folder, 'repositories'), target);
  await eventually(
    async () => {
      const rows = await db.query<{ sha: string; diff: string }>(sql`
        select mr.source_sha as sha, d.head_sha as diff from merge_requests mr
        join merge_request_diffs d on d.id = mr.latest_diff_id where mr.project_id = ${target}`);
      expect(rows).toEqual([{ sha, diff: sha }]);
      expect(await git(repo.path, 'rev-parse', 'refs/merge-requests/1/head')).toBe(sha);
    },
    { within: 30_000, every: 100 },
  );
  await git(repo.path, 'fsck', '--strict', '--connectivity-only');
}

test.each([
  ['merge_request.commits_brought', 1],
  ['merge_request.created', 3],
] as const)(
  'a process killed at %s while it opens one leaves one, or none and it can be asked for again',
  async (point, target) => {
    const fork = target + 1;
    const { first } = await forked(target, fork);
    const doomed = await processOf(ground, point);
    const path = `/projects/${fork}/merge_requests`;
    await doomed.api(people.maintainer, 'POST', path, wish(target)).catch(() => undefined);
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    const second = await processOf(ground);
    if (point === 'merge_request.commits_brought') {
      expect(await second.api(people.maintainer, 'GET', `/projects/${target}/merge_requests`)).toEqual([]);
      expect(await second.api(people.maintainer, 'POST', path, wish(target))).toMatchObject({ iid: 1, sha: first });
    }
    await expectHead(target, first);
  },
  90_000,
);

test.each([
  ['merge_request.commits_brought', 5],
  ['merge_request.head_kept', 7],
] as const)(
  'a push to a fork whose process is killed at %s moves the merge request all the same',
  async (point, target) => {
    const fork = target + 1;
    const { work, first } = await forked(target, fork);
    const before = await processOf(ground);
    await before.api(people.maintainer, 'POST', `/projects/${fork}/merge_requests`, wish(target));
    await expectHead(target, first);

    const doomed = await processOf(ground, point);
    await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'More');
    await git(work, 'push', '--quiet', doomed.remote(named(fork).path), 'fix').catch(() => undefined);
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    await processOf(ground);
    await expectHead(target, await git(work, 'rev-parse', 'fix'));
  },
  90_000,
);
