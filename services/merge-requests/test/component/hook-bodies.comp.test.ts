import { rmSync } from 'node:fs';
import { countStatements } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { HookBodyServiceService } from '@switchyard/protos/merge_requests/v1/hook_body';
import type { HookBody, HookEvent, RenderHookBodiesResponse } from '@switchyard/protos/rpc/v1/hook_body';
import { eventually } from '@switchyard/testkit';
import { undocumented } from '../support/documented-hooks';
import { at, type Body, mr } from './merge-request-steps';
import { mergeTrainSteps } from './merge-train-steps';
import { type Harness, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, control, head, newProject, open, report, status, tested, withTrain } =
  mergeTrainSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

/** What was published after an id of the outbox, as the bus carries it. */
const eventsAfter = (after: number): Promise<HookEvent[]> =>
  harness.db.query<HookEvent & Record<string, unknown>>(
    sql`select event_id as id, type, body::text as body from events.outbox where id > ${after} order by id`,
  );
const lastEvent = async (): Promise<number> =>
  (await harness.db.one<{ id: number }>(sql`select coalesce(max(id), 0) as id from events.outbox`))!.id;

const render = (events: readonly HookEvent[]): Promise<RenderHookBodiesResponse> =>
  harness.asGroupsAdmin(HookBodyServiceService).renderHookBodies({ events: [...events] }, { requestId: 'test' });

type Shown = Omit<HookBody, 'json'> & { json: Body };
const shown = ({ rendered }: RenderHookBodiesResponse): Shown[] =>
  rendered.flatMap(({ bodies }) => bodies.map((body) => ({ ...body, json: JSON.parse(body.json.toString()) })));

/** The bodies of what some work publishes, each as GitLab documents it. */
async function bodiesOf(work: () => Promise<unknown>): Promise<Shown[]> {
  const after = await lastEvent();
  await work();
  const bodies = shown(await render(await eventsAfter(after)));
  for (const { json } of bodies) expect(undocumented(json)).toEqual([]);
  return bodies;
}
const parts = async (mergeRequestIds: number[], commits: { projectId: number; sha: string }[]) => {
  const found = await harness
    .asCollaboration(HookBodyServiceService)
    .renderHookParts({ mergeRequestIds, commits }, { requestId: 'test' });
  const json = (part: { json: Uint8Array }): Body => JSON.parse(Buffer.from(part.json).toString());
  return { mergeRequests: found.mergeRequests.map(json), commits: found.commits.map(json) };
};
const ofKind = (bodies: readonly Shown[], kind: string) => bodies.filter((body) => body.kind === kind);

async function withRequest(): Promise<{ project: TestProject; iid: number; id: number; sha: string }> {
  const project = await newProject();
  const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
  const { iid, id } = await open(project, 'feature', { reviewer_ids: [people.maintainer.id] });
  await checked(project, iid);
  return { project, iid, id, sha };
}

describe('hook bodies (G-6-4)', () => {
  test('tell of pushes with their commits and files, of new and removed branches, and of tags', async () => {
    const project = await newProject();
    const before = await head(project, 'main');
    const pushed = await bodiesOf(async () => {
      const actions = [
        { action: 'update', file_path: 'README.md', content: 'more\n' },
        { action: 'create', file_path: 'src/new.txt', content: 'new\n' },
      ];
      const body = { branch: 'main', commit_message: 'Two files\n\nAnd why', actions };
      expect((await api(people.maintainer, 'POST', at(project, '/repository/commits'), body)).status).toBe(201);
    });
    const after = await head(project, 'main');
    expect(pushed).toHaveLength(1);
    expect(pushed[0]).toMatchObject({
      ...{ kind: 'push', action: 'pushed', ref: 'main', projectId: project.id, actorId: people.maintainer.id },
      ...{ objectKey: `ref:${project.id}:refs/heads/main`, feature: 'repository', leastLevel: 20, confidential: false },
      json: {
        ...{ before, after, checkout_sha: after, ref: 'refs/heads/main', ref_protected: true },
        ...{ user_id: people.maintainer.id, user_username: 'user2', total_commits_count: 1 },
        commits: [{ id: after, title: 'Two files', added: ['src/new.txt'], modified: ['README.md'], removed: [] }],
      },
    });
    const [made] = await bodiesOf(() => commit(project, 'fix', { 'fix.txt': 'fix\n' }, { start: 'main' }));
    expect(made).toMatchObject({
      action: 'created',
      json: { ref_protected: false, total_commits_count: 1, commits: [{ added: ['fix.txt'], modified: [] }] },
    });
    const [tagged] = await bodiesOf(() =>
      api(people.maintainer, 'POST', at(project, '/repository/tags'), { tag_name: 'v1', ref: 'main', message: 'One' }),
    );
    expect(tagged).toMatchObject({
      ...{ kind: 'tag_push', ref: 'v1', action: 'created' },
      json: { ref: 'refs/tags/v1', checkout_sha: after, commits: [{ id: after }] },
    });
    const [gone] = await bodiesOf(() => api(people.maintainer, 'DELETE', at(project, '/repository/branches/fix')));
    expect(gone).toMatchObject({
      action: 'removed',
      json: { checkout_sha: null, commits: [], total_commits_count: 0 },
    });
  });

  test('name at most 20 commits of a push, the newest', async () => {
    const project = await newProject();
    const [pushed] = ofKind(
      await bodiesOf(async () => {
        const folder = harness.folder();
        await harness.git(folder, 'clone', '-q', harness.remote(people.maintainer, project.path), '.');
        for (let number = 1; number <= 22; number += 1)
          await harness.git(folder, 'commit', '-q', '--allow-empty', '-m', `Commit ${number}`);
        await harness.git(folder, 'push', '-q', 'origin', 'HEAD:main');
      }),
      'push',
    );
    expect(pushed?.json.total_commits_count).toBe(22);
    expect(pushed?.json.commits.map(({ title }: Body) => title)).toEqual(
      Array.from({ length: 20 }, (_, index) => `Commit ${index + 3}`),
    );
  });

  test('tell of a merge request from its opening to its merge, with changes, pushes and approvals', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const more = { labels: 'bug', assignee_ids: [people.developer.id] };
    const [opened] = ofKind(await bodiesOf(() => open(project, 'feature', more)), 'merge_request');
    const { iid, id }: Body = opened?.json.object_attributes ?? {};
    expect(opened).toMatchObject({
      ...{ action: 'open', objectKey: `merge_request:${id}`, feature: 'merge_requests', actorId: people.developer.id },
      json: {
        object_attributes: { action: 'open', state: 'opened', first_contribution: true },
        labels: [{ title: 'bug' }],
        assignees: [{ username: 'user3' }],
        changes: {},
      },
    });
    await checked(project, iid);
    const mine = async (work: () => Promise<unknown>) => ofKind(await bodiesOf(work), 'merge_request');
    const edit = { title: 'Draft: better', add_labels: 'fast', reviewer_ids: [people.maintainer.id] };
    const [edited] = await mine(() => api(people.developer, 'PUT', mr(project, iid), edit));
    expect(edited?.json).toMatchObject({
      changes: {
        title: { previous: 'Merge feature', current: 'Draft: better' },
        draft: { previous: false, current: true },
        labels: { previous: [{ title: 'bug' }], current: [{ title: 'bug' }, { title: 'fast' }] },
        reviewers: { previous: [], current: [{ username: 'user2' }] },
      },
      reviewers: [{ username: 'user2', state: 'unreviewed' }],
    });
    await api(people.developer, 'PUT', mr(project, iid), { title: 'Better' });
    const approve = (what: string) => () => api(people.maintainer, 'POST', mr(project, iid, `/${what}`));
    expect((await mine(approve('approve'))).map(({ action }) => action)).toEqual(['approved']);
    const old = await head(project, 'feature');
    const after = await lastEvent();
    await commit(project, 'feature', { 'two.txt': 'two\n' });
    const sha = await head(project, 'feature');
    const pushed = shown(await render(await eventsAfter(after))).filter(({ kind }) => kind === 'merge_request');
    expect(pushed.map(({ action }) => action)).toEqual(['update', 'unapproved']);
    expect(pushed.map(({ eventId }) => eventId.endsWith('#1'))).toEqual([false, true]);
    expect(pushed[0]?.json.object_attributes).toMatchObject({ oldrev: old, last_commit: { id: sha } });
    expect(pushed[1]?.json.object_attributes).toMatchObject({ system: true, system_action: 'approvals_reset_on_push' });
    await checked(project, iid);
    const [merged] = await mine(() => api(people.maintainer, 'PUT', mr(project, iid, '/merge')));
    expect(merged).toMatchObject({
      action: 'merge',
      json: { object_attributes: { state: 'merged', state_id: 3 }, changes: { state_id: { previous: 1, current: 3 } } },
    });
  });

  test('of notes show merge requests and commits as they are now', async () => {
    const { project, iid, id, sha } = await withRequest();
    const [opened] = ofKind(
      await bodiesOf(() => api(people.developer, 'PUT', mr(project, iid), { title: 'Named anew' })),
      'merge_request',
    );
    const { action: _action, ...attributes } = opened!.json.object_attributes as Body;
    const shas = [sha, 'f'.repeat(40)].map((one) => ({ projectId: project.id, sha: one }));
    const found = await parts([id, id, 999_999], shas);
    expect(found.mergeRequests).toEqual([{ ...attributes, assignee: null }]);
    expect(found.commits).toEqual([expect.objectContaining({ id: sha, author: expect.any(Object) })]);
  });

  test('of a merge request that was deleted since say what the event says', async () => {
    const { project, iid, id } = await withRequest();
    const after = await lastEvent();
    await api(people.developer, 'PUT', mr(project, iid), { state_event: 'close' });
    await api(people.owner, 'DELETE', mr(project, iid));
    const [closed, ...more] = shown(await render(await eventsAfter(after)));
    expect(more).toEqual([]);
    expect(closed?.json.object_attributes).toMatchObject({ id, iid, state: 'closed', action: 'close' });
    expect(await parts([id], [])).toEqual({ mergeRequests: [], commits: [] });
  });

  test('of a repository that cannot be read show what the event says', async () => {
    const after = await lastEvent();
    const project = await newProject();
    const [event] = (await eventsAfter(after)).filter(({ type }) => type === 'repository.pushed');
    rmSync((await harness.beside.repositories.repositoryOf(project.id)).path, { recursive: true });
    const [pushed] = shown(await render([event!]));
    expect(pushed?.json).toMatchObject({ total_commits_count: 1, commits: [] });
  });

  test('tell of pipelines and jobs once for each status, whatever else is reported', async () => {
    const { project, sha } = await withRequest();
    const reported =
      (state: string, more: object = {}) =>
      () =>
        status(project, sha, { state, ref: 'feature', name: 'build', ...more });
    const told = (bodies: readonly Shown[]) => bodies.map(({ kind, action }) => `${kind} ${action}`);
    const first = await bodiesOf(reported('pending'));
    expect(told(first)).toEqual(['pipeline created', 'job pending', 'pipeline pending']);
    expect(told(await bodiesOf(reported('pending', { description: 'Soon' })))).toEqual([]);
    expect(told(await bodiesOf(reported('running')))).toEqual(['job running', 'pipeline running']);
    const [job, pipeline] = ofKind(await bodiesOf(reported('failed')), 'job').concat(
      ofKind(await bodiesOf(reported('failed')), 'pipeline'),
    );
    expect(job).toMatchObject({ action: 'failed', ref: 'feature', json: { build_name: 'build', sha } });
    expect(pipeline).toBeUndefined();
    const id = job?.json.pipeline_id as number;
    const again = await bodiesOf(() => api(people.developer, 'POST', at(project, `/pipelines/${id}/retry`)));
    expect(told(ofKind(again, 'job').concat(ofKind(again, 'pipeline')))).toEqual(['job created', 'pipeline created']);
    const canceled = await bodiesOf(() => api(people.developer, 'POST', at(project, `/pipelines/${id}/cancel`)));
    expect(told(canceled)).toEqual(['job canceled', 'pipeline canceled']);
    expect(canceled[1]?.json).toMatchObject({
      object_attributes: { id, status: 'canceled', detailed_status: 'canceled', sha, protected_ref: false },
      commit: { id: sha },
      builds: [{ name: 'build', status: 'canceled' }],
      merge_request: null,
    });
  });

  test('tell of deployments with their environment', async () => {
    const project = await newProject();
    const sha = (await head(project, 'main')) as string;
    const make = { environment: 'review/a', sha, ref: 'main', tag: false, status: 'running' };
    const [made] = ofKind(
      await bodiesOf(() => api(people.developer, 'POST', at(project, '/deployments'), make)),
      'deployment',
    );
    const id = made?.json.deployment_id as number;
    const [done] = await bodiesOf(() =>
      api(people.developer, 'PUT', at(project, `/deployments/${id}`), { status: 'success' }),
    );
    expect([made?.action, done?.action]).toEqual(['running', 'success']);
    expect(done).toMatchObject({
      ...{ objectKey: `deployment:${id}`, ref: 'main', feature: 'repository' },
      json: { environment: 'review/a', environment_tier: 'development', short_sha: sha.slice(0, 8) },
    });
  });

  test('tell of releases with the commit of their tag', async () => {
    const project = await newProject();
    const release = { tag_name: 'v1', ref: 'main', description: 'First' };
    const told = await bodiesOf(() => api(people.developer, 'POST', at(project, '/releases'), release));
    expect(ofKind(told, 'release')).toMatchObject([
      {
        ...{ action: 'create', ref: 'v1', feature: 'repository', actorId: people.developer.id },
        json: { tag: 'v1', description: 'First', commit: { id: await head(project, 'main') }, assets: { count: 3 } },
      },
    ]);
  });

  test('tell of trains: who was added, who was removed and on which evidence, and that it pauses', async () => {
    const trains = (bodies: readonly Shown[]) =>
      ofKind(bodies, 'merge_request').flatMap(({ json }) => json.merge_train ?? []);
    const after = await lastEvent();
    const project = await withTrain(2);
    const { 1: car } = await tested(project, [1, 2]);
    expect(trains(shown(await render(await eventsAfter(after))))).toMatchObject([
      { event: 'added', target_branch: 'main', position: 1 },
      { event: 'added', target_branch: 'main', position: 2 },
    ]);
    /** The one thing of this kind that is told of the train after an event; a job may publish it. */
    const told = (afterEvent: number, event: string): Promise<Body> =>
      eventually(async () => {
        const found = trains(shown(await render((await eventsAfter(afterEvent)).slice(0, 100))));
        const [one, ...more] = found.filter((happened) => happened.event === event);
        expect([one?.event, more]).toEqual([event, []]);
        return one;
      });
    const running = await lastEvent();
    await control(project, { state: 'paused', reason: 'Freeze' });
    expect(await told(running, 'paused')).toMatchObject({ reason: 'Freeze', until: null, target_failing: false });
    await control(project, { state: 'running' });
    await report(project, car, 'failed', 'build');
    const removed = await told(running, 'removed');
    expect(removed).toMatchObject({
      ...{ event: 'removed', reason: 'pipeline_failed', added_by_id: people.maintainer.id },
      evidence: { pipeline_id: car.pipeline.id, statuses: [{ name: 'build', target_url: null }], reruns: 0 },
    });
  });

  test('cost the same statements for 2 and for 100 events, and keep their order', async () => {
    await withRequest();
    await withRequest();
    const events = (await eventsAfter(0)).filter(({ type }) => type !== 'repository.measured');
    const chosen = (count: number): HookEvent[] =>
      ['merge_request.changed', 'repository.pushed', 'pipeline.changed', 'deployment.changed'].flatMap((type) => {
        const some = events.filter((event) => event.type === type);
        return Array.from({ length: count }, (_, at) => some[at % some.length]!);
      });
    const [service] = harness.beside.hookBodies.services ?? [];
    const cost = (count: number) =>
      countStatements(async () => service!.handlers.renderHookBodies!({ events: chosen(count) } as never, {} as never));
    const few = await cost(1);
    expect(await cost(25)).toMatchObject({ statements: few.statements });
    expect(few.statements).toBeLessThanOrEqual(8);
    const answer = await render(chosen(25));
    expect(answer.rendered.map(({ eventId }) => eventId)).toEqual(chosen(25).map(({ id }) => id));
  });

  test('are for groups-admin alone, at most 100 events at once, and refuse what is no event', async () => {
    const ask = { requestId: 'test' };
    await expect(
      harness.asCollaboration(HookBodyServiceService).renderHookBodies({ events: [] }, ask),
    ).rejects.toMatchObject({ kind: 'forbidden' });
    const one = { id: 'x', type: 'issue.changed', body: '{}' };
    expect(await render([one])).toEqual({ rendered: [{ eventId: 'x', bodies: [] }] });
    await expect(render(Array.from({ length: 101 }, () => one))).rejects.toMatchObject({ kind: 'bad_request' });
    await expect(
      harness.asGroupsAdmin(HookBodyServiceService).renderHookParts({ mergeRequestIds: [], commits: [] }, ask),
    ).rejects.toMatchObject({ kind: 'forbidden' });
    await expect(
      parts(
        Array.from({ length: 101 }, () => 1),
        [],
      ),
    ).rejects.toMatchObject({ kind: 'bad_request' });
    const broken = { ...one, type: 'pipeline.changed', body: '[]' };
    await expect(render([broken])).rejects.toMatchObject({ kind: 'invalid' });
  });
});
