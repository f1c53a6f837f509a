import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { DependencySourceServiceService } from '@switchyard/protos/merge_requests/v1/dependency_source';
import { PipelineServiceService } from '@switchyard/protos/merge_requests/v1/pipeline';
import { anonymous } from '@switchyard/rpc';
import { eventually } from '@switchyard/testkit';
import { json } from '@switchyard/testkit/installation';
import { rotateSecrets } from '../../src/pipelines';
import { variablesOfProjects } from '../support/stand-ins';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, jobOf, type Person, people, startHarness } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, events, newProject, open, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

describe('pipelines', () => {
  test('give Maintainers job tokens of their user, which end with each run (G-5-13)', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const make = async () =>
      (await api(people.developer, 'POST', at(project, '/pipeline'), { ref: 'feature' })).body as Body;
    const made = await make();
    const issue = (who: Person, id = made.id) => api(who, 'POST', at(project, `/pipelines/${id}/job_token`));
    const run = (number: number, id = made.id) => `glcbt-${id}-${number}-${made.user.id}`;
    const ended = async () =>
      (
        await harness.db.query<{ event_id: string }>(
          sql`select event_id from events.outbox where event_id like 'pipeline_run_ended:%' order by id`,
        )
      ).map(({ event_id: id }) => id);
    expect((await issue(people.developer)).status).toBe(403);
    expect(await issue(people.maintainer)).toMatchObject({
      status: 201,
      body: { token: run(0), expires_at: '2030-01-01T00:00:00.000Z' },
    });
    expect((await issue(people.maintainer)).body.token).toBe(run(0));
    // One without a job token has no end of a run.
    const plain = await make();
    await api(people.developer, 'POST', at(project, `/pipelines/${plain.id}/cancel`));
    expect(await ended()).toEqual([]);

    await api(people.developer, 'POST', at(project, `/pipelines/${made.id}/cancel`));
    expect(await ended()).toEqual([`pipeline_run_ended:${made.id}:0`]);
    expect(await issue(people.maintainer)).toMatchObject({ status: 409 });
    await api(people.developer, 'POST', at(project, `/pipelines/${made.id}/retry`));
    expect((await issue(people.maintainer)).body.token).toBe(run(1));
    const report = { pipeline_id: made.id, ref: 'feature', name: 'build' };
    await status(project, made.sha, { ...report, state: 'failed' });
    expect(await ended()).toContain(`pipeline_run_ended:${made.id}:1`);
    await api(people.developer, 'POST', at(project, `/pipelines/${made.id}/retry`));
    expect((await issue(people.maintainer)).body.token).toBe(run(2));
    await api(people.owner, 'DELETE', at(project, `/pipelines/${made.id}`));
    expect((await ended()).slice(-1)).toEqual([`pipeline_run_ended:${made.id}:2`]);
    expect((await issue(people.maintainer)).status).toBe(404);
  });

  test('are given to packages by their ids, for who may read them (G-4.17-1)', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const { body: made } = await api(people.developer, 'POST', at(project, '/pipeline'), { ref: 'feature' });
    const asked = (userId: number, admin = false, projectId = project.id) =>
      harness
        .asPackages(PipelineServiceService)
        .batchGetPipelines(
          { projectId, pipelineIds: [made.id, made.id + 1_000_000] },
          { requestId: 'test', actor: { ...anonymous, userId, admin } },
        );
    const { body: listed } = await api(people.developer, 'GET', at(project, '/pipelines'));
    const { name: _, ...basic } = listed[0] as Body;
    const shown = { ...basic, user: expect.objectContaining({ id: made.user.id }) };
    expect(json(await asked(1, true))).toEqual([shown]);
    await expect(asked(999_999)).rejects.toMatchObject({ kind: 'forbidden' });
    expect(json(await asked(1, true, 0))).toEqual([shown]);
    expect(json(await asked(999_999, false, 0))).toEqual([]);
  });

  test('of a branch or tag that is there, the newest one is known to imports-exports', async () => {
    const project = await newProject();
    await commit(project, 'gone', { 'one.txt': 'one\n' }, { start: 'main' });
    await api(people.maintainer, 'POST', at(project, '/repository/tags'), { tag_name: 'v1', ref: 'main' });
    const make = async (ref: string): Promise<number> =>
      (await api(people.maintainer, 'POST', at(project, '/pipeline'), { ref })).body.id;
    const older = await make('main');
    const pipelineIds = [older, await make('main'), await make('v1'), await make('gone')];
    const newest = async (projectId = project.id) => {
      const request = { projectId, pipelineIds: [...pipelineIds, 1_000_000] };
      const found = await harness
        .asImports(DependencySourceServiceService)
        .listNewestPipelines(request, { requestId: '' });
      return found.pipelineIds.sort((one, other) => one - other);
    };
    expect(await newest()).toEqual(pipelineIds.slice(1));
    await api(people.maintainer, 'DELETE', at(project, '/repository/branches/gone'));
    expect(await newest()).toEqual(pipelineIds.slice(1, 3));
    await expect(newest(1_000_000)).rejects.toMatchObject({ kind: 'not_found' });
  });

  test('are made and finished by statuses, listed, cancelled and retried', async () => {
    const project = await newProject();
    const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const opened = await open(project, 'feature');
    const first = await status(project, sha, {
      state: 'pending',
      ref: 'feature',
      name: 'build',
      target_url: 'https://ci.test/1',
    });
    expect(first).toMatchObject({
      status: 201,
      body: {
        status: 'pending',
        name: 'build',
        ref: 'feature',
        sha,
        target_url: 'https://ci.test/1',
        author: { id: 3 },
      },
    });
    expect((await status(project, sha, { state: 'pending', ref: 'feature', name: 'build' })).body.id).toBe(
      first.body.id,
    );
    const pipelineId = first.body.pipeline_id;
    const pipeline = async () => (await api(people.reporter, 'GET', at(project, `/pipelines/${pipelineId}`))).body;
    expect(await pipeline()).toMatchObject({ status: 'pending', iid: 1, source: 'external', ref: 'feature' });
    await status(project, sha, {
      state: 'running',
      ref: 'feature',
      name: 'build',
      coverage: 81.5,
      description: 'Building',
    });
    expect(await pipeline()).toMatchObject({ status: 'running', coverage: '81.50' });
    expect((await api(people.developer, 'GET', mr(project, 1))).body).toMatchObject({
      head_pipeline: { id: pipelineId, status: 'running' },
      pipeline: { id: pipelineId },
    });
    expect((await status(project, sha, { state: 'pending', ref: 'feature', name: 'build' })).status).toBe(400);
    await status(project, sha, { state: 'success', ref: 'feature', name: 'build' });
    await status(project, sha, { state: 'failed', ref: 'feature', name: 'test' });
    expect(await pipeline()).toMatchObject({ status: 'failed', detailed_status: { text: 'Failed' } });
    expect(await events(opened.id)).toEqual(['created', 'pipelineFailed']);
    const retried = await api(people.developer, 'POST', at(project, `/pipelines/${pipelineId}/retry`));
    expect(retried).toMatchObject({ status: 201, body: { status: 'running', finished_at: null } });
    const cancelled = await api(people.developer, 'POST', at(project, `/pipelines/${pipelineId}/cancel`));
    expect(cancelled.body.status).toBe('canceled');
    const list = await api(people.reporter, 'GET', at(project, `/repository/commits/${sha}/statuses?all=true`));
    expect(list.body.map((row: Body) => [row.name, row.status])).toEqual([
      ['build', 'success'],
      ['test', 'failed'],
      ['test', 'canceled'],
    ]);
    const made = await api(people.developer, 'POST', at(project, '/pipeline'), { ref: 'feature' });
    expect(made).toMatchObject({ status: 201, body: { status: 'created', iid: 2 } });
    expect((await api(people.developer, 'POST', at(project, '/pipeline'), { ref: 'nowhere' })).status).toBe(400);
    const own = await api(people.developer, 'POST', mr(project, 1, '/pipelines'));
    expect(own).toMatchObject({
      status: 200,
      body: { source: 'merge_request_event', ref: 'refs/merge-requests/1/head' },
    });
    expect((await api(people.reporter, 'GET', mr(project, 1, '/pipelines'))).body.map((row: Body) => row.iid)).toEqual([
      3, 2, 1,
    ]);
    for (const query of [
      'scope=pending',
      'status=created',
      'ref=feature&sort=asc',
      `sha=${sha}&username=USER3`,
      'source=api',
      'scope=branches',
    ]) {
      const found = await api(people.reporter, 'GET', at(project, `/pipelines?${query}`));
      expect([query, found.body.length > 0]).toEqual([query, true]);
    }
    expect((await status(project, 'f'.repeat(40), { state: 'success' })).status).toBe(404);
    expect((await status(project, sha, { state: 'done' })).body).toEqual({
      error: 'state does not have a valid value',
    });
    expect((await status(project, sha, { state: 'success' }, people.reporter)).status).toBe(403);
  });

  test('have their status names as jobs, newest first', async () => {
    const project = await newProject();
    const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const report = (name: string, state: string, more: object = {}) =>
      status(project, sha, { ref: 'feature', name, state, ...more });
    const log = 'https://ci.test/1?a=b&c';
    const build = (await report('build', 'running', { target_url: log, coverage: 81.5 })).body;
    await report('build', 'failed');
    const again = (await report('build', 'running')).body;
    const test = (await report('test', 'success')).body;
    const jobs = async (path: string, by: Person = people.reporter) => {
      const reply = await api(by, 'GET', at(project, path));
      return reply.status === 200 ? reply.body.map((job: Body) => [job.id, job.name, job.status]) : reply.status;
    };
    const rows = {
      build: [build.id, 'build', 'failed'],
      again: [again.id, 'build', 'running'],
      test: [test.id, 'test', 'success'],
    };
    expect(await jobs('/jobs')).toEqual([rows.test, rows.again, rows.build]);
    expect(await jobs('/jobs?scope=failed')).toEqual([rows.build]);
    expect(await jobs('/jobs?scope[]=running&scope[]=success')).toEqual([rows.test, rows.again]);
    expect(await jobs('/jobs?scope=manual')).toEqual([]);
    expect(await jobs('/jobs?scope=done')).toBe(400);
    const own = `/pipelines/${build.pipeline_id}/jobs`;
    expect(await jobs(own)).toEqual([rows.test, rows.again]);
    expect(await jobs(`${own}?include_retried=true`)).toEqual([rows.test, rows.again, rows.build]);
    expect(await jobs('/pipelines/999999/jobs')).toBe(404);
    expect(await jobs('/jobs', people.guest)).toBe(403);
    const one = (await api(people.reporter, 'GET', at(project, `/jobs/${build.id}`))).body;
    expect(one).toMatchObject({
      stage: 'external',
      ref: 'feature',
      tag: false,
      coverage: 81.5,
      user: { id: people.developer.id },
      commit: { id: sha, title: 'Change one.txt' },
      pipeline: { id: build.pipeline_id, status: 'running', sha },
      web_url: `http://switchyard.test/${project.path}/-/jobs/${build.id}`,
    });
    expect(one.duration).toBeGreaterThanOrEqual(0);
    expect((await api(people.reporter, 'GET', at(project, `/jobs/${again.id}`))).body.duration).toBeNull();
    const trace = await harness.api(people.reporter, 'GET', at(project, `/jobs/${build.id}/trace`));
    expect([trace.status, trace.headers.get('content-type'), trace.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      `The log of this job is at ${log}\n`,
    ]);
    const elsewhere = await newProject();
    for (const [where, id] of [
      [project, test.id],
      [elsewhere, build.id],
      [project, 999_999],
    ] as const)
      expect((await harness.api(people.reporter, 'GET', at(where, `/jobs/${id}/trace`))).status).toBe(404);
    expect((await api(people.reporter, 'GET', at(elsewhere, `/jobs/${build.id}`))).status).toBe(404);
    const cost = async (perPage: number) =>
      (await api(people.reporter, 'GET', at(project, `/jobs?per_page=${perPage}`))).headers.get('x-switchyard-cost');
    expect(await cost(3)).toBe(await cost(1));
  });

  test('keep the variables that they are made with, for Maintainers and for who made them', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const make = (variables: unknown) =>
      api(people.developer, 'POST', at(project, '/pipeline'), { ref: 'feature', variables });
    const longest = 'é'.repeat(10_000);
    const made = await make([
      { key: ' TARGET ', value: 'staging' },
      { key: 'KEY_1', value: 'line 1\nline 2 $TARGET ', variable_type: 'file' },
      { key: 'b'.repeat(255), value: longest },
      { key: 'EMPTY' },
    ]);
    expect(made.status).toBe(201);
    const of = (person: Person | undefined, id = made.body.id) =>
      api(person, 'GET', at(project, `/pipelines/${id}/variables`));
    const stored = [
      { variable_type: 'env_var', key: 'TARGET', value: 'staging', raw: false },
      { variable_type: 'file', key: 'KEY_1', value: 'line 1\nline 2 $TARGET ', raw: false },
      { variable_type: 'env_var', key: 'b'.repeat(255), value: longest, raw: false },
      { variable_type: 'env_var', key: 'EMPTY', value: '', raw: false },
    ];
    expect(await of(people.developer)).toMatchObject({ status: 200, body: stored });
    // D7: encrypted, as a rotation leaves what an earlier release stored.
    const rows = () =>
      harness.db.query<{ value: string | null; sealed: Buffer | null }>(
        sql`select value, sealed from pipeline_variables where pipeline_id = ${made.body.id} order by id`,
      );
    const first = (await rows())[0];
    expect([first?.value, first?.sealed?.includes('staging')]).toEqual([null, false]);
    await harness.db.query(
      sql`update pipeline_variables set value = 'earlier', sealed = null where pipeline_id = ${made.body.id} and key = 'EMPTY'`,
    );
    const earlier = stored.map((one) => (one.key === 'EMPTY' ? { ...one, value: 'earlier' } : one));
    expect((await of(people.developer)).body).toEqual(earlier);
    const lines: string[] = [];
    const keyFile = join(__dirname, '../support/secrets.key');
    const given = { db: harness.db, bus: () => ({}) as never, write: (line: string) => void lines.push(line) };
    expect(await rotateSecrets.run(given, [], { SWITCHYARD_MERGE_REQUESTS_SECRETS_KEY_FILE: keyFile })).toBe(0);
    expect(lines).toEqual([expect.stringMatching(/^variables of pipelines: 1 encrypted with key/)]);
    expect((await rows()).map(({ value }) => value)).toEqual([null, null, null, null]);
    expect((await of(people.developer)).body).toEqual(earlier);
    await harness.db.query(sql`delete from pipeline_variables where pipeline_id = ${made.body.id} and key = 'EMPTY'`);
    stored.pop();
    expect((await of(people.maintainer)).body).toEqual(stored);
    expect((await of(people.reporter)).status).toBe(403);
    const own = await api(people.maintainer, 'POST', at(project, '/pipeline'), { ref: 'feature' });
    expect((await of(people.maintainer, own.body.id)).body).toEqual([]);
    expect((await of(people.developer, own.body.id)).status).toBe(403);
    expect(await of(people.maintainer, 999_999)).toMatchObject({
      status: 404,
      body: { message: '404 Pipeline Not Found' },
    });
    const elsewhere = await newProject();
    expect((await api(people.maintainer, 'GET', at(elsewhere, `/pipelines/${made.body.id}/variables`))).status).toBe(
      404,
    );

    const key = (name: string) => ({ key: name, value: '' });
    const refused: [variables: unknown, message: object][] = [
      [
        [
          key(''),
          key('A B'),
          key('é'),
          key(`${'x'.repeat(256)}`),
          { key: 'V', value: `${longest}x` },
          key('W'),
          key('W'),
        ],
        {
          'variables.key': [
            "can't be blank",
            "can contain only letters, digits and '_'.",
            'is too long (maximum is 255 characters)',
          ],
          'variables.value': ['is too long (maximum is 10000 characters)'],
          base: ['Duplicate variable name: W'],
        },
      ],
      [
        Array.from({ length: 201 }, (_, index) => key(`K${index}`)),
        { variables: ['is too long (maximum is 200 variables)'] },
      ],
    ];
    for (const [variables, message] of refused)
      expect(await make(variables)).toMatchObject({ status: 400, body: { message } });
    expect((await make(Array.from({ length: 200 }, (_, index) => key(`K${index}`)))).status).toBe(201);
    expect((await api(people.reporter, 'GET', at(project, '/pipelines'))).body).toHaveLength(3);

    expect((await api(people.owner, 'DELETE', at(project, `/pipelines/${made.body.id}`))).status).toBe(204);
    expect((await of(people.developer)).status).toBe(404);
    const left = sql`select 1 from pipeline_variables where pipeline_id = ${made.body.id}`;
    expect(await harness.db.query(left)).toEqual([]);
  });

  test('an outside CI reads what a pipeline gets, with its job token or as a Maintainer', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const variable = (key: string, value: string, given: object = {}) => ({
      ...{ key, value, variableType: 'env_var', isProtected: false, masked: false, raw: false },
      ...{ environmentScope: '*', source: 'project', ...given },
    });
    variablesOfProjects.variables = [
      variable('A', 'inherited', { source: 'instance' }),
      variable('DARK', 'hidden value', { masked: true, hidden: true }),
      variable('OVER', 'inherited', { masked: true }),
      variable('SAFE', 'protected', { isProtected: true, source: 'group', variableType: 'file' }),
    ];
    const own = [{ key: 'OVER', value: 'own' }];
    const posted = await api(people.developer, 'POST', at(project, '/pipeline'), { ref: 'feature', variables: own });
    const made = posted.body.id;
    const read = (person: Person | undefined, query = '', id = made) =>
      api(person, 'GET', at(project, `/pipelines/${id}/ci_variables${query}`));
    const shownOf = (reply: { body: Body }) => reply.body.map((one: Body) => [one.key, one.value, one.source]);
    const forUsers = [
      ['A', 'inherited', 'instance'],
      ['DARK', null, 'project'],
      ['OVER', 'own', 'pipeline'],
    ];
    expect(shownOf(await read(people.maintainer))).toEqual(forUsers);
    const job = jobOf(project.id, made);
    expect(shownOf(await read(job))).toEqual(forUsers.with(1, ['DARK', 'hidden value', 'project']));
    expect(await read(people.maintainer, '?environment=review%2F1')).toMatchObject({ status: 200 });
    expect(variablesOfProjects.requests.at(-1)).toEqual({
      projectId: project.id,
      protectedRef: false,
      environment: 'review/1',
      withHidden: false,
    });
    const requests = variablesOfProjects.requests.length;
    for (const person of [people.developer, people.reporter, jobOf(project.id + 1, made)])
      expect((await read(person)).status).toBe(403);
    expect((await read(jobOf(project.id, made + 1))).body).toEqual({ message: '404 Pipeline Not Found' });
    expect((await read(undefined)).status).toBe(404);
    expect((await read(people.maintainer, '', 999_999)).body).toEqual({ message: '404 Pipeline Not Found' });
    expect(variablesOfProjects.requests).toHaveLength(requests);

    // Protected: a branch that is, and a merge request between two that are, caused by who may push and merge.
    await open(project, 'feature');
    const isProtected = async (id: number) =>
      (await read(people.maintainer, '', id)).body.some(({ key }: Body) => key === 'SAFE');
    const make = async (person: Person, path: string, body?: object) =>
      (await api(person, 'POST', path, body)).body.id as number;
    const ofHead = (person: Person) => make(person, mr(project, 1, '/pipelines'));
    expect(await isProtected(await make(people.maintainer, at(project, '/pipeline'), { ref: 'main' }))).toBe(true);
    expect(await isProtected(made)).toBe(false);
    expect(await isProtected(await ofHead(people.maintainer))).toBe(false);
    await api(people.maintainer, 'POST', at(project, '/protected_branches'), { name: 'feature' });
    const [trusted, other] = [await ofHead(people.maintainer), await ofHead(people.developer)];
    expect([await isProtected(trusted), await isProtected(other)]).toEqual([true, false]);
    await harness.db.query(sql`update directory.users set state = 'blocked' where id = 2`);
    expect((await read(people.owner, '', trusted)).body.some(({ key }: Body) => key === 'SAFE')).toBe(false);
    await harness.db.query(sql`update directory.users set state = 'active' where id = 2`);
    await api(people.maintainer, 'POST', at(project, '/repository/tags'), { tag_name: 'v1', ref: 'main' });
    expect(await isProtected(await make(people.developer, at(project, '/pipeline'), { ref: 'v1' }))).toBe(false);
    variablesOfProjects.variables = [];
  });

  test('auto-merge merges when the last status arrives; a push takes it back; it can be cancelled', async () => {
    const project = await newProject({ only_allow_merge_if_pipeline_succeeds: true });
    const sha = await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    await open(project, 'feature');
    expect((await checked(project, 1)).detailed_merge_status).toBe('ci_must_pass');
    expect((await api(people.maintainer, 'PUT', mr(project, 1, '/merge'))).status).toBe(405);
    await status(project, sha, { state: 'running', ref: 'feature', name: 'a' });
    await status(project, sha, { state: 'pending', ref: 'feature', name: 'b' });
    expect((await checked(project, 1)).detailed_merge_status).toBe('ci_still_running');
    const set = () => api(people.maintainer, 'PUT', mr(project, 1, '/merge'), { merge_when_pipeline_succeeds: true });
    expect(await set()).toMatchObject({
      status: 200,
      body: { merge_when_pipeline_succeeds: true, merge_user: { id: 2 }, merged_by: null, state: 'opened' },
    });
    const cancel = (by: Person) => api(by, 'POST', mr(project, 1, '/cancel_merge_when_pipeline_succeeds'));
    expect((await cancel(people.reporter)).status).toBe(401);
    expect(await cancel(people.maintainer)).toMatchObject({ status: 201, body: { status: 'success' } });
    expect((await cancel(people.maintainer)).status).toBe(406);
    await set();
    const second = await commit(project, 'feature', { 'two.txt': 'two\n' });
    expect((await api(people.developer, 'GET', mr(project, 1))).body).toMatchObject({
      merge_when_pipeline_succeeds: false,
      head_pipeline: null,
    });
    await status(project, second, { state: 'running', ref: 'feature', name: 'a' });
    await checked(project, 1);
    expect((await set()).status).toBe(200);
    await status(project, second, { state: 'success', ref: 'feature', name: 'a' });
    await eventually(async () => {
      expect((await api(people.developer, 'GET', mr(project, 1))).body).toMatchObject({
        state: 'merged',
        merge_user: { id: 2 },
        merge_when_pipeline_succeeds: false,
      });
    });
  });

  test('statuses of a protected branch take the right to push to it, and a name that is a ref', async () => {
    const project = await newProject();
    const tip = await commit(project, 'main', { 'two.txt': 'two\n' });
    const report = (person: Person, body: object) =>
      api(person, 'POST', at(project, `/statuses/${tip}`), { state: 'success', ...body });
    const pipelines = async () => (await api(people.reporter, 'GET', at(project, '/pipelines'))).body.length;
    for (const ref of [undefined, 'main', 'refs/heads/main']) {
      expect((await report(people.developer, { ref })).status).toBe(403);
    }
    const invalid = [
      'refs/merge-requests/1/train\n',
      'refs/merge-requests/1/train ',
      'main\n',
      'a..b',
      '-x',
      'refs/',
      'refs/heads/refs/merge-requests/1/train',
      'refs/heads/',
      '@{-1}',
      'main~1',
    ];
    for (const ref of invalid) {
      expect(await report(people.maintainer, { ref })).toMatchObject({
        status: 400,
        body: { error: 'ref is invalid' },
      });
    }
    expect(await pipelines()).toBe(0);
    const made = await report(people.maintainer, { ref: 'main' });
    expect(made.status).toBe(201);
    expect((await report(people.developer, { pipeline_id: made.body.pipeline_id })).status).toBe(403);
    expect((await report(people.developer, { ref: 'free' })).status).toBe(201);
    // A tag of the same name is another ref.
    const ofTag = await report(people.developer, { ref: 'refs/tags/main', state: 'failed' });
    expect(ofTag.body.pipeline_id).not.toBe(made.body.pipeline_id);
    expect(await pipelines()).toBe(3);
  });

  test('auto-merge is taken back when the project was archived before its time came', async () => {
    const project = await newProject();
    await commit(project, 'feature', { 'one.txt': 'one\n' }, { start: 'main' });
    const tip = await commit(project, 'main', { 'two.txt': 'two\n' });
    await open(project, 'feature', { merge_after: new Date(Date.now() + 2_000).toISOString() });
    expect((await checked(project, 1)).detailed_merge_status).toBe('merge_time');
    expect((await api(people.maintainer, 'PUT', mr(project, 1, '/merge'), { auto_merge: true })).body).toMatchObject({
      state: 'opened',
      merge_when_pipeline_succeeds: true,
    });
    await harness.db.query(sql`update directory.projects set archived = true where id = ${project.id}`);
    await eventually(
      async () =>
        expect((await api(people.maintainer, 'GET', mr(project, 1))).body).toMatchObject({
          state: 'opened',
          merge_when_pipeline_succeeds: false,
          merge_error: 'The project was archived.',
        }),
      { within: 20_000 },
    );
    expect((await api(people.maintainer, 'GET', at(project, '/repository/branches/main'))).body.commit.id).toBe(tip);
  });
});
