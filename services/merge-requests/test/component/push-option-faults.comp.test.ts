import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { type Ground, insertProject, people, prepareGround } from './repository-harness';
import { git, killProcesses, startProcess } from './repository-process';

let ground: Ground;
let db: Database;

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fault test' });
  await db.query(sql`
    insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40), (3, 3, 1, 30)`);
});
afterAll(async () => {
  await db?.close();
  await ground?.close();
});
afterEach(killProcesses);

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
    const doomed = await startProcess(ground);
    await git(folder, 'push', '--quiet', doomed.remote(path), 'main');
    killProcesses();

    const faulty = await startProcess(ground, point);
    await git(folder, 'checkout', '--quiet', '-b', 'topic');
    writeFileSync(join(folder, 'one.txt'), 'one\n');
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', 'One');
    const acknowledged = await git(folder, 'push', ...options, faulty.remote(path), 'topic').then(
      () => true,
      () => false,
    );
    expect(await faulty.exited).toBe('SIGKILL');
    expect(faulty.fired()).toBe(true);

    const second = await startProcess(ground);
    const settled = () =>
      eventually(
        async () => {
          const [left] = await db.query<{ count: number }>(sql`
            select count(*) as count from ref_change_intents
            where project_id = ${projectId} and (state = 'open' or (state = 'done' and handled_at is null))`);
          expect(left?.count).toBe(0);
        },
        { within: 40_000, every: 100 },
      );
    await settled();
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
    await settled();
    expect(found).toHaveLength(1);
    await expect(git(folder, 'ls-remote', second.remote(path), 'refs/heads/main')).resolves.toContain(
      found[0].merge_commit_sha,
    );
  },
  120_000,
);
