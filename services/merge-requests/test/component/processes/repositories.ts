import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { CommitTargetServiceService } from '@switchyard/protos/merge_requests/v1/commit_target';
import { HookBodyServiceService } from '@switchyard/protos/merge_requests/v1/hook_body';
import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import type { HookEvent } from '@switchyard/protos/rpc/v1/hook_body';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { openWiki } from '../../../src/git';
import { at, mr } from '../merge-request-steps';
import { people, startHarness, type TestProject } from '../repository-harness';
import { given, type Processes, processSteps } from './steps';

/** Repositories in both processes, what is asked of both, and one process that is away. */
export function repositoryTests(here: () => Processes): void {
  const { across, api, checked, commit, move, placed, pushed } = processSteps(here);

  test.each(['default', 'second'] as const)(
    'a repository in %s is pushed to, cloned and read where it lies',
    async (storage) => {
      const { project, folder } = await pushed(given(storage));
      expect(placed(project)).toEqual([storage === 'default', storage === 'second']);
      const clone = here().harness.folder();
      await here().harness.git(clone, 'clone', '--quiet', here().harness.remote(people.developer, project.path), '.');
      const head = (await here().harness.git(folder, 'rev-parse', 'HEAD')).trim();
      expect((await here().harness.git(clone, 'rev-parse', 'HEAD')).trim()).toBe(head);
      const raw = await api(people.developer, 'GET', at(project, '/repository/files/README.md/raw?ref=main'));
      expect([raw.status, raw.text]).toEqual([200, '# Hello\n']);
      const missing = await api(people.developer, 'GET', at(project, '/repository/files/none/raw?ref=main'));
      expect([missing.status, missing.body]).toEqual([404, { message: '404 File Not Found' }]);
      const archive = await api(people.developer, 'GET', at(project, '/repository/archive.tar.gz'));
      expect([archive.status, archive.headers.get('content-type')]).toEqual([200, 'application/gzip']);
      const branches = await api(people.developer, 'GET', at(project, '/repository/branches'));
      expect(branches.body).toMatchObject([{ name: 'main', commit: { id: head } }]);
      const source = here().harness.asPackages(SourceCodeServiceService);
      const tree: string[] = [];
      for await (const { entries } of source.listSourceTree(
        { projectId: project.id, commitSha: head, path: '' },
        { requestId: 'test' },
      ))
        tree.push(...entries.map(({ path }) => path));
      expect(tree).toEqual(['README.md']);
      const refused = await here().harness.gitFails(
        folder,
        'push',
        here().harness.remote(people.reporter, project.path),
        'main:other',
      );
      expect(refused).toContain('You are not allowed to push code to this project.');
      const wiki = here().harness.remote(people.developer, `${project.path}.wiki`);
      await here().harness.git(folder, 'push', '--quiet', wiki, 'main');
      expect(await here().harness.git(folder, 'ls-remote', wiki, 'main')).toContain(head);
      const { path } = openWiki(
        join(here().ground.folder, storage === 'second' ? 'other/storages/second' : 'repositories'),
        project.id,
      );
      expect(existsSync(path)).toBe(true);
    },
  );

  const pushesTo = (projects: readonly TestProject[]) =>
    here().harness.db.query<HookEvent & Record<string, unknown>>(sql`
      select event_id as id, type, body::text as body from events.outbox
      where type = 'repository.pushed' and key = any(${projects.map(({ id }) => String(id))}::text[]) order by id`);

  test('what is asked about several projects is answered by the processes of each', async () => {
    const projects = [await pushed(given('default')), await pushed(given('second'))].map(({ project }) => project);
    const events = await pushesTo(projects);
    const hooks = here().harness.asGroupsAdmin(HookBodyServiceService);
    const { rendered } = await hooks.renderHookBodies({ events }, { requestId: 'test' });
    const bodies = rendered.map((one) => JSON.parse(String(one.bodies[0]?.json)));
    expect(bodies.map((body) => [body.project_id, body.commits[0]?.title])).toEqual(
      projects.map(({ id }) => [id, 'First']),
    );
    const commits = bodies.map((body) => ({ projectId: body.project_id, sha: body.after }));
    const parts = await here()
      .harness.asCollaboration(HookBodyServiceService)
      .renderHookParts({ mergeRequestIds: [], commits }, { requestId: 'test' });
    expect(new Set(parts.commits.map(({ projectId }) => projectId))).toEqual(new Set(projects.map(({ id }) => id)));
    const { targets } = await here()
      .harness.asCollaboration(CommitTargetServiceService)
      .batchGet({ commits }, { requestId: 'test', actor: { ...anonymous, userId: people.developer.id } });
    expect(new Set(targets.map(({ sha }) => sha))).toEqual(new Set(commits.map(({ sha }) => sha)));
  });

  test.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'a storage without a process',
      { SWITCHYARD_STORAGE_PEERS: '' },
      'SWITCHYARD_STORAGE_PEERS: has no process for the storage default',
    ],
    [
      'a storage that is not there',
      { SWITCHYARD_STORAGES_SERVED: 'third' },
      'SWITCHYARD_STORAGES_SERVED: third is not in',
    ],
    [
      'a process for a storage of its own',
      { SWITCHYARD_STORAGES_SERVED: '' },
      'SWITCHYARD_STORAGE_PEERS: names default, which this process serves',
    ],
  ])('%s is refused at the start', async (_, wrong, message) => {
    await expect(startHarness(here().ground, { ...here().environments.second, ...wrong })).rejects.toThrow(message);
  });

  test('a process with another volume than that of its storage does not start', async () => {
    await pushed(given('second'));
    const wrong = { GRPC_PORT: '0', HTTP_PORT: '0', SWITCHYARD_DATA: join(here().ground.folder, 'another') };
    await expect(startHarness(here().ground, { ...here().environments.second, ...wrong })).rejects.toThrow(
      'SWITCHYARD_STORAGES_SERVED: the volume has no repository of the storage second',
    );
  });

  test('a process that is away takes no projects but its own with it', async () => {
    const pushes = [await pushed(given('default')), await pushed(given('second'))] as const;
    const [near, far] = [pushes[0].project, pushes[1].project];
    const commits = await Promise.all(
      pushes.map(async ({ project, folder }) => ({
        projectId: project.id,
        sha: (await here().harness.git(folder, 'rev-parse', 'HEAD')).trim(),
      })),
    );
    const { project: moved } = await pushed(given('second'));
    await move(moved, 'default');
    const { target, iid } = await across('second', 'default');
    await checked(target, iid);
    await here().stopOther();
    expect(await commit(moved, 'late', { 'late.txt': 'late\n' }, { start: 'main' })).toHaveLength(40);
    const status = async (project: TestProject, path: string) =>
      (await api(people.developer, 'GET', at(project, path))).status;
    expect([await status(near, '/repository/branches'), await status(far, '/repository/branches')]).toEqual([200, 503]);
    const raw = '/repository/files/README.md/raw?ref=main';
    expect([await status(near, raw), await status(far, raw)]).toEqual([200, 503]);
    const { targets } = await here()
      .harness.asCollaboration(CommitTargetServiceService)
      .batchGet({ commits }, { requestId: 'test', actor: { ...anonymous, userId: people.developer.id } });
    expect(targets.map(({ projectId }) => projectId)).toEqual([near.id]);
    const parts = await here()
      .harness.asCollaboration(HookBodyServiceService)
      .renderHookParts({ mergeRequestIds: [], commits }, { requestId: 'test' });
    expect(parts.commits.map(({ projectId }) => projectId)).toEqual([near.id]);
    const events = await pushesTo([near, far]);
    const hooks = here().harness.asGroupsAdmin(HookBodyServiceService);
    const { rendered } = await hooks.renderHookBodies({ events, allowAway: true }, { requestId: 'test' });
    expect(rendered).toEqual([
      { eventId: events[0]?.id, bodies: [expect.objectContaining({ projectId: near.id })] },
      { eventId: events[1]?.id, bodies: [], away: `http://127.0.0.1:${here().environments.second.HTTP_PORT}` },
    ]);
    // An earlier groups-admin does not know such answers.
    await expect(hooks.renderHookBodies({ events }, { requestId: 'test' })).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect((await api(people.developer, 'GET', mr(target, iid))).body.state).toBe('opened');
    expect((await api(people.maintainer, 'PUT', mr(target, iid, '/merge'))).status).toBe(503);
    await here().startOther();
    await eventually(async () =>
      expect((await api(people.maintainer, 'PUT', mr(target, iid, '/merge'))).body.state).toBe('merged'),
    );
  });
}
