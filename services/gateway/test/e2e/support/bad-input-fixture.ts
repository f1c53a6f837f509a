import { eventually } from '@switchyard/testkit';
import { routes } from '../../../src/routes';
import { noteables } from '../../../src/routes/collaboration/noteables';
import { makeAdministration, newSshKey } from './administration';
import { setBadInputPackages } from './bad-input-packages';
import { type BadInputFixture, operationOf, type Post } from './bad-requests';
import { withAvatar } from './fixture';
import { makePlaceholders } from './placeholders';
import type { System } from './system';

/** Routes of one service account. */
const serviceAccountPaths = routes
  .filter(({ path }) => path.includes('service_accounts/:user_id'))
  .map((route) => operationOf(route));

/** Makes the fixture. `next` gives numbers that are not in use. */
export async function setBadInputFixture(system: System, post: Post, next: () => number): Promise<BadInputFixture> {
  const ada: number = (
    await post('/users', { name: 'Ada', username: 'ada', email: 'ada@example.com', force_random_password: true })
  ).id;
  for (let index = 0; index < 4; index += 1)
    await post('/users', {
      name: `U${index}`,
      username: `u${index}`,
      email: `u${index}@example.com`,
      force_random_password: true,
    });
  const token = await post(`/users/${ada}/personal_access_tokens`, { name: 'api', scopes: ['api'] });
  const group: number = (await post('/groups', { name: 'Fuzz', path: 'fuzz' })).id;
  for (let index = 0; index < 5; index += 1)
    await post('/groups', { name: `S${index}`, path: `s${index}`, parent_id: group });
  const project: number = (
    await post('/projects', { name: 'Main', path: 'main', namespace_id: group, initialize_with_readme: true })
  ).id;
  const other: number = (
    await post('/projects', { name: 'Other', path: 'other', namespace_id: group, initialize_with_readme: true })
  ).id;
  for (let index = 0; index < 4; index += 1) await post('/projects', { name: `P${index}`, namespace_id: group });
  const at = `/projects/${project}`;
  await post(`${at}/members`, { user_id: ada, access_level: 40 });
  for (let index = 0; index < 4; index += 1) {
    const id = (await system.api('GET', `/users?username=u${index}`)).body[0].id;
    await post(`${at}/members`, { user_id: id, access_level: 30 });
    await post(`/groups/${group}/members`, { user_id: id, access_level: 20 });
  }
  await post(`/groups/${group}/members`, { user_id: ada, access_level: 20 });
  const ids: Record<string, number> = {};
  for (const parent of [at, `/groups/${group}`])
    for (let index = 0; index < 5; index += 1) {
      ids[`${parent}/label`] = (
        await post(`${parent}/labels`, { name: `l${index}-${parent.length}`, color: '#00ff00' })
      ).id;
      ids[`${parent}/milestone`] = (await post(`${parent}/milestones`, { title: `m${index}` })).id;
    }
  let head = '';
  let reported = { id: 0, pipeline_id: 0 };
  for (let index = 0; index < 6; index += 1) {
    const commit = await post(`${at}/repository/commits`, {
      branch: `b${index}`,
      start_branch: 'main',
      commit_message: `Change ${index}`,
      actions: [0, 1, 2, 3].map((file) => ({
        action: 'create',
        file_path: `d${file}/f${index}.txt`,
        content: `${file}\n`,
      })),
    });
    head = commit.id;
    await post(`${at}/repository/tags`, { tag_name: `v${index}`, ref: `b${index}` });
    await post(`${at}/merge_requests`, {
      source_branch: `b${index}`,
      target_branch: 'main',
      title: `MR ${index}`,
      labels: `l${index}-${at.length}`,
      assignee_ids: [ada],
      reviewer_ids: [ada],
    });
    reported = await post(`${at}/statuses/${head}`, {
      state: 'running',
      name: `job ${index}`,
      ref: `b${index}`,
      target_url: 'https://ci.example/1',
    });
  }
  let issue = 0;
  for (let index = 0; index < 5; index += 1) {
    const made = await post(`${at}/issues`, {
      title: `Issue ${index}`,
      description: `Something for @ada in !${index + 1}`,
      labels: `l${index}-${at.length}`,
      assignee_ids: [ada],
      due_date: index === 2 ? null : `2027-01-0${index + 1}`,
      weight: index === 3 ? null : index,
      confidential: index === 4,
    });
    issue = made.id;
  }
  let childEpic = 0;
  for (let index = 0; index < 5; index += 1) {
    const made = await post(`/groups/${group}/epics`, {
      title: `Epic ${index}`,
      description: 'Something for @ada',
      labels: `l${index}-${`/groups/${group}`.length}`,
      confidential: index === 4,
    });
    if (index > 0) childEpic = (await post(`/groups/${group}/epics/1/epics/${made.id}`, {})).id;
  }
  let epicIssue = 0;
  for (const { id } of (await system.api('GET', `${at}/issues?confidential=false`)).body)
    epicIssue = (await post(`/groups/${group}/epics/1/issues/${id}`, {})).id;
  for (let index = 0; index < 4; index += 1) {
    await post(`${at}/statuses/${head}`, { state: 'success', name: `more ${index}`, ref: 'b5' });
    await post(`${at}/protected_branches`, { name: `release/${index}` });
    await post(`${at}/protected_tags`, { name: `r${index}` });
  }
  // They demand nothing, so that what is merged here is not held.
  const approvalRules: Record<string, number> = {};
  for (const owner of [at, `${at}/merge_requests/1`])
    for (let index = 0; index < 4; index += 1)
      approvalRules[owner] = (await post(`${owner}/approval_rules`, { name: `R${index}`, approvals_required: 0 })).id;
  // Landed cars and receipts that have been verified, without the CI that they take: reads have something to read that stays as it is.
  await system.query(
    'merge_requests',
    `with train as (insert into merge_trains (project_id, target_branch) values (${project}, 'main') returning id), cars as (
        insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
          remove_source_branch, status)
        select train.id, mr.project_id, 'main', mr.id, mr.author_id, mr.source_sha, false, false, 'merged'
        from train, merge_requests mr where mr.project_id = ${project} returning id, merge_request_id),
      receipts as (insert into landing_receipts (project_id, merge_request_id, merge_request_iid, car_id, target_branch, method,
          squash, head_sha, base_sha, landed_sha, landed_tree, added_by_id, boarded_at, landed_at)
        select ${project}, mr.id, mr.iid, cars.id, 'main', 'merge', false, mr.source_sha, mr.source_sha, mr.source_sha,
          mr.source_sha, 1, now(), now()
        from cars join merge_requests mr on mr.id = cars.merge_request_id returning id)
      insert into landing_verifications (receipt_id, differences) select id, '{}' from receipts`,
  );
  for (let index = 0; index < 5; index += 1)
    await post(`${at}/snippets`, {
      title: `Snippet ${index}`,
      visibility: ['public', 'internal', 'private'][index % 3],
      files: [{ file_path: 'README.md', content: 'x' }],
    });
  const personal = await post('/snippets', { title: 'Mine', files: [{ file_path: 'README.md', content: 'x' }] });
  let integration = 0;
  for (let index = 0; index < 4; index += 1)
    integration = (await post(`${at}/alert_management/http_integrations`, { name: `I${index}`, active: true })).id;
  const receipt = '11111111-2222-3333-4444-555555555555';
  await system.query(
    'alerts',
    `with raised as (
        insert into alerts (project_id, iid, title, severity, started_at, starts_told, last_started_at, format, payload, integration_id,
          status, ended_at)
        select ${project}, n, 'Alert', 1, now(), false, now(), 'custom', '{"a":{"b":1e400}}', ${integration}, n % 4,
          case when n % 4 = 2 then now() end from generate_series(1, 5) n
        returning id),
      counted as (insert into alert_counters (project_id, last_iid) values (${project}, 5)),
      told as (
        insert into alert_receipts (id, project_id, integration_id, format, items)
        values ('${receipt}', ${project}, ${integration}, 'custom', '[{"outcome":"created","iid":1,"title":"Alert"}]'))
      insert into alert_assignees (alert_id, user_id) select id, ${ada} from raised`,
  );
  let image = 0;
  for (let index = 0; index < 4; index += 1) {
    const form = new FormData();
    form.set('file', new Blob([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')]), 'load.png');
    const images = `${system.url}/api/v4${at}/alert_management_alerts/1/metric_images`;
    const reply = await fetch(images, { method: 'POST', headers: { 'PRIVATE-TOKEN': system.rootToken }, body: form });
    image = ((await reply.json()) as { id: number }).id;
  }
  // Notes, threads and reactions of each kind of object; what would take them away is asked for others.
  const spoken: Record<string, string> = {};
  for (const kind of noteables) {
    const one = kind.path.replace(/:([a-z_]+)/g, (_, name: string) =>
      name === 'id' ? String(kind.path.startsWith('/groups/') ? group : project) : name === 'commit_id' ? head : '1',
    );
    for (let index = 0; index < 4; index += 1) {
      if (kind.hasNotes) await post(`${one}/notes`, { body: `Note ${index}` });
      if (kind.hasReactions) await post(`${one}/award_emoji`, { name: ['star', 'heart', 'tada', 'eyes'][index] });
    }
    const thread = await post(`${one}/discussions`, { body: 'Thread' });
    const [note] = thread.notes;
    const award = kind.hasReactions ? await post(`${one}/award_emoji`, { name: 'rocket' }) : undefined;
    const noteAward = kind.hasNotes ? await post(`${one}/notes/${note.id}/award_emoji`, { name: 'rocket' }) : undefined;
    const roots = [kind.path, kind.reactions?.path ?? kind.path];
    for (const route of routes.filter(({ path }) => roots.some((root) => path.startsWith(`${root}/`)))) {
      const removes = route.method === 'delete';
      const reaction = route.path.includes(':note_id') ? noteAward : award;
      spoken[`${operationOf(route)} note_id`] = removes && /note_id$/.test(route.path) ? '999999' : String(note.id);
      spoken[`${operationOf(route)} discussion_id`] = thread.id;
      if (route.path.endsWith('/bulk_publish')) spoken[`${operationOf(route)} merge_request_iid`] = '999';
      spoken[`${operationOf(route)} award_id`] = removes ? '999999' : String(reaction?.id);
    }
  }
  const releaseLinks: Record<string, string> = {};
  for (let index = 0; index < 4; index += 1) {
    const release = await post(`${at}/releases`, {
      tag_name: `v${index}`,
      assets: { links: [{ name: 'app', url: 'https://example.com/app', direct_asset_path: '/app' }] },
    });
    releaseLinks[`v${index}`] = String(release.assets.links[0].id);
  }
  let environment = 0;
  let deployment = 0;
  for (let index = 0; index < 4; index += 1) {
    const deployed = { sha: head, ref: 'b5', tag: false, status: 'success' };
    deployment = (await post(`${at}/deployments`, { ...deployed, environment: `e${index}` })).id;
    environment = (await post(`${at}/environments`, { name: `f${index}` })).id;
  }
  await system.query(
    'merge_requests',
    `insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
      select ${deployment}, id, 'e3', false, now() from merge_requests where project_id = ${project}`,
  );
  let block = 0;
  for (const blocking of [3, 4, 5, 6])
    block = (await post(`${at}/merge_requests/1/blocks`, { blocking_merge_request_iid: blocking })).id;
  for (const [database, collection, owner] of [
    ['collaboration', 'issues', 'issue_id'],
    ['merge_requests', 'merge_requests', 'merge_request_id'],
  ] as const)
    for (const kind of ['state', 'label', 'milestone']) {
      const made = await system.query(
        database,
        `insert into resource_events (${owner}, kind, action, object_id, user_id)
          select id, '${kind}', '${kind === 'state' ? 'closed' : 'add'}', 1, author_id from ${collection}, generate_series(1, 4)
          where project_id = ${project} and iid = 1 returning id`,
      );
      const one = `/projects/:id/${collection}/:${collection === 'issues' ? 'issue' : 'merge_request'}_iid`;
      spoken[`GET ${one}/resource_${kind}_events/:event_id event_id`] = String(made[0]?.id);
    }
  // One that is not there: applied ones cannot be applied again.
  spoken['PUT /suggestions/:suggestion_id/apply suggestion_id'] = '999999';
  // Every request of these deletes: one that named an entry would find it once.
  for (const route of routes.filter(({ path }) => path.endsWith('/:timelog_id')))
    spoken[`${operationOf(route)} timelog_id`] = '999999';
  for (const iid of ['issues/1', 'merge_requests/1']) await post(`${at}/${iid}/add_spent_time`, { duration: '1h' });
  let draft = 0;
  for (let index = 0; index < 4; index += 1)
    draft = (await post(`${at}/merge_requests/1/draft_notes`, { note: `Draft ${index}` })).id;
  for (const route of routes.filter(({ path }) => path.includes(':draft_note_id'))) {
    const takesAway = route.method === 'delete' || route.path.endsWith('/publish');
    spoken[`${operationOf(route)} draft_note_id`] = takesAway ? '999999' : String(draft);
  }
  const pipeline = await post(`${at}/pipeline`, { ref: 'b1' });
  await post(`${at}/export`, {});
  const placeholder = await makePlaceholders(system, project, 4);
  const exported = await post(`/pipelines/${pipeline.id}/dependency_list_exports`, {});
  await eventually(async () => {
    expect((await system.api('GET', `/dependency_list_exports/${exported.id}`)).body.status).toBe('finished');
    expect((await system.api('GET', `${at}/export`)).body.export_status).toBe('finished');
  });
  await post(`${at}/pipeline`, { ref: 'main' });
  const made = await makeAdministration(system, { group, project, user: ada }, async (work) => {
    for (let index = 0; index < 4; index += 1) await work(index);
  });
  const account = await post(`/groups/${group}/service_accounts`, {});
  const accountToken = await post(`/groups/${group}/service_accounts/${account.id}/personal_access_tokens`, {
    name: 'api',
    scopes: ['api'],
  });
  const email = await post(`/users/${ada}/emails`, { email: 'ada@example.org', skip_confirmation: true });
  const ownEmail = await post('/user/emails', { email: 'root@example.org' });
  const shares = (await post('/groups', { name: 'Shares', path: 'shares' })).id;
  await post(`/groups/${shares}/share`, { group_id: group, group_access: 20 });
  await withAvatar(system, `/projects/${project}`);
  await withAvatar(system, `/groups/${group}`);
  const gone = '999999';
  for (const place of [`/groups/${group}`, at, '/admin'])
    await system.api('PUT', `${place}/integrations/external-wiki`, {
      body: { external_wiki_url: 'https://wiki.example.com' },
    });
  // They are called for nothing, so nothing waits for an answer.
  const hooks: Record<string, string> = {};
  for (const [scope, root] of [
    ['projects', `${at}/hooks`],
    ['groups', `/groups/${group}/hooks`],
    ['hooks', '/hooks'],
  ] as const)
    for (let index = 0; index < 4; index += 1) {
      const hook = await post(root, { url: `https://receiver.example.com/${index}`, push_events: false });
      hooks[`${scope}.hook_id`] = String(hook.id);
    }
  for (const route of routes.filter(({ path }) => path.includes('/:hook_id')))
    if (
      route.method === 'delete' ||
      /\/(test|resend)/.test(route.path) ||
      operationOf(route) === 'POST /hooks/:hook_id'
    )
      hooks[`${operationOf(route)} hook_id`] = gone;
  const packages = await setBadInputPackages(system, project, post, gone);
  const { body: versions } = await system.api('GET', `${at}/merge_requests/1/versions`);
  const { body: tree } = await system.api('GET', `${at}/repository/tree`);
  const known: Record<string, string> = {
    slug: 'external-wiki',
    ...hooks,
    trigger: 'push_events',
    event_id: gone,
    ...packages,
    ...spoken,
    'projects.id': String(project),
    'groups.id': String(group),
    'users.id': String(ada),
    'namespaces.id': 'fuzz',
    'todos.id': '1',
    'issues.id': String(issue),
    issue_iid: '1',
    epic_iid: '1',
    epic_id: '1',
    issue_id: String(issue),
    epic_issue_id: String(epicIssue),
    'POST /groups/:id/epics/:epic_iid/issues/:epic_issue_id epic_issue_id': String(issue),
    'DELETE /groups/:id/epics/:epic_iid/issues/:epic_issue_id epic_issue_id': gone,
    child_epic_id: String(childEpic),
    related_epic_link_id: gone,
    'DELETE /groups/:id/epics/:epic_iid/epics/:child_epic_id child_epic_id': gone,
    'DELETE /groups/:id/epics/:epic_iid epic_iid': '999',
    ref: 'main',
    'DELETE /projects/:id/issues/:issue_iid issue_iid': '999',
    'POST /projects/:id/issues/:issue_iid/move issue_iid': '5',
    forked_from_id: String(project),
    user_id: String(ada),
    token_id: String(token.id),
    email_id: String(email.id),
    'GET /user/emails/:email_id email_id': String(ownEmail.id),
    'DELETE /user/emails/:email_id email_id': gone,
    'DELETE /users/:id/emails/:email_id email_id': gone,
    ...Object.fromEntries(serviceAccountPaths.map((path) => [`${path} user_id`, String(account.id)])),
    'DELETE /groups/:id/service_accounts/:user_id user_id': gone,
    ...Object.fromEntries(
      routes
        .filter(({ path }) => path.startsWith('/groups/:id/service_accounts/:user_id/personal'))
        .map((route) => [`${operationOf(route)} token_id`, route.method === 'delete' ? gone : String(accountToken.id)]),
    ),
    'GET /users/:user_id/impersonation_tokens/:token_id token_id': made.impersonation as string,
    'DELETE /users/:user_id/impersonation_tokens/:token_id token_id': gone,
    ...Object.fromEntries(
      routes
        .filter(
          ({ path }) => /(access|deploy)_tokens.:token_id/.test(path) && /^.(groups|projects)..id.(a|d)/.test(path),
        )
        .map((route) => [
          `${operationOf(route)} token_id`,
          route.method === 'get' ? (made[route.path.replace('/:token_id', '')] as string) : gone,
        ]),
    ),
    key_id: made['/user/keys'] as string,
    'GET /users/:user_id/keys/:key_id key_id': made['/users/:user_id/keys'] as string,
    'projects.key_id': made['/projects/:id/deploy_keys'] as string,
    'topics.id': made['/topics'] as string,
    'broadcast_messages.id': made['/broadcast_messages'] as string,
    key: 'KEY_1',
    ...Object.fromEntries(
      routes
        .filter(
          ({ path, method }) => path.endsWith('/:key') && (method === 'delete' || path.includes('custom_attributes')),
        )
        .map((route) => [`${operationOf(route)} key`, route.method === 'delete' ? 'GONE' : 'key-1']),
    ),
    ...Object.fromEntries(
      [
        '/user/keys/:key_id key_id',
        '/users/:user_id/keys/:key_id key_id',
        '/projects/:id/deploy_keys/:key_id key_id',
        '/topics/:id id',
        '/broadcast_messages/:id id',
      ].map((place) => [`DELETE ${place}`, gone]),
    ),
    project_id: String(other),
    group_id: gone,
    'groups.label_id': String(ids[`/groups/${group}/label`]),
    'projects.label_id': String(ids[`${at}/label`]),
    'groups.milestone_id': String(ids[`/groups/${group}/milestone`]),
    'projects.milestone_id': String(ids[`${at}/milestone`]),
    merge_request_iid: '1',
    'PUT /projects/:id/merge_requests/:merge_request_iid/merge merge_request_iid': '2',
    'DELETE /projects/:id/merge_requests/:merge_request_iid merge_request_iid': '999',
    ...Object.fromEntries(
      routes
        .filter(({ path }) => path.endsWith('/:approval_rule_id'))
        .map((route) => {
          const owner = route.path.includes(':merge_request_iid') ? `${at}/merge_requests/1` : at;
          const id = route.method === 'delete' ? gone : String(approvalRules[owner]);
          return [`${operationOf(route)} approval_rule_id`, id];
        }),
    ),
    branch: 'main',
    'projects.target_branch': 'main',
    sha: head,
    commit_id: head,
    snippet_id: '1',
    alert_iid: '1',
    receipt_id: receipt,
    integration_id: String(integration),
    'DELETE /projects/:id/alert_management/http_integrations/:integration_id integration_id': '999',
    image_id: String(image),
    'DELETE /projects/:id/alert_management_alerts/:alert_iid/metric_images/:image_id image_id': '999',
    'DELETE /projects/:id/snippets/:snippet_id snippet_id': '999',
    ...Object.fromEntries(
      ['GET /snippets/:snippet_id', 'PUT /snippets/:snippet_id', 'GET /snippets/:snippet_id/raw']
        .concat('GET /snippets/:snippet_id/files/:ref/:file_path/raw')
        .map((operation) => [`${operation} snippet_id`, String(personal.id)]),
    ),
    'DELETE /snippets/:snippet_id snippet_id': '999',
    'GET /projects/:id/repository/blobs/:sha sha': tree.find((entry: { type: string }) => entry.type === 'blob').id,
    'GET /projects/:id/repository/blobs/:sha/raw sha': tree.find((entry: { type: string }) => entry.type === 'blob').id,
    file_path: 'README.md',
    name: 'main',
    'DELETE /projects/:id/protected_branches/:name name': 'none',
    'GET /projects/:id/protected_tags/:name name': 'r1',
    'DELETE /projects/:id/protected_tags/:name name': 'none',
    'DELETE /projects/:id/repository/branches/:branch branch': 'none',
    tag_name: 'v1',
    'DELETE /projects/:id/repository/tags/:tag_name tag_name': 'none',
    direct_asset_path: 'app',
    link_id: releaseLinks.v1 as string,
    'DELETE /projects/:id/releases/:tag_name tag_name': 'none',
    'DELETE /projects/:id/releases/:tag_name/assets/links/:link_id link_id': gone,
    version_id: String(versions[0].id),
    block_id: String(block),
    'DELETE /projects/:id/merge_requests/:merge_request_iid/blocks/:block_id block_id': gone,
    'GET /projects/:id/merge_requests/:merge_request_iid/blockees merge_request_iid': '3',
    job_id: String(reported.id),
    'GET /projects/:id/pipelines/:pipeline_id/jobs pipeline_id': String(reported.pipeline_id),
    environment_id: String(environment),
    'DELETE /projects/:id/environments/:environment_id environment_id': gone,
    deployment_id: String(deployment),
    'DELETE /projects/:id/deployments/:deployment_id deployment_id': gone,
    pipeline_id: String(pipeline.id),
    export_id: String(exported.id),
    placeholder_id: String(placeholder),
    'DELETE /projects/:id/pipelines/:pipeline_id pipeline_id': '999999',
  };
  const plausible: Record<string, unknown> = {
    email: () => `fuzz${next()}@example.com`,
    url: () => `https://receiver.example.com/${next()}`,
    target: 'Issue:1',
    user: 'ada',
    package_name_pattern: () => `pattern-${next()}`,
    package_type: 'npm',
    name: () => `Fuzz ${next()}`,
    username: () => `fuzz${next()}`,
    force_random_password: true,
    scopes: ['api'],
    path: () => `fuzz-${next()}`,
    namespace: 'root',
    user_id: () => String(ada),
    access_level: 20,
    color: '#ff0000',
    title: () => `Title ${next()}`,
    branch: 'b1',
    ref: 'main',
    commit_message: 'Change',
    actions: () => [{ action: 'create', file_path: `new-${next()}`, content: 'x' }],
    content: () => `x${next()}`,
    from: 'main',
    to: 'b1',
    refs: ['main', 'b1'],
    commits: [head],
    ids: [Number(gone)],
    tag_name: () => `t${next()}`,
    source_branch: 'b1',
    target_branch: 'main',
    state: 'success',
    new_name: () => `l${next()}`,
    visibility: 'private',
    // A header cannot hold it, so that no forge is asked.
    personal_access_token: 'ключ',
    forgeb_username: 'octocat',
    forgeb_app_password: 'ключ',
    repo_path: 'octo/things',
    forgeb_server_url: 'https://127.0.0.1:1',
    forgeb_server_username: 'octocat',
    forgeb_server_project: 'OCTO',
    forgeb_server_repo: 'things',
    repo_id: 1,
    target_namespace: 'root',
    project_id: () => String(project),
    active: true,
    payload: () => ({ title: `Alert ${next()}` }),
    duration: '1h 30m',
    body: () => `Text ${next()}`,
    note: () => `Text ${next()}`,
    resolved: true,
    to_project_id: () => String(other),
    target_group_id: () => String(group),
    target_epic_iid: '3',
    key: () => newSshKey(),
    value: () => `value ${next()}`,
    message: () => `Message ${next()}`,
    group_id: () => String(shares),
    group_access: 20,
    approvals_required: 0,
    usage_type: 'auth',
    variable: () => `KEY_${next()}`,
    fingerprint: made.fingerprint,
    source_topic_id: '999998',
    target_topic_id: '999999',
    blocking_merge_request_iid: '2',
    environment: 'e1',
    sha: head,
    tag: false,
    status: 'success',
    before: '2020-01-01',
    position: {
      base_sha: versions[0].base_commit_sha,
      start_sha: versions[0].start_commit_sha,
      head_sha: versions[0].head_commit_sha,
      position_type: 'text',
      new_path: 'd0/f0.txt',
      new_line: 1,
    },
  };
  return { ada, group, project, other, known, plausible };
}
