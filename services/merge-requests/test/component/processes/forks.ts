import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { forker, forkOf } from '../fork-steps';
import { at, type Body, mr } from '../merge-request-steps';
import { people } from '../repository-harness';
import { given, idFor, type Processes, processSteps } from './steps';

/** Forks, the projects they come from, and how either goes. */
export function forkTests(here: () => Processes): void {
  const { across, api, checked, commit, head, placed, purge, removed } = processSteps(here);

  test('a fork is made beside what it is copied from, and merge requests go from one to the other', async () => {
    const source = await here().harness.project({ ...given('second'), visibility: 'public' });
    await commit(source, 'main', { 'README.md': 'base\n' });
    const fork = await forkOf(here().harness, source, { id: idFor('default') });
    await commit(fork, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main', by: forker });
    expect([placed(source), placed(fork)]).toEqual([
      [false, true],
      [false, true],
    ]);
    const body = { source_branch: 'fix', target_branch: 'main', title: 'Fix it', target_project_id: source.id };
    const made = await api(forker, 'POST', at(fork, '/merge_requests'), body);
    expect(made.status).toBe(201);
    await checked(source, made.body.iid);
    const merged = await api(people.maintainer, 'PUT', mr(source, made.body.iid, '/merge'));
    expect([merged.status, merged.body.state]).toEqual([200, 'merged']);
  });

  test('a merge request whose fork in another process is deleted is closed, and keeps its commits', async () => {
    const { target, fork, iid } = await across('second', 'default');
    await checked(target, iid);
    await removed(fork);
    await here().harness.beside.mergeRequests.closeWithoutFork();
    await purge(fork);
    const { body } = await api(people.maintainer, 'GET', mr(target, iid));
    expect(body).toMatchObject({ state: 'closed', source_project_id: null });
    const diffs = await api(people.developer, 'GET', mr(target, iid, '/diffs'));
    expect(diffs.body.map((file: Body) => file.new_path)).toEqual(['fix.txt']);
    expect((await api(people.maintainer, 'PUT', mr(target, iid, '/rebase'))).status).toBe(403);
  });

  test('a fork whose target in another process is deleted is pushed to, and nothing waits for the target', async () => {
    const { target, fork } = await across('default', 'second');
    await removed(target);
    const sha = await commit(fork, 'fix', { 'more.txt': 'more\n' });
    await purge(target);
    expect(await head(fork, 'fix')).toBe(sha);
    await commit(fork, 'fix', { 'last.txt': 'last\n' });
    await eventually(
      async () => {
        const left = await here().harness.db.query(sql`
          select kind from jobs where project_id in (${target.id}, ${fork.id}) and kind not in ('repository_size', 'pack_repository')
          union all
          select state from ref_change_intents where project_id = ${fork.id} and state <> 'done'`);
        expect(left).toEqual([]);
      },
      { within: 20_000 },
    );
  });
}
