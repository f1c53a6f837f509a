import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../src/git';
import { type Ground, insertProject, people, prepareGround } from './repository-harness';
import { git, killProcesses, processOf, type RepositoryProcess } from './repository-process';

let ground: Ground;
let db: Database;
const originId = 1;

beforeAll(async () => {
  ground = await prepareGround();
  db = openDatabase({ url: ground.databaseUrl, applicationName: 'fork fault test' });
  await insertProject(db, originId);
  const first = await processOf(ground);
  const folder = join(ground.folder, 'origin');
  await git('/', 'init', '--quiet', '--initial-branch=main', folder);
  await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'First');
  await git(folder, 'tag', 'v1');
  await git(folder, 'push', '--quiet', first.remote(`group/project${originId}`), 'main', 'main:side', 'v1');
});
afterAll(async () => {
  await killProcesses();
  await db?.close();
  await ground?.close();
});

const points = ['fork.draft_made', 'fork.objects_linked', 'fork.refs_written', 'fork.placed', 'fork.recorded'];

const touch = (process: RepositoryProcess, projectId: number) =>
  process.api(people.developer, 'GET', `/projects/${projectId}/repository/branches`);

test.each(points.map((point, at) => [point, originId + 1 + at] as const))(
  'a process killed at %s leaves a fork that is copied once by the next',
  async (point, projectId) => {
    await insertProject(db, projectId, { origin: { id: originId } });
    const doomed = await processOf(ground, point);
    await db.query(sql`
      insert into jobs (kind, key, payload, project_id) values ('copy_repository', ${String(projectId)},
        ${JSON.stringify({ kind: 'copy_repository', projectId })}::jsonb, ${projectId})`);
    expect(await doomed.exited).toBe('SIGKILL');
    expect(doomed.fired()).toBe(true);

    const second = await processOf(ground);
    const branches = (await touch(second, projectId)) as { name: string; protected: boolean }[];
    expect(branches.map(({ name }) => name)).toEqual(['main', 'side']);
    expect(branches[0]?.protected).toBe(true);
    const repo = openRepository(join(ground.folder, 'repositories'), projectId);
    await git(repo.path, 'fsck', '--strict');
    await eventually(
      async () => {
        const [left] = await db.query<{ count: number }>(sql`select count(*) as count from jobs`);
        expect(left?.count).toBe(0);
      },
      { within: 40_000, every: 100 },
    );
    const events = await db.query(sql`
      select body ->> 'error' as error from events.outbox
      where key = ${String(projectId)} and type = 'repository.copied'`);
    expect(events).toEqual([{ error: null }]);
  },
  120_000,
);
