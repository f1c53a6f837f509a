import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { forkPoints, formerCopyPoints, movePoints, pushOptionPoints, pushPoints } from '../../e2e/support/fault-points';
import { expectSettled, expectSoundRepository } from '../../e2e/support/oracles';
import { atEach, type Chosen, type Ground } from './ground';

/** Pushes, forks and moves of repositories. */
export function repositoryDeaths(chosen: Chosen, here: () => Ground): void {
  atEach(chosen(pushPoints))('at %s: the push is whole or not there, and can be repeated', async (point) => {
    const { system, fixture, work, requests, proposal, push, fired } = here();
    const { name, iid } = await proposal();
    const sha = await work.commit(`${name}-more`);
    system.arm(point);
    const acknowledged = await work.push(name).then(
      () => true,
      () => false,
    );
    await fired();
    if (acknowledged) expect(await fixture.remoteSha(`refs/heads/${name}`)).toBe(sha);
    await push(name);
    expect(await fixture.remoteSha(`refs/heads/${name}`)).toBe(sha);
    await eventually(async () => expect((await fixture.ok('GET', `${requests}/${iid}`)).sha).toBe(sha), {
      within: 20_000,
      every: 100,
    });
    expect(await fixture.ok('GET', `${requests}/${iid}/commits`)).toHaveLength(2);
    await expectSettled(system);
    await expectSoundRepository(fixture);
  });

  atEach(chosen(pushOptionPoints))('at %s: what the options of a push ask for is done once', async (point) => {
    const { system, fixture, work, requests, push, fired, nextName } = here();
    const name = nextName('topic');
    await work.branch(name);
    if (point === 'push_option.changed') await push(name);
    const title = `at ${point}`;
    const options = ['-o', 'merge_request.create', '-o', `merge_request.title=${title}`];
    if (point === 'push_option.changed') {
      await fixture.ok('POST', requests, { source_branch: name, target_branch: 'main', title: name });
      await work.commit(`${name}-more`);
    }
    system.arm(point);
    await work.git(['push', '--quiet', ...options, 'origin', name]).catch(() => undefined);
    await fired();
    await expectSettled(system);
    await eventually(
      async () => {
        const found = (await fixture.ok('GET', `${requests}?source_branch=${name}`)) as { title: string }[];
        expect(found.map((one) => one.title)).toEqual([title]);
      },
      { within: 30_000, every: 100 },
    );
    await expectSoundRepository(fixture);
  });

  atEach(chosen(forkPoints))('at %s: a fork is made once and copied whole', async (point) => {
    const { system, fixture, fired } = here();
    const name = point.replace('.', '-');
    system.arm(point);
    const made = await fixture.ok('POST', `/projects/${fixture.projectId}/fork`, { name, path: name });
    await fired();
    const fork = `/projects/${made.id}`;
    await eventually(async () => expect((await fixture.ok('GET', fork)).import_status).toBe('finished'), {
      within: 60_000,
      every: 200,
    });
    const branchesOf = async (project: string): Promise<string[]> =>
      (await fixture.all(`${project}/repository/branches`)).map((branch) => `${branch.name} ${branch.commit.id}`);
    expect(await branchesOf(fork)).toEqual(await branchesOf(`/projects/${fixture.projectId}`));
    await expectSettled(system);
    const copies = await system.query(
      'merge_requests',
      `select event_id from events.outbox where event_id = 'repository.copied:${made.id}'`,
    );
    expect(copies).toHaveLength(1);
  });

  describe('a repository moves to another storage', () => {
    /** A project with one commit, which `expectThere` looks for. */
    async function movable(point: string) {
      const { system, fixture } = here();
      const name = point.replace(/[._]/g, '-');
      const made = await fixture.ok('POST', '/projects', { name, initialize_with_readme: true });
      const branches = `/projects/${made.id}/repository/branches`;
      const before = (await fixture.all(branches)).map((one) => one.commit.id);
      expect(before).toHaveLength(1);
      const expectThere = async (storage: string) => {
        const sql = `select storage from repositories where project_id = ${made.id}`;
        expect(await system.query('merge_requests', sql)).toEqual([{ storage }]);
        expect((await fixture.all(branches)).map((one) => one.commit.id)).toEqual(before);
      };
      return { move: () => system.admin('move-repository', String(made.id), 'second'), expectThere, id: made.id };
    }

    atEach(chosen(movePoints))('at %s: it is in one storage, whole, and can be moved again', async (point) => {
      const { system } = here();
      const { move, expectThere } = await movable(point);
      system.arm(point);
      await expect(move()).rejects.toThrow();
      expect(system.fired()).toBe(true);
      await expectThere(point === 'move.recorded' ? 'second' : 'default');
      if (point !== 'move.recorded') await move();
      await expectThere('second');
    });

    atEach(chosen(formerCopyPoints))('at %s: its former copy goes, and nothing of it', async (point) => {
      const { system, fired } = here();
      const { move, expectThere, id } = await movable(point);
      await move();
      system.arm(point);
      // As if the hour were over for which it stays.
      await system.query('merge_requests', `update jobs set run_at = now() where kind = 'remove_former_copy'`);
      await fired();
      const former = join(system.data, 'repositories', `${id}.git`);
      await eventually(
        async () => {
          const sql = `select former_storage from repositories where project_id = ${id}`;
          expect(await system.query('merge_requests', sql)).toEqual([{ former_storage: null }]);
          expect(existsSync(former)).toBe(false);
        },
        { within: 120_000, every: 500 },
      );
      await expectThere('second');
    });
  });
}
