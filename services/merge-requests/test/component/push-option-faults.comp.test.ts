import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
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

const points = [
  'push.decided',
  'push.intent_committed',
  'push.ref_moved',
  'push.result_committed',
  'push_option.opened',
  'push_option.carried_out',
  'push.told',
];

// The second push merges by itself: what its options asked for is not done again to a merge request that has landed.
test.each(points.map((point, at) => [point, at + 1] as const))(
  'a process killed at %s leaves one merge request of the push, or no push',
  async (point, projectId) => {
    await insertProject(db, projectId);
    const folder = mkdtempSync(join(ground.folder, 'work-'));
    await git(folder, 'init', '--quiet', '--initial-branch=main');
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Base');
    const path = `group/project${projectId}`;
    const options = ['-o', 'merge_request.create', '-o', 'merge_request.title=Once', '-o', 'merge_request.auto_merge'];
    const first = await processOf(ground);
    await git(folder, 'push', '--quiet', first.remote(path), 'main');
    await git(folder, 'checkout', '--quiet', '-b', 'topic');
    writeFileSync(join(folder, 'one.txt'), 'one\n');
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', 'One');
    await expectPushesHandled(db, projectId);

    const doomed = await processOf(ground, point);
    const acknowledged = await git(folder, 'push', ...options, doomed.remote(path), 'topic').then(
      () => true,
      () => false,
    );
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    const second = await processOf(ground);
    await expectPushesHandled(db, projectId);
    const pushed = await git(folder, 'ls-remote', second.remote(path), 'refs/heads/topic');
    if (acknowledged) expect(pushed).not.toBe('');
    if (pushed === '') await git(folder, 'push', ...options, second.remote(path), 'topic');
    const found = await eventually(
      async () => {
        const all = await second.api(people.maintainer, 'GET', `/projects/${projectId}/merge_requests?state=all`);
        expect(all).toMatchObject([{ title: 'Once', state: 'merged' }]);
        return all;
      },
      { within: 20_000, every: 100 },
    );
    await expectPushesHandled(db, projectId);
    expect(found).toHaveLength(1);
    await expect(git(folder, 'ls-remote', second.remote(path), 'refs/heads/main')).resolves.toContain(
      found[0].merge_commit_sha,
    );
  },
  120_000,
);
