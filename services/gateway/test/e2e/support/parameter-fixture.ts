import { eventually } from '@switchyard/testkit';
import { setAdministration } from './parameter-administration';
import { setPackages } from './parameter-packages';
import { makePlaceholders } from './placeholders';
import type { System } from './system';

/** Environments and deployments of each kind, with timestamps; what brought in two merge requests. */
async function setDeployments(
  system: System,
  ids: Record<string, number>,
  shas: Record<string, string>,
): Promise<void> {
  const at = `/projects/${ids.main}`;
  for (const [index, [environment, status, ref]] of (
    [
      ['staging', 'success', 'red'],
      ['production', 'failed', 'green'],
      ['production', 'running', 'blue'],
    ] as const
  ).entries()) {
    const {
      status: reply,
      body,
      text,
    } = await system.api('POST', `${at}/deployments`, {
      body: { environment, status, ref: `v-${ref}`, sha: shas[ref], tag: true },
    });
    if (reply !== 201) throw new Error(`POST deployments ${reply} ${text}`);
    await system.query(
      'merge_requests',
      `update deployments set created_at = '${timestamp(index)}', updated_at = '${timestamp(9 - index)}',
        finished_at = case when finished_at is not null then '${timestamp(index)}'::timestamptz end where id = ${body.id}`,
    );
    ids[`deployment ${ref}`] = body.id;
  }
  const [stopped] = await system.query('merge_requests', `select id from environments where name = 'staging'`);
  await system.api('POST', `${at}/environments/${stopped?.id}/stop`);
  ids['deployment of all'] = ids['deployment red'] as number;
  await system.query(
    'merge_requests',
    `insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
      values (${ids['deployment red']}, ${ids['mr two']}, 'staging', false, '${timestamp(0)}'),
        (${ids['deployment green']}, ${ids['mr three']}, 'production', true, '${timestamp(1)}')`,
  );
}

/** Releases of the three tags, with timestamps. */
async function setReleases(system: System, ids: Record<string, number>): Promise<void> {
  for (const [index, tag] of ['v-red', 'v-green', 'v-blue'].entries()) {
    const { status, text } = await system.api('POST', `/projects/${ids.main}/releases`, {
      body: { tag_name: tag, description: 'all', released_at: timestamp(5 - index) },
    });
    if (status !== 201) throw new Error(`POST releases ${status} ${text}`);
    await system.query(
      'merge_requests',
      `update releases set created_at = '${timestamp(index)}', updated_at = '${timestamp(index)}' where tag = '${tag}'`,
    );
  }
}

/** What the parameters are shown on: few objects, which differ in everything that a parameter asks for. */
export interface ParameterFixture {
  readonly ids: Readonly<Record<string, number>>;
  readonly shas: Readonly<Record<string, string>>;
  readonly tokens: Readonly<Record<string, string>>;
  /** Fingerprints of SSH keys, by their title. */
  readonly fingerprints: Readonly<Record<string, string>>;
}

/** Moments of the objects: the first of everything is of 2020, the second of 2021 and so on. */
const timestamp = (index: number, month = 1): string => `${2020 + index}-0${month}-01T00:00:00Z`;

/** Makes the fixture on an empty system. */
export async function setParameterFixture(system: System): Promise<ParameterFixture> {
  const ids: Record<string, number> = { root: 0 };
  const shas: Record<string, string> = {};
  const tokens: Record<string, string> = { root: system.rootToken };
  const send = async (method: string, path: string, body?: unknown, token?: string) => {
    const reply = await system.api(method, path, { body, token });
    if (reply.status >= 300) throw new Error(`${method} ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const post = (path: string, body?: unknown, token?: string) => send('POST', path, body, token);
  ids.root = (await send('GET', '/user')).id;

  for (const name of ['ada', 'bob', 'cat', 'rob', 'eve']) {
    const user = await post('/users', {
      username: name,
      name: name.toUpperCase(),
      email: `${name}@example.com`,
      force_random_password: true,
      external: name === 'bob',
    });
    ids[name] = user.id;
    if (name === 'ada' || name === 'eve')
      tokens[name] = (await post(`/users/${user.id}/personal_access_tokens`, { name: 'own', scopes: ['api'] })).token;
  }
  await post(`/users/${ids.cat}/block`);
  await system.query('groups_admin', `update users set user_type = 'bot' where id = ${ids.rob}`);
  for (const [index, name] of ['alpha', 'beta', 'gamma'].entries()) {
    const made = await post(`/users/${ids.bob}/personal_access_tokens`, { name, scopes: ['api'] });
    if (name === 'alpha') await send('DELETE', `/personal_access_tokens/${made.id}`);
    await system.query(
      'groups_admin',
      `update personal_access_tokens set created_at = '${timestamp(index)}', last_used_at = '${timestamp(2 - index)}',
        expires_at = '${index === 1 ? '2024-06-01' : `${2090 + index}-06-01`}' where id = ${made.id}`,
    );
  }

  // Groups and projects twice over: in a group, and in a user's own namespace.
  ids.house = (await post('/groups', { name: 'House', path: 'house', visibility: 'public' })).id;
  ids.attic = (await post('/groups', { name: 'Attic', path: 'attic', visibility: 'public', parent_id: ids.house })).id;
  ids.cellar = (
    await post('/groups', { name: 'Cellar', path: 'cellar', visibility: 'internal', parent_id: ids.house })
  ).id;
  await post(`/groups/${ids.attic}/members`, { user_id: ids.eve, access_level: 30 });
  await post(`/groups/${ids.cellar}/members`, { user_id: ids.eve, access_level: 50 });
  const first = { visibility: 'public', topics: ['red'], issues_enabled: false };
  const second = { visibility: 'internal', topics: ['blue'], merge_requests_enabled: false };
  for (const [home, path] of [
    ['house', '/projects'],
    ['ada', `/projects/user/${ids.ada}`],
  ] as const) {
    const namespace = home === 'house' ? { namespace_id: ids.house } : {};
    ids[`${home}/one`] = (await post(path, { name: `one`, ...first, ...namespace })).id;
    ids[`${home}/two`] = (await post(path, { name: `two`, ...second, ...namespace })).id;
    await post(`/projects/${ids[`${home}/one`]}/members`, { user_id: ids.eve, access_level: 50 });
    await post(`/projects/${ids[`${home}/two`]}/members`, { user_id: ids.eve, access_level: 20 });
    await post(`/projects/${ids[`${home}/two`]}/archive`);
  }
  // What is in the house is shared with a guild, and the house itself with a lodge.
  ids.guild = (await post('/groups', { name: 'Guild', path: 'guild' })).id;
  ids.lodge = (await post('/groups', { name: 'Lodge', path: 'lodge', visibility: 'public' })).id;
  await post(`/groups/${ids.guild}/members`, { user_id: ids.eve, access_level: 10 });
  for (const shared of [
    `/groups/${ids.attic}`,
    `/groups/${ids.cellar}`,
    `/projects/${ids['house/one']}`,
    `/projects/${ids['house/two']}`,
  ])
    await post(`${shared}/share`, { group_id: ids.guild, group_access: 10 });
  await post(`/groups/${ids.house}/share`, { group_id: ids.lodge, group_access: 10 });
  await post('/topics', { name: 'green', title: 'Green' });
  for (const { id, name } of await send('GET', '/topics')) ids[`topic ${name}`] = id;
  ids['attic/three'] = (await post('/projects', { name: 'three', visibility: 'public', namespace_id: ids.attic })).id;
  const starred = ['house/one', 'house/two', 'ada/one', 'ada/two', 'attic/three'];
  await system.query(
    'groups_admin',
    `insert into project_stars (project_id, user_id) values (${ids['house/one']}, ${ids.eve}), (${ids['ada/one']}, ${ids.eve}),
      ${starred.map((name) => `(${ids[name]}, ${ids.ada})`).join()}`,
  );
  for (const [index, name] of starred.entries())
    await system.query(
      'groups_admin',
      `update projects set created_at = '${timestamp(index)}', updated_at = '${timestamp(index, 2)}',
        last_activity_at = '${timestamp(index, 3)}', star_count = ${9 - index} where id = ${ids[name]}`,
    );

  // One project for everything that is in projects, hidden from the lists above; what is in `aside` is archived.
  ids.work = (await post('/groups', { name: 'Work', path: 'work' })).id;
  ids.sub = (await post('/groups', { name: 'Sub', path: 'sub', parent_id: ids.work })).id;
  const inside = { namespace_id: ids.work, initialize_with_readme: true };
  ids.main = (await post('/projects', { name: 'main', ...inside })).id;
  await system.query(
    'groups_admin',
    `update projects set forked_from_project_id = ${ids['ada/one']} where id in (${ids['house/one']}, ${ids['house/two']})`,
  );
  ids.aside = (await post('/projects', { name: 'aside', ...inside })).id;
  const at = `/projects/${ids.main}`;
  await post(`${at}/members`, { user_id: ids.ada, access_level: 40 });
  await post(`/groups/${ids.work}/members`, { user_id: ids.bob, access_level: 20 });
  await post(`/users/${ids.ada}/emails`, { email: 'ada@public.example', skip_confirmation: true });
  await send('PUT', `/users/${ids.ada}`, { public_email: 'ada@public.example' });

  for (const [parent, name, extra] of [
    [`/groups/${ids.work}`, 'above', {}],
    [`/groups/${ids.sub}`, 'below', {}],
    [at, 'bug', { description: 'broken', priority: 2 }],
    [at, 'feature', { priority: 1 }],
  ] as const)
    await post(`${parent}/labels`, { name, color: '#ff0000', ...extra });
  for (const [index, [parent, title]] of (
    [
      [at, 'v1'],
      [at, 'v2'],
      [`/groups/${ids.work}`, 'above'],
      [`/groups/${ids.work}`, 'other'],
      [`/groups/${ids.sub}`, 'below'],
    ] as const
  ).entries()) {
    const made = await post(`${parent}/milestones`, {
      title,
      description: `about ${title}`,
      start_date: `${2020 + index}-01-01`,
      due_date: index === 0 ? '2090-01-01' : `${2020 + index}-12-31`,
    });
    ids[`milestone ${title}`] = made.id;
    if (title === 'v2' || title === 'other')
      await send('PUT', `${parent}/milestones/${made.id}`, { state_event: 'close' });
    await system.query(
      'groups_admin',
      `update milestones set updated_at = '${timestamp(index)}' where id = ${made.id}`,
    );
  }

  // A repository with two branches beside main, each with a commit, and two tags.
  const file = (name: string, content = `${name}\n`) => ({ action: 'create', file_path: name, content });
  for (const [branch, author] of [
    ['blue', 'Ada'],
    ['red', 'Bob'],
    ['green', 'Zoe'],
  ] as const) {
    // git dates commits by whole seconds: two of one second would have no order.
    await new Promise((settle) => setTimeout(settle, 1_005 - (Date.now() % 1_000)));
    const made = await post(`${at}/repository/commits`, {
      branch,
      start_branch: 'main',
      commit_message: `Make it ${branch}\n\nSigned-off-by: ${author} <x@example.com>`,
      author_name: author,
      author_email: author === 'Zoe' ? 'aaa@example.com' : `${author.toLowerCase()}@example.com`,
      actions: [file(`dir/${branch}.txt`), file(`${branch}.txt`)],
    });
    shas[branch] = made.id;
    await post(`${at}/repository/tags`, { tag_name: `v-${branch}`, ref: branch });
    await post(`${at}/protected_branches`, { name: `keep/${branch}` });
  }

  const change = (source_branch: string, extra: object, token?: string) =>
    post(`${at}/merge_requests`, { source_branch, target_branch: 'main', ...extra }, token);
  const one = await change('blue', {
    title: 'one',
    description: 'a needle for @ada',
    labels: 'bug',
    milestone_id: ids['milestone v1'],
    assignee_id: ids.ada,
    reviewer_ids: [ids.bob],
  });
  const two = await change('red', { title: 'Draft: two', labels: 'feature', assignee_id: ids.root }, tokens.ada);
  const three = await change('green', { title: 'three' });
  Object.assign(ids, { 'mr one': one.id, 'mr two': two.id, 'mr three': three.id });
  // By hand: who approves acts on it, which would do their to-dos.
  await system.query('merge_requests', `insert into merge_request_approvals values (${one.id}, ${ids.ada})`);
  await system.query(
    'merge_requests',
    `with rule as (insert into approval_rules (project_id, merge_request_id, rule_type, name)
      values (${ids.main}, ${one.id}, 'regular', 'named') returning id)
      insert into approval_rule_users select id, ${ids.bob} from rule`,
  );
  const merged = `${at}/merge_requests/${three.iid}`;
  await eventually(async () => void (await send('PUT', `${merged}/merge`)), { within: 60_000, every: 500 });
  await post(`${at}/merge_requests/${one.iid}/award_emoji`, { name: 'thumbsup' });
  ids.version = (await send('GET', `${at}/merge_requests/${one.iid}/versions`))[0].id;
  const elsewhere = await post(`/projects/${ids.aside}/repository/branches`, { branch: 'blue', ref: 'main' });
  shas.aside = elsewhere.commit.id;
  await post(`/projects/${ids.aside}/repository/commits`, {
    branch: 'blue',
    commit_message: 'x',
    actions: [file('x.txt')],
  });
  await post(`/projects/${ids.aside}/merge_requests`, { source_branch: 'blue', target_branch: 'main', title: 'four' });

  const issue = (project: number | undefined, title: string, extra: object, token?: string) =>
    post(`/projects/${project}/issues`, { title, ...extra }, token);
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await issue(ids.main, 'one', {
    description: 'a needle',
    labels: 'bug',
    milestone_id: ids['milestone v1'],
    assignee_ids: [ids.ada],
    weight: 1,
    health_status: 'on_track',
    due_date: yesterday,
    confidential: true,
  });
  await issue(ids.main, 'two', { labels: 'feature', assignee_ids: [ids.root], issue_type: 'incident' }, tokens.ada);
  await issue(ids.main, 'four', { weight: 5, health_status: 'at_risk', due_date: '2090-01-01' });
  await issue(ids.aside, 'aside', {});
  await post(`${at}/issues/1/award_emoji`, { name: 'thumbsup' });
  await send('PUT', `${at}/issues/2`, { state_event: 'close' });
  await post(`/projects/${ids.aside}/archive`);

  const epic = (group: number | undefined, title: string, extra: object) =>
    post(`/groups/${group}/epics`, { title, ...extra });
  ids.epic = (await epic(ids.work, 'one', { description: 'a needle', labels: 'bug', confidential: true })).id;
  // Not by an edit, whose system note would come at any time.
  await system.query(
    'collaboration',
    `insert into epic_issues (epic_id, issue_id, relative_position)
      select ${ids.epic}, id, 0 from issues where project_id = ${ids.main} and iid = 1`,
  );
  await epic(ids.work, 'two', { labels: 'feature' });
  ids.deepEpic = (await epic(ids.sub, 'deep', {})).id;
  await send('PUT', `/groups/${ids.work}/epics/2`, { state_event: 'close' });
  await system.query(
    'collaboration',
    `insert into award_emoji (awardable_type, awardable_id, name, user_id) select 'Epic', id, 'thumbsup', ${ids.root} from epics where title = 'one'`,
  );

  // What people say, and what the system notes.
  const snippet = await post(`${at}/snippets`, { title: 'S', visibility: 'private', file_name: 'a', content: 'b' });
  ids.snippet = snippet.id;
  for (const [years, title] of ['old', 'middle', 'new'].entries()) {
    const { id } = await post('/snippets', { title, visibility: 'public', file_name: 'a', content: 'b' });
    await system.query(
      'collaboration',
      `update snippets set created_at = '${timestamp(0)}'::timestamptz + ${years} * interval '1 year' where id = ${id}`,
    );
  }
  await post(`${at}/alert_management/http_integrations`, { name: 'I', active: true });
  await makePlaceholders(system, Number(ids.main), 3);
  await system.query(
    'imports_exports',
    `update import_placeholders set target_id = 1, state = case login when 'login1' then 'awaiting_approval' else 'reassigned' end
      where login <> 'login3' returning id`,
  );
  await system.query(
    'alerts',
    `insert into alerts (project_id, iid, title, description, severity, status, fingerprint, events, started_at, starts_told,
        last_started_at, ended_at, format, payload, environment, created_at, updated_at)
      select ${ids.main}, n, 'alert ' || n, 'about alert ' || n, n, n, repeat(n::text, 40), 10 - n, '${timestamp(0)}', false, '${timestamp(0)}',
        '${timestamp(5)}', 'custom', '{}', case n when 1 then 'staging' else 'production' end, '${timestamp(0)}'::timestamptz + n * interval '1 year', '${timestamp(9)}'::timestamptz - n * interval '1 year'
      from generate_series(1, 2) n`,
  );
  await system.query('alerts', `insert into alert_texts (alert_id, text) select id, description from alerts`);
  await send('PUT', `${at}/alert_management_alerts/1`, { assignee_ids: [ids.ada] });
  for (const noteable of [
    `${at}/issues/1`,
    `${at}/merge_requests/${one.iid}`,
    `${at}/snippets/${snippet.id}`,
    `${at}/alert_management_alerts/1`,
    `/groups/${ids.sub}/epics/${ids.deepEpic}`,
  ]) {
    const note = await post(`${noteable}/notes`, { body: 'said' });
    await system.query(
      'collaboration',
      `insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, system, created_at, updated_at)
        select noteable_id, project_id, decode(md5(id::text) || '00000000', 'hex'), true, author_id, 'noted', true, '${timestamp(1)}', '${timestamp(9)}'
        from notes where id = ${note.id}`,
    );
    await system.query(
      'collaboration',
      `delete from notes where system and body <> 'noted' and noteable_id = (select noteable_id from notes where id = ${note.id})`,
    );
    await system.query(
      'collaboration',
      `update notes set created_at = '${timestamp(0)}', updated_at = '${timestamp(10)}' where id = ${note.id}`,
    );
  }

  // Pipelines: one of a branch that failed, one of a tag that runs, one of a merge request.
  ids.blueRun = (await post(`${at}/pipeline`, { ref: 'blue' })).id;
  await post(`${at}/statuses/${shas.blue}`, { state: 'failed', name: 'unit', ref: 'blue', pipeline_id: ids.blueRun });
  ids.tagRun = (await post(`${at}/pipeline`, { ref: 'v-red' }, tokens.ada)).id;
  ids.redRun = (await post(`${at}/pipeline`, { ref: 'red' })).id;
  // Reported on first, made last; and reported again after a failure.
  for (const state of ['failed', 'running'])
    await post(`${at}/statuses/${shas.red}`, { state, name: 'lint', ref: 'red', pipeline_id: ids.redRun });
  await post(`${at}/statuses/${shas.red}`, { state: 'running', name: 'unit', ref: 'v-red', pipeline_id: ids.tagRun });
  for (const [index, name] of ['blueRun', 'tagRun', 'redRun'].entries())
    await system.query(
      'merge_requests',
      `update pipelines set created_at = '${timestamp(index)}', updated_at = '${timestamp(9 - index)}', name = '${name}',
        source = '${index === 2 ? 'external' : 'api'}', yaml_errors = ${index === 0 ? `'no'` : 'null'} where id = ${ids[name]}`,
    );
  await system.query('merge_requests', `delete from pipelines where project_id = ${ids.main} and name is null`);

  for (const [index, name] of ['one', 'two', 'three'].entries())
    await system.query(
      'merge_requests',
      `update merge_requests set created_at = '${timestamp(index)}', updated_at = '${timestamp(index, 2)}' where id = ${ids[`mr ${name}`]}`,
    );
  await setDeployments(system, ids, shas);
  await setReleases(system, ids);
  await system.query(
    'merge_requests',
    `with train as (insert into merge_trains (project_id, target_branch)
        values (${ids.main}, 'main'), (${ids.main}, 'next') returning id, target_branch)
      insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
        remove_source_branch, status)
      select train.id, mr.project_id, train.target_branch, mr.id, mr.author_id, mr.source_sha, false, false,
        case when mr.title = 'one' then 'idle' else 'merged' end
      from train, merge_requests mr where mr.project_id = ${ids.main} and mr.title in ('one', 'three')
        and not (mr.title = 'one' and train.target_branch = 'next') order by train.id, mr.id`,
  );
  for (const [index, title] of ['one', 'two', 'four'].entries())
    await system.query(
      'collaboration',
      `update issues set created_at = '${timestamp(index)}', updated_at = '${timestamp(index, 2)}' where title = '${title}'`,
    );
  for (const [index, title] of ['one', 'two', 'deep'].entries())
    await system.query(
      'collaboration',
      `update epics set created_at = '${timestamp(index)}', updated_at = '${timestamp(index, 2)}',
        author_id = ${title === 'two' ? ids.ada : ids.root} where title = '${title}'`,
    );

  // To-dos of ada's by hand, one of each kind; activity at known timestamps.
  await system.query('collaboration', `delete from todos where user_id = ${ids.ada}`);
  await system.query(
    'collaboration',
    `insert into todos (user_id, author_id, project_id, group_id, action, target_type, target_id, target_iid, state, created_at) values
      (${ids.ada}, ${ids.root}, ${ids.main}, null, 'assigned', 'MergeRequest', ${one.id}, ${one.iid}, 'pending', now()),
      (${ids.ada}, ${ids.bob}, ${ids.main}, null, 'mentioned', 'Issue', (select id from issues where title = 'one'), 1, 'pending', now()),
      (${ids.ada}, ${ids.root}, ${ids.main}, null, 'marked', 'Issue', (select id from issues where title = 'four'), 3, 'done', now())`,
  );
  await eventually(
    async () => {
      const { length } = await system.query(
        'collaboration',
        `select 1 from activity_events where author_id = ${ids.ada}`,
      );
      if (length < 3) throw new Error('activity events are not there yet');
    },
    { within: 60_000 },
  );
  await system.query(
    'collaboration',
    `update activity_events set created_at = case when target_type = 'issue' then '2020-06-01'::timestamptz else '2021-06-01' end
      where author_id = ${ids.ada}`,
  );
  for (const [index, name] of ['root', 'ada', 'bob', 'cat', 'rob', 'eve'].entries())
    await system.query(
      'groups_admin',
      `update users set created_at = '${timestamp(index)}', updated_at = '${timestamp(9 - index)}' where id = ${ids[name]}`,
    );
  ids.package = await setPackages(system, ids);
  // The environments are older than these alerts, whichever comes first: this or their events.
  for (const { id, name } of await system.query(
    'merge_requests',
    `select id, name from environments where project_id = ${ids.main}`,
  ))
    await system.query(
      'alerts',
      `insert into environments (id, project_id, name, created_at) values (${id}, ${ids.main}, '${name}', '2000-01-01')
        on conflict (id) do update set created_at = excluded.created_at`,
    );
  return { ids, shas, tokens, fingerprints: await setAdministration(system, ids) };
}
