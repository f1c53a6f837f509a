import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { repositoryKinds } from '../../../src/repositories/domain/repository';
import { forker, forkOf } from '../fork-steps';
import { at, mr } from '../merge-request-steps';
import { people } from '../repository-harness';
import { moveUntil, pointsOfMoves, removeThroughDeaths } from '../repository-move-steps';
import { environmentsOn, given, type Processes, processSteps } from './steps';

/** Moves from one process to the other. */
export function moveTests(here: () => Processes): void {
  const {
    api,
    branches,
    checked,
    commit,
    follows,
    homeOf,
    move,
    moving,
    pathIn,
    pushed,
    pushedBoth,
    remoteOf,
    removeNow,
  } = processSteps(here);

  test.each([
    ['code', 'default', 'second'],
    ['code', 'second', 'default'],
    ['wiki', 'default', 'second'],
    ['wiki', 'second', 'default'],
  ] as const)(
    'the %s of a project moves from %s to %s while it is pushed to, and no push is refused or lost',
    async (kind, from, to) => {
      const { project, folder } = await pushedBoth(from);
      let moved = false;
      const arrived = ['main'];
      const pushing = (async () => {
        for (let count = 0; !moved || count < 5; count += 1) {
          await here().harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', `More ${count}`);
          await here().harness.git(folder, 'push', '--quiet', remoteOf(project, kind), `HEAD:refs/heads/more-${count}`);
          arrived.push(`more-${count}`);
        }
      })();
      await move(project, to);
      moved = true;
      await pushing;
      expect(await homeOf(project)).toEqual({ storage: to, former: from });
      expect(await branches(project, kind)).toEqual(arrived.sort());
      expect(await removeNow(project)).toHaveLength(1);
      await eventually(async () => expect(await homeOf(project)).toEqual({ storage: to, former: null }));
      for (const one of repositoryKinds)
        expect([from, to].map((storage) => existsSync(pathIn(storage, project, one)))).toEqual([false, true]);
      expect(await branches(project, kind)).toEqual(arrived);
      expect(await branches(project, kind === 'code' ? 'wiki' : 'code')).toEqual(['main']);
      await here().harness.git(pathIn(to, project, kind), 'fsck', '--strict');
      const sha = await commit(project, 'after', { 'after.txt': 'after\n' }, { start: 'main' });
      expect((await here().harness.git(pathIn(to, project), 'rev-parse', 'refs/heads/after')).trim()).toBe(sha);
    },
  );

  test.each(repositoryKinds)(
    'refs of the %s, whose change began before a move and waits for it, move there',
    async (kind) => {
      const { project, folder } = await pushedBoth('default');
      const head = (await here().harness.git(folder, 'rev-parse', 'HEAD')).trim();
      await here().harness.git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'Second');
      const [former, now] = [pathIn('default', project, kind), pathIn('second', project, kind)];
      const remote = remoteOf(project, kind);
      let waiting: Promise<unknown>[] = [];
      // As a move does: the lock, the copy, the row.
      await here().harness.db.transaction(async (tx) => {
        await tx.query(sql`select 1 from repositories where project_id = ${project.id} for update`);
        waiting = [
          here().harness.git(folder, 'push', '--quiet', remote, 'HEAD:main', 'HEAD:refs/heads/second'),
          here().harness.gitFails(
            folder,
            'push',
            '--quiet',
            '--atomic',
            remote,
            'HEAD:refs/heads/new',
            'HEAD:refs/heads/main/x',
          ),
          ...(kind === 'code' ? [commit(project, 'by-api', { 'one.txt': 'one\n' }, { start: 'main' })] : []),
        ];
        await eventually(async () => {
          const locks = await here().harness.db.query(sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`);
          expect(locks).toHaveLength(waiting.length);
        });
        for (const one of repositoryKinds)
          await here().harness.git(
            '/',
            'clone',
            '--quiet',
            '--mirror',
            pathIn('default', project, one),
            pathIn('second', project, one),
          );
        await tx.query(sql`
        update repositories set storage = 'second', former_storage = 'default' where project_id = ${project.id}`);
      });
      const [, refused] = await Promise.all(waiting);
      expect(refused).toContain('HEAD -> new (A branch or tag name cannot be the beginning of another)');
      expect(await branches(project, kind)).toEqual([...(kind === 'code' ? ['by-api'] : []), 'main', 'second']);
      expect((await here().harness.git(now, 'rev-parse', 'main')).trim()).toBe(
        (await here().harness.git(folder, 'rev-parse', 'HEAD')).trim(),
      );
      expect((await here().harness.git(former, 'rev-parse', 'main')).trim()).toBe(head);
      expect(await here().harness.git(folder, 'push', remote, 'HEAD:refs/heads/third')).toContain('HEAD -> third');
    },
  );

  test('a wiki that is first pushed to while its project moves to another process is made there', async () => {
    const { project, folder } = await pushed(given('default'));
    let pushing: Promise<unknown> = Promise.resolve();
    // As a move does, which finds no wiki.
    await here().harness.db.transaction(async (tx) => {
      await tx.query(sql`select 1 from repositories where project_id = ${project.id} for update`);
      pushing = here().harness.git(folder, 'push', '--quiet', remoteOf(project, 'wiki'), 'HEAD:main');
      await eventually(async () => {
        const locks = await here().harness.db.query(sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%for key share%'`);
        expect(locks).toHaveLength(1);
      });
      await here().harness.git(
        '/',
        'clone',
        '--quiet',
        '--mirror',
        pathIn('default', project),
        pathIn('second', project),
      );
      await tx.query(sql`
        update repositories set storage = 'second', former_storage = 'default' where project_id = ${project.id}`);
    });
    await pushing;
    const sha = (await here().harness.git(folder, 'rev-parse', 'HEAD')).trim();
    expect(await branches(project, 'wiki')).toEqual(['main']);
    expect((await here().harness.git(pathIn('second', project, 'wiki'), 'rev-parse', 'main')).trim()).toBe(sha);
    await here().harness.git(pathIn('second', project, 'wiki'), 'fsck', '--strict');
  });

  test.each(pointsOfMoves)(
    'a move to another process killed at %s leaves the repository on the side %s, and can be made again',
    async (point, side) => {
      const { project } = await pushedBoth('default');
      expect(await moveUntil(point, here().ground, moving('second'), project.id, 'second')).toBe('SIGKILL');
      expect((await homeOf(project))?.storage).toBe(side === 'from' ? 'default' : 'second');
      for (const kind of repositoryKinds) expect(await branches(project, kind)).toEqual(['main']);
      if (side === 'from') await move(project, 'second');
      for (const kind of repositoryKinds) {
        expect(await branches(project, kind)).toEqual(['main']);
        await here().harness.git(pathIn('second', project, kind), 'fsck', '--strict');
      }
    },
  );

  test('a removal of a copy in another process that is killed at any point is finished', async () => {
    const layout = await environmentsOn('', 'default:1,second:0');
    await removeThroughDeaths(({ folder }) => ({
      from: layout.default,
      to: { ...layout.second, SWITCHYARD_DATA: join(folder, 'other') },
      folders: { from: join(folder, 'repositories'), to: join(folder, 'other', 'storages', 'second') },
    }));
  });

  test('what cannot be moved to another process is said in one line, and a merge request goes on after a move', async () => {
    const source = await here().harness.project({ ...given('second'), visibility: 'public' });
    await commit(source, 'main', { 'README.md': 'base\n' });
    await expect(move(source, 'default', moving('second'))).rejects.toThrow('the storage default is not served here');
    const { SWITCHYARD_IDENTITY_KEY_FILE: _, ...keyless } = moving('default');
    await expect(move(source, 'default', keyless)).rejects.toThrow('SWITCHYARD_IDENTITY_KEY_FILE');
    const nobody = { ...moving('default'), SWITCHYARD_STORAGE_PEERS: 'second=127.0.0.1:1/1' };
    await expect(move(source, 'default', nobody)).rejects.toThrow();
    const fork = await forkOf(here().harness, source);
    await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main', by: forker });
    const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: source.id };
    const made = await api(forker, 'POST', at(fork, '/merge_requests'), body);
    await move(source, 'default');
    expect([await homeOf(source), await homeOf(fork)]).toEqual([
      { storage: 'default', former: 'second' },
      { storage: 'second', former: null },
    ]);
    await follows(source, made.body.iid, await commit(fork, 'fix', { 'more.txt': 'more\n' }, { by: forker }));
    await checked(source, made.body.iid);
    expect((await api(people.maintainer, 'PUT', mr(source, made.body.iid, '/merge'))).status).toBe(200);
  });
}
