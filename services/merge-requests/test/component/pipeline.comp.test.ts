import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, type Person, people, startHarness } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, events, newProject, open, status } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

describe('pipelines', () => {
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
