import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { openRepository } from '../../../src/git';
import { relate } from '../fork-steps';
import type { Body } from '../merge-request-steps';
import { type Ground, insertProject, people, prepareGround } from '../repository-harness';
import { git, killProcesses, processOf } from '../repository-process';
import { type Environments, environmentsOn, idFor } from './steps';

/** One of two processes is killed; each test has two of its own. */
export function deathTests(): void {
  describe('one of two processes is killed', () => {
    let own: Ground;
    let db: Database;
    let layout: Environments;
    let receiving: Ground;

    beforeEach(async () => {
      own = await prepareGround();
      // A here().ground by itself: each has one process.
      receiving = { ...own };
      db = openDatabase({ url: own.databaseUrl, applicationName: 'repository processes test' });
      layout = await environmentsOn(own.folder);
    });
    afterEach(async () => {
      await killProcesses();
      await db?.close();
      await own?.close();
    });

    const giver = () => processOf(own, undefined, layout.default);
    const receiver = (fault?: string) => processOf(receiving, fault, layout.second);

    /** A fork in the process that gives, with a merge request into a project of the one that receives. */
    async function opened(wish: object = {}) {
      const [fork, target] = [idFor('default'), idFor('second')];
      const paths = [fork, target].map((id) => ({ id, path: `group/project${id}` }));
      for (const id of [fork, target]) await insertProject(db, id);
      await relate({ db }, paths[1]!, paths[0]!);
      await db.query(sql`
        insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40)`);
      const [{ api, remote }] = await Promise.all([giver(), receiver()]);
      const work = join(own.folder, 'work');
      await git('/', 'init', '--quiet', '--initial-branch=main', work);
      let pushes = 0;
      const push = async (branch: string, into = fork) => {
        pushes += 1;
        writeFileSync(join(work, `${branch}-${pushes}.txt`), 'x\n');
        await git(work, 'add', '.');
        await git(work, 'commit', '--quiet', '-m', branch);
        await git(work, 'push', '--quiet', remote(`group/project${into}`), `HEAD:${branch}`);
        return git(work, 'rev-parse', 'HEAD');
      };
      await push('main', target);
      await git(work, 'push', '--quiet', remote(`group/project${fork}`), 'main');
      const asked = { source_branch: 'fix', target_branch: 'main', target_project_id: target, title: 'Fix', ...wish };
      const sha = await push('fix');
      expect(await api(people.maintainer, 'POST', `/projects/${fork}/merge_requests`, asked)).toMatchObject({ iid: 1 });
      return { fork, target, push, sha };
    }

    test('commits that come from another process arrive though the process that takes them is killed', async () => {
      const { target, push } = await opened();
      const doomed = await receiver('merge_request.commits_brought');
      const sha = await push('fix');
      expect(await doomed.exited).toBe('SIGKILL');
      await receiver();
      await eventually(
        async () => expect(await db.query(sql`select source_sha as sha from merge_requests`)).toEqual([{ sha }]),
        { within: 30_000 },
      );
      const { path } = openRepository(join(own.folder, 'other', 'storages', 'second'), target);
      expect(await git(path, 'rev-parse', 'refs/merge-requests/1/head')).toBe(sha);
      await git(path, 'fsck', '--strict', '--connectivity-only');
    });

    test.each([
      ['fork.objects_linked', true],
      ['fork.recorded', false],
    ] as const)(
      'a fork whose source takes no new repositories beside it is copied from its process, though its own is killed at %s',
      async (point, isSourceAwayFirst) => {
        layout = await environmentsOn(own.folder, 'default:1,second:0');
        const [source, fork] = [idFor('default'), idFor('default')];
        for (const id of [source, fork]) await insertProject(db, id, id === fork ? { origin: { id: source } } : {});
        await db.query(sql`
          insert into directory.memberships (id, user_id, namespace_id, access_level) values (2, 2, 1, 40)`);
        await db.query(sql`
          insert into repositories (project_id, default_branch, storage) values (${source}, 'main', 'second')`);
        const { remote } = await receiver();
        const work = join(own.folder, 'work');
        await git('/', 'init', '--quiet', '--initial-branch=main', work);
        await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'First');
        await git(work, 'tag', '-a', '-m', 'One', 'v1');
        await git(work, 'push', '--quiet', remote(`group/project${source}`), 'main', 'main:side', 'v1');
        await git(work, 'commit', '--quiet', '--allow-empty', '-m', 'Secret');
        await git(work, 'push', '--quiet', remote(`group/project${source}`), 'HEAD:secret');
        await git(work, 'push', '--quiet', remote(`group/project${source}`), ':secret');
        const branches = async () =>
          (await giver()).api(people.maintainer, 'GET', `/projects/${fork}/repository/branches`);
        if (isSourceAwayFirst) {
          await killProcesses(receiving);
          expect(await branches()).toEqual({ message: '503 Service Unavailable' });
        }
        const [doomed] = await Promise.all([processOf(own, point, layout.default), receiver()]);
        await db.query(sql`
          insert into jobs (kind, key, payload, project_id) values ('copy_repository', ${String(fork)},
            ${JSON.stringify({ kind: 'copy_repository', projectId: fork })}::jsonb, ${fork})`);
        expect(await doomed.exited).toBe('SIGKILL');
        expect((await branches()).map(({ name }: Body) => name)).toEqual(['main', 'side']);
        const { path } = openRepository(join(own.folder, 'repositories'), fork);
        await git(path, 'fsck', '--strict');
        expect(await git(path, 'for-each-ref', '--format=%(refname) %(objecttype)')).toBe(
          'refs/heads/main commit\nrefs/heads/side commit\nrefs/tags/v1 tag',
        );
        const secret = await git(work, 'rev-parse', 'HEAD');
        await expect(git(path, 'cat-file', '-e', secret)).rejects.toThrow();
        await eventually(
          async () => expect(await db.query(sql`select kind from jobs where kind = 'copy_repository'`)).toEqual([]),
          {
            within: 40_000,
          },
        );
        const copied = await db.query(sql`
          select body ->> 'error' as error from events.outbox where key = ${String(fork)} and type = 'repository.copied'`);
        expect(copied).toEqual([{ error: null }]);
      },
    );

    test('a landing of a train is settled while the process of the fork is away, whose branch goes once it is back', async () => {
      const { fork, target, sha } = await opened({ remove_source_branch: true });
      await db.query(sql`
        update directory.projects set merge_trains_enabled = true, merge_train_settling_seconds = 0, merge_train_required_statuses = '{ci}'
        where id = ${target}`);
      const { api } = await giver();
      await api(people.maintainer, 'POST', `/projects/${fork}/statuses/${sha}`, { state: 'success', ref: 'fix' });
      const car = `/projects/${target}/merge_trains/merge_requests/1`;
      await eventually(
        async () => expect(await api(people.maintainer, 'POST', car, {})).toMatchObject([{ position: 1 }]),
        {
          within: 30_000,
        },
      );
      const { id, sha: tested } = await eventually(
        async () => {
          const { pipeline } = await api(people.maintainer, 'GET', car);
          expect(pipeline).toMatchObject({ status: 'pending' });
          return pipeline;
        },
        { within: 30_000 },
      );
      const doomed = await receiver('train.landing_begun');
      const verdict = { state: 'success', name: 'ci', pipeline_id: id };
      await api(people.maintainer, 'POST', `/projects/${target}/statuses/${tested}`, verdict).catch(() => undefined);
      expect(await doomed.exited).toBe('SIGKILL');
      await killProcesses(own);
      await receiver();
      await eventually(
        async () => expect(await db.query(sql`select state from merge_requests`)).toEqual([{ state: 'merged' }]),
        { within: 30_000 },
      );
      const [there, here] = [
        openRepository(join(own.folder, 'other', 'storages', 'second'), target),
        openRepository(join(own.folder, 'repositories'), fork),
      ];
      expect(await git(there.path, 'rev-parse', 'refs/heads/main')).toBe(tested);
      const left = () => git(here.path, 'for-each-ref', '--format=%(refname)', 'refs/heads');
      expect(await left()).toBe('refs/heads/fix\nrefs/heads/main');
      await giver();
      await eventually(async () => expect(await left()).toBe('refs/heads/main'), { within: 60_000 });
    });
  });
}
