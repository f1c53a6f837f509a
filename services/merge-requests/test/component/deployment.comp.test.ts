import { sql } from '@switchyard/database/sql';
import { at, type Body, mergeRequestSteps, mr } from './merge-request-steps';
import { type Harness, jobOf, type Person, people, startHarness, type TestProject } from './repository-harness';

let harness: Harness;
const { api, addMembers, checked, commit, configure, head, newProject, open } = mergeRequestSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness();
  await addMembers();
});
afterAll(() => harness?.close());

const environments = (project: TestProject, path = '') => at(project, `/environments${path}`);
const deployments = (project: TestProject, path = '') => at(project, `/deployments${path}`);
const names = (rows: Body[]) => rows.map(({ name }) => name);

async function deploy(project: TestProject, sha: string, more: object = {}, by: Person = people.developer) {
  return api(by, 'POST', deployments(project), {
    environment: 'production',
    sha,
    ref: 'main',
    tag: false,
    status: 'success',
    ...more,
  });
}

/** Merges a branch with one file; the commit that main has then. */
async function merged(project: TestProject, name: string): Promise<{ iid: number; sha: string }> {
  await commit(project, name, { [`${name}.txt`]: name }, { start: 'main' });
  const { iid } = await open(project, name);
  await checked(project, iid);
  const reply = await api(people.maintainer, 'PUT', mr(project, iid, '/merge'));
  expect([reply.status, reply.body.state]).toEqual([200, 'merged']);
  return { iid, sha: (await head(project, 'main')) as string };
}

describe('environments', () => {
  test('are made, changed, listed by name, stopped and deleted', async () => {
    const project = await newProject();
    const make = (body: object, by: Person | undefined = people.developer) =>
      api(by, 'POST', environments(project), body);
    const made = await make({ name: 'review/fix-foo', external_url: 'https://foo.example', description: 'For foo' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'review/fix-foo',
        slug: expect.stringMatching(/^review-fix-foo-/),
        external_url: 'https://foo.example',
        description: 'For foo',
        tier: 'development',
        state: 'available',
        auto_stop_at: null,
      },
    });
    const one = environments(project, `/${made.body.id}`);
    expect(await make({ name: 'review/fix-foo' })).toMatchObject({
      status: 400,
      body: { message: { name: ['has already been taken'] } },
    });
    expect((await make({ name: 'production', tier: 'other' })).body.tier).toBe('other');
    expect((await make({ name: 'Live' })).body.tier).toBe('production');
    const list = async (query = '', by: Person = people.reporter) =>
      names((await api(by, 'GET', environments(project, query))).body);
    expect((await list()).sort()).toEqual(['Live', 'production', 'review/fix-foo']);
    expect(await list('?name=production')).toEqual(['production']);
    expect(await list('?search=FIX')).toEqual(['review/fix-foo']);
    expect(await list('?search=%25')).toEqual([]);

    expect(await api(people.developer, 'PUT', one, { tier: 'staging', description: null })).toMatchObject({
      status: 200,
      body: { tier: 'staging', description: null, external_url: 'https://foo.example' },
    });
    expect((await api(people.developer, 'DELETE', one)).status).toBe(403);
    expect(await api(people.developer, 'POST', `${one}/stop`)).toMatchObject({
      status: 200,
      body: { state: 'stopped' },
    });
    expect((await api(people.developer, 'POST', `${one}/stop`)).body.state).toBe('stopped');
    expect(await list('?states=stopped')).toEqual(['review/fix-foo']);
    expect((await list('?states=available')).length).toBe(2);
    expect(await list('?states=stopping')).toEqual([]);
    expect(await api(people.reporter, 'GET', one)).toMatchObject({ status: 200, body: { last_deployment: null } });
    expect((await api(people.developer, 'DELETE', one)).status).toBe(204);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await api(people.developer, method, one, method === 'PUT' ? {} : undefined)).status).toBe(404);
    }
    const elsewhere = await newProject();
    const [other] = (await api(people.reporter, 'GET', environments(project))).body;
    expect((await api(people.developer, 'GET', environments(elsewhere, `/${other.id}`))).status).toBe(404);
    expect((await api(people.developer, 'POST', environments(elsewhere, `/${other.id}/stop`))).status).toBe(404);
  });

  test('are read by Reporters and written by Developers', async () => {
    const project = await newProject();
    const body = { name: 'staging' };
    expect((await api(people.reporter, 'POST', environments(project), body)).status).toBe(403);
    expect((await api(people.outsider, 'POST', environments(project), body)).status).toBe(404);
    expect((await api(undefined, 'POST', environments(project), body)).status).toBe(401);
    expect((await api(people.guest, 'GET', environments(project))).status).toBe(403);
    expect((await api(people.outsider, 'GET', environments(project))).status).toBe(404);
    expect((await api(people.reporter, 'GET', environments(project))).body).toEqual([]);
  });

  test('refuse what cannot be one, all at once', async () => {
    const project = await newProject();
    const post = (body: object) => api(people.developer, 'POST', environments(project), body);
    for (const name of ['a\nb', '/a', 'a/', 'é', 'x'.repeat(256)]) {
      expect([name, (await post({ name })).body]).toEqual([name, { message: { name: [expect.any(String)] } }]);
    }
    const wrong = { name: 'a\nb', external_url: 'ftp://x', description: 'x'.repeat(10_001) };
    expect(Object.keys((await post(wrong)).body.message)).toEqual(['name', 'description', 'external_url']);
    expect((await post({ name: ' ', tier: 'moon' })).body).toEqual({
      error: 'name is empty, tier does not have a valid value',
    });
    const both = await api(people.reporter, 'GET', environments(project, '?name=a&search=b'));
    expect(both.status).toBe(400);
    expect((await api(people.reporter, 'GET', environments(project, '?states=up'))).status).toBe(400);
    expect((await api(people.reporter, 'GET', environments(project))).body).toEqual([]);
  });

  test('are a thousand in a list of constant cost', async () => {
    const project = await newProject();
    await harness.db.query(sql`
      insert into environments (project_id, name, slug, tier) select ${project.id}, 'e' || n, 'e' || n, 'other' from generate_series(1, 1000) n`);
    const page = await api(people.reporter, 'GET', environments(project, '?per_page=100&page=10'));
    expect([page.body.length, page.headers.get('x-total')]).toEqual([100, '1000']);
    const few = await api(people.reporter, 'GET', environments(project, '?per_page=2'));
    expect(few.headers.get('x-switchyard-cost')).toBe(page.headers.get('x-switchyard-cost'));
  });

  test('stop by themselves and are deleted by themselves', async () => {
    const project = await newProject();
    const make = async (name: string, more: object = {}) =>
      (await api(people.developer, 'POST', environments(project), { name, ...more })).body;
    const due = await make('review/due', { auto_stop_at: '2020-01-01T00:00:00Z' });
    const later = await make('review/later', { auto_stop_at: '2999-01-01T00:00:00Z' });
    expect(later.auto_stop_at).toBe('2999-01-01T00:00:00.000Z');
    const stay = await make('stay', { auto_stop_at: '2020-01-01T00:00:00Z' });
    const one = (row: Body) => environments(project, `/${row.id}`);
    expect((await api(people.developer, 'PUT', one(stay), { auto_stop_at: null })).body.auto_stop_at).toBeNull();
    const { settleDue } = harness.beside.deployments.environments;
    while (await settleDue(1, new Date()));
    const states = async () =>
      Object.fromEntries(
        (await api(people.reporter, 'GET', environments(project))).body.map((row: Body) => [row.name, row.state]),
      );
    expect(await states()).toEqual({ 'review/due': 'stopped', 'review/later': 'available', stay: 'available' });

    await harness.db.query(sql`update environments set created_at = '2020-01-01' where project_id = ${project.id}`);
    const remove = (body: object) => api(people.developer, 'DELETE', environments(project, '/review_apps'), body);
    const entry = { id: due.id, name: 'review/due', slug: due.slug, external_url: null };
    const planned = { scheduled_entries: [entry], unprocessable_entries: [] };
    expect(await remove({})).toMatchObject({ status: 202, body: planned });
    expect((await remove({ before: '2019-01-01' })).body.scheduled_entries).toEqual([]);
    expect((await remove({ dry_run: false })).body).toEqual(planned);
    expect((await remove({})).body.scheduled_entries).toEqual([]);
    await settleDue(10, new Date(Date.now() + 6 * 86_400_000));
    expect(Object.keys(await states())).toContain('review/due');
    await settleDue(10, new Date(Date.now() + 8 * 86_400_000));
    expect(Object.keys(await states())).not.toContain('review/due');
    expect((await remove({ limit: 1_001 })).status).toBe(400);
    expect((await api(people.reporter, 'DELETE', environments(project, '/review_apps'))).status).toBe(403);
  });

  test('are published when they are made and deleted, each once, and those of before by the sweep', async () => {
    const project = await newProject();
    const published = () =>
      harness.db.query<object>(sql`
        select event_id as id, body ->> 'name' as name from events.outbox
        where key = ${String(project.id)} and type = 'environment.changed' order by outbox.id`);
    const { id: one } = (await api(people.developer, 'POST', environments(project), { name: 'one' })).body;
    expect((await api(people.developer, 'POST', environments(project), { name: 'one' })).status).toBe(400);
    const sha = (await head(project, 'main')) as string;
    for (const _ of [1, 2]) expect((await deploy(project, sha)).status).toBe(201);
    await api(people.developer, 'POST', environments(project, `/${one}/stop`));
    await api(people.developer, 'DELETE', environments(project, `/${one}`));
    const [two] = (await api(people.reporter, 'GET', environments(project))).body;
    expect(await published()).toEqual([
      { id: `environment_created:${one}`, name: 'one' },
      { id: `environment_created:${two.id}`, name: 'production' },
      { id: `environment_deleted:${one}`, name: 'one' },
    ]);
    const [old] = await harness.db.query<{ id: number }>(sql`
      insert into environments (project_id, name, slug, tier) values (${project.id}, 'old', 'old', 'other') returning id`);
    while (await harness.beside.deployments.environments.announce(1));
    expect((await published()).slice(3)).toEqual([{ id: `environment_created:${old?.id}`, name: 'old' }]);
  });

  test('are stopped together when stale', async () => {
    const project = await newProject();
    const sha = (await head(project, 'main')) as string;
    for (const name of ['old', 'used', 'fresh']) await api(people.developer, 'POST', environments(project), { name });
    await harness.db.query(sql`
      update environments set updated_at = '2025-01-01' where project_id = ${project.id} and name <> 'fresh'`);
    await deploy(project, sha, { environment: 'used' });
    const stop = (before: string) => api(people.developer, 'POST', environments(project, '/stop_stale'), { before });
    const week = new Date(Date.now() - 7 * 86_400_000 - 60_000).toISOString();
    expect((await stop(new Date().toISOString())).body).toEqual({ error: 'before does not have a valid value' });
    expect((await stop('1990-01-01')).status).toBe(400);
    expect((await stop(week)).status).toBe(200);
    expect(names((await api(people.reporter, 'GET', environments(project, '?states=stopped'))).body)).toEqual(['old']);
    // A successful deployment starts it again.
    await deploy(project, sha, { environment: 'old' });
    expect((await api(people.reporter, 'GET', environments(project, '?states=stopped'))).body).toEqual([]);
  });
});

describe('deployments', () => {
  test('make their environment, go on, and end once', async () => {
    const project = await newProject();
    const sha = (await head(project, 'main')) as string;
    const made = await deploy(project, sha, { status: 'created' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        iid: 1,
        sha,
        ref: 'main',
        status: 'created',
        user: { id: 3 },
        environment: { name: 'production', slug: 'production', external_url: null },
        deployable: null,
      },
    });
    const one = deployments(project, `/${made.body.id}`);
    const put = (status: string) => api(people.developer, 'PUT', one, { status });
    expect((await put('running')).body.status).toBe('running');
    const { updated_at: before } = (await put('running')).body;
    expect(await api(people.developer, 'DELETE', one)).toMatchObject({
      status: 400,
      body: { message: 'Cannot destroy running deployment' },
    });
    expect((await put('success')).body.status).toBe('success');
    expect((await put('success')).status).toBe(200);
    for (const [status, verb] of [
      ['running', 'run'],
      ['failed', 'drop'],
      ['canceled', 'cancel'],
    ] as const) {
      expect(await put(status)).toMatchObject({
        status: 400,
        body: { message: { status: [`cannot transition via "${verb}"`] } },
      });
    }
    expect((await put('created')).body).toEqual({ error: 'status does not have a valid value' });
    expect((await api(people.reporter, 'GET', one)).body.status).toBe('success');
    expect(before < (await api(people.reporter, 'GET', one)).body.updated_at).toBe(true);
    const environment = environments(project, `/${made.body.environment.id}`);
    expect((await api(people.reporter, 'GET', environment)).body.last_deployment).toMatchObject({
      id: made.body.id,
      sha,
    });
    expect(await api(people.developer, 'DELETE', one)).toMatchObject({
      status: 400,
      body: { message: 'Deployment currently deployed to environment' },
    });
    await deploy(project, sha);
    expect((await api(people.developer, 'DELETE', one)).status).toBe(204);
    expect((await api(people.developer, 'GET', one)).status).toBe(404);
    expect((await put('success')).status).toBe(404);
    // Numbers are not given twice.
    expect((await deploy(project, sha)).body.iid).toBe(3);
    const elsewhere = await newProject();
    expect((await api(people.developer, 'GET', deployments(elsewhere, `/${made.body.id}`))).status).toBe(404);
  });

  test('refuse what is not there, all at once, and make nothing then', async () => {
    const project = await newProject();
    const refused = await deploy(project, 'f'.repeat(40), { environment: 'a\nb', ref: 'nowhere' });
    expect(refused).toMatchObject({ status: 400 });
    expect(Object.keys(refused.body.message)).toEqual(['environment', 'sha', 'ref']);
    const sha = (await head(project, 'main')) as string;
    for (const more of [{ ref: 'main', tag: true }, { sha: 'main' }, { sha: sha.slice(0, 10) }, { ref: sha }]) {
      expect((await deploy(project, sha, more)).status).toBe(400);
    }
    expect((await deploy(project, sha, { status: 'blocked' })).body).toEqual({
      error: 'status does not have a valid value',
    });
    expect((await api(people.developer, 'POST', deployments(project), {})).body.error).toBe(
      'environment is missing, sha is missing, ref is missing, tag is missing, status is missing',
    );
    expect((await api(people.reporter, 'GET', deployments(project))).body).toEqual([]);
    expect((await api(people.reporter, 'GET', environments(project))).body).toEqual([]);
    expect((await deploy(project, sha, {}, people.reporter)).status).toBe(403);
  });

  test('are reported with job tokens of the project', async () => {
    const project = await newProject();
    const sha = (await head(project, 'main')) as string;
    const pipeline = (await api(people.maintainer, 'POST', at(project, '/pipeline'), { ref: 'main' })).body;
    const job = jobOf(project.id, pipeline.id);
    const made = await deploy(project, sha, { status: 'running' }, job);
    expect(made).toMatchObject({ status: 201, body: { user: { id: people.developer.id } } });
    const one = deployments(project, `/${made.body.id}`);
    expect((await api(job, 'PUT', one, { status: 'failed' })).body.status).toBe('failed');
    expect((await api(job, 'DELETE', one)).status).toBeGreaterThanOrEqual(400);
  });

  test('are listed by environment, status and time, in every order', async () => {
    const project = await newProject();
    const sha = (await head(project, 'main')) as string;
    await api(people.maintainer, 'POST', at(project, '/repository/tags'), { tag_name: 'v1', ref: 'main' });
    const ids: number[] = [];
    for (const more of [
      { environment: 'a', status: 'success', ref: 'v1', tag: true },
      { environment: 'b', status: 'running' },
      { environment: 'a', status: 'failed' },
    ])
      ids.push((await deploy(project, sha, more)).body.id);
    for (const [index, id] of ids.entries())
      await harness.db.query(sql`
        update deployments set updated_at = ${new Date(`202${9 - index}-01-01`)}, created_at = ${new Date(`201${index}-01-01`)},
          finished_at = case when finished_at is not null then ${new Date(`202${index}-01-01`)}::timestamptz end where id = ${id}`);
    const list = async (query: string) =>
      (await api(people.reporter, 'GET', deployments(project, `?${query}`))).body.map(({ iid }: Body) => iid);
    expect(await list('')).toEqual([1, 2, 3]);
    expect(await list('environment=a')).toEqual([1, 3]);
    expect(await list('environment=nowhere')).toEqual([]);
    expect(await list('status=running')).toEqual([2]);
    expect(await list('status=blocked')).toEqual([]);
    expect(await list('updated_after=2028-06-01')).toEqual([1]);
    expect(await list('updated_before=2028-06-01')).toEqual([2, 3]);
    expect(await list('finished_after=2021-01-01')).toEqual([3]);
    expect(await list('finished_before=2021-01-01')).toEqual([1]);
    for (const [order, wanted] of [
      ['id', [1, 2, 3]],
      ['iid', [1, 2, 3]],
      ['created_at', [1, 2, 3]],
      ['updated_at', [3, 2, 1]],
      ['finished_at', [1, 3, 2]],
      ['ref', [2, 3, 1]],
    ] as const) {
      expect([order, await list(`order_by=${order}`)]).toEqual([order, wanted]);
      expect([order, await list(`order_by=${order}&sort=desc`)]).toEqual([order, [...wanted].reverse()]);
      const first = await api(
        people.reporter,
        'GET',
        deployments(project, `?order_by=${order}&pagination=keyset&per_page=2`),
      );
      const next = await list(
        `order_by=${order}&per_page=2&cursor=${encodeURIComponent(first.headers.get('x-next-cursor') as string)}`,
      );
      expect([...first.body.map(({ iid }: Body) => iid), ...next]).toEqual(wanted);
    }
    expect((await api(people.reporter, 'GET', deployments(project, '?order_by=sha'))).status).toBe(400);
    expect((await api(people.reporter, 'GET', deployments(project, '?status=done'))).status).toBe(400);
  });

  test('bring in the merge requests that landed since the last successful one', async () => {
    const project = await newProject();
    const base = (await head(project, 'main')) as string;
    await deploy(project, base);
    const one = await merged(project, 'one');
    const two = await merged(project, 'two');
    await commit(project, 'three', { 'three.txt': 'three' }, { start: 'main' });
    await open(project, 'three');
    const of = async (id: number, query = '') =>
      (await api(people.reporter, 'GET', deployments(project, `/${id}/merge_requests${query}`))).body
        .map(({ iid }: Body) => iid)
        .sort();
    const failed = (await deploy(project, one.sha, { status: 'failed' })).body;
    const first = (await deploy(project, one.sha)).body;
    const running = (await deploy(project, two.sha, { status: 'running' })).body;
    expect([await of(failed.id), await of(first.id), await of(running.id)]).toEqual([[], [one.iid], []]);
    await api(people.developer, 'PUT', deployments(project, `/${running.id}`), { status: 'success' });
    expect(await of(running.id)).toEqual([two.iid]);
    // Another environment has not seen either; an older commit brings nothing, and the newer one brings it again.
    const staging = (await deploy(project, two.sha, { environment: 'staging' })).body;
    expect(await of(staging.id)).toEqual([one.iid, two.iid]);
    expect(await of(staging.id, '?search=two&state=merged')).toEqual([two.iid]);
    const back = (await deploy(project, one.sha)).body;
    const again = (await deploy(project, two.sha)).body;
    expect([await of(back.id), await of(again.id)]).toEqual([[], [two.iid]]);
    expect((await api(people.reporter, 'GET', deployments(project, '/999999/merge_requests'))).status).toBe(404);

    const listed = async (query: string) =>
      (await api(people.reporter, 'GET', at(project, `/merge_requests?${query}`))).body
        .map(({ iid }: Body) => iid)
        .sort();
    expect(await listed('environment=production')).toEqual([one.iid, two.iid]);
    expect(await listed('environment=nowhere')).toEqual([]);
    expect(await listed('environment=')).toEqual([one.iid, two.iid, 3]);
    const long = '2020-01-01';
    expect(await listed(`deployed_after=${long}`)).toEqual([one.iid, two.iid]);
    expect(await listed(`deployed_before=${long}`)).toEqual([]);
    // One deployment meets them all.
    await harness.db.query(sql`
      update deployment_merge_requests set finished_at = '2019-01-01' where deployment_id = ${staging.id}`);
    expect(await listed(`environment=staging&deployed_after=${long}`)).toEqual([]);
    expect(await listed(`environment=staging&deployed_before=${long}`)).toEqual([one.iid, two.iid]);
    const shown = async (iid: number) =>
      (await api(people.reporter, 'GET', mr(project, iid))).body.first_deployed_to_production_at;
    const finished = async (id: number) =>
      (await harness.db.one<{ at: Date }>(sql`select finished_at as at from deployments where id = ${id}`))?.at;
    expect(await shown(one.iid)).toBe((await finished(first.id))?.toISOString());
    expect(await shown(two.iid)).toBe((await finished(running.id))?.toISOString());
    expect(await shown(3)).toBeNull();
  });

  test('bring in what is landing right now', async () => {
    const project = await newProject();
    await deploy(project, (await head(project, 'main')) as string);
    const sha = await commit(project, 'one', { 'one.txt': 'one' }, { start: 'main' });
    const { id, iid } = await open(project, 'one');
    await checked(project, iid);
    // The branch has moved, and the process that moved it has not said so yet.
    await harness.db.transaction(async (tx) => {
      await tx.query(sql`
        insert into merge_request_merges (merge_request_id, push_id, project_id, target_branch, old_sha, new_sha, source_sha, actor_id)
        values (${id}, gen_random_uuid(), ${project.id}, 'main', ${sha}, ${sha}, ${sha}, 3)`);
      await tx.query(sql`update merge_requests set state = 'locked' where id = ${id}`);
    });
    const { id: deployment } = (await deploy(project, sha)).body;
    const came = (await api(people.reporter, 'GET', deployments(project, `/${deployment}/merge_requests`))).body;
    expect(came.map((row: Body) => row.iid)).toEqual([iid]);
  });

  test('of four that succeed at once bring in each merge request once', async () => {
    const project = await newProject();
    await configure(project, { squash_option: 'always' });
    await deploy(project, (await head(project, 'main')) as string);
    const { sha, iid } = await merged(project, 'one');
    const replies = await Promise.all(Array.from({ length: 4 }, () => deploy(project, sha)));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const rows = await harness.db.query<{ iid: number }>(sql`
      select mr.iid from deployment_merge_requests d join merge_requests mr on mr.id = d.merge_request_id where mr.project_id = ${project.id}`);
    expect(rows.map((row) => row.iid)).toEqual([iid]);
  });

  test('go with their environment', async () => {
    const project = await newProject();
    const { sha, iid } = await merged(project, 'one');
    const { environment } = (await deploy(project, sha)).body;
    expect((await api(people.reporter, 'GET', mr(project, iid))).body.first_deployed_to_production_at).not.toBeNull();
    await api(people.developer, 'POST', environments(project, `/${environment.id}/stop`));
    expect((await api(people.developer, 'DELETE', environments(project, `/${environment.id}`))).status).toBe(204);
    expect((await api(people.reporter, 'GET', deployments(project))).body).toEqual([]);
    expect((await api(people.reporter, 'GET', mr(project, iid))).body.first_deployed_to_production_at).toBeNull();
  });
});
