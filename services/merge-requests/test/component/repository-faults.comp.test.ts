import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { openRepository } from '../../src/git';
import { type Ground, insertProject, prepareGround } from './repository-harness';
import { expectPushesHandled, git, killProcesses, processOf } from './repository-process';

let ground: Ground;
let db: Database;

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fault test' });
});
afterAll(async () => {
  await killProcesses();
  await db?.close();
  await ground?.close();
});

const points = [
  'push.received',
  'push.decided',
  'push.intent_committed',
  'push.ref_moved',
  'push.result_committed',
  'push.subscriber_told',
  'push.told',
];

test.each(points.map((point, at) => [point, at + 1] as const))(
  'a process killed at %s leaves a push that is there once, or not at all',
  async (point, projectId) => {
    await insertProject(db, projectId);
    const folder = mkdtempSync(join(ground.folder, 'work-'));
    await git(folder, 'init', '--quiet', '--initial-branch=main');
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', `Before ${point}`);
    const path = `group/project${projectId}`;

    const doomed = await processOf(ground, point);
    const acknowledged = await git(
      folder,
      'push',
      '--quiet',
      doomed.remote(path),
      'main',
      'main:refs/heads/other',
    ).then(
      () => true,
      () => false,
    );
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    const second = await processOf(ground);
    await expectPushesHandled(db, projectId);
    const repo = openRepository(join(ground.folder, 'repositories'), projectId);
    const refs = await git(repo.path, 'for-each-ref', '--format=%(refname)');
    const events = () =>
      db.query<{ refName: string }>(sql`
        select body->>'refName' as "refName" from events.outbox where key = ${String(projectId)} and body->>'refName' is not null order by body->>'refName'`);
    // What moved is published, and nothing else is.
    const expected = refs === '' ? [] : refs.split('\n').map((ref) => ({ refName: ref.slice('refs/heads/'.length) }));
    expect(await events()).toEqual(expected);
    if (acknowledged) expect(expected).toHaveLength(2);

    await git(folder, 'push', '--quiet', second.remote(path), 'main', 'main:refs/heads/other');
    expect(await events()).toEqual([{ refName: 'main' }, { refName: 'other' }]);
    await git(repo.path, 'fsck', '--strict');
    const rules = await db.query(sql`select name from protected_branches where project_id = ${projectId}`);
    expect(rules).toEqual([{ name: 'main' }]);
    await expectPushesHandled(db, projectId);
  },
  120_000,
);
