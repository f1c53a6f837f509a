import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { routes } from '../../src/routes';
import { makeAdministration, maxInstanceVariables } from './support/administration';
import { makePlaceholders } from './support/placeholders';
import { type System, startSystem } from './support/system';

jest.setTimeout(600_000);

const rows = 100;
/** Adding to a merge train answers the train as a list, too; it reads what the list of its branch reads. */
const lists = routes.filter(({ list, method }) => list !== undefined && method === 'get');
const operationOf = (route: (typeof routes)[number]): string => `${route.method.toUpperCase()} ${route.path}`;

/** Every list costs the same number of gRPC calls and SQL statements, whether it answers two rows or a hundred (D4). */
describe('every list', () => {
  let system: System;
  let folder: string;
  /** A request that answers at least a hundred rows, by operation. */
  const requests: Record<string, string> = {};

  const post = async (path: string, body: unknown, token?: string) => {
    const reply = await system.api('POST', path, { body, token });
    if (reply.status >= 300) throw new Error(`POST ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  };

  /**
   * Copies the first row of a table, where writing more of them one by one is not what is measured here.
   * @param changes what differs in each, by column: SQL over its number `n` and its id `own`
   * @returns their ids, by number
   */
  const copy = async (
    database: string,
    table: string,
    changes: Record<string, string>,
    { where = 'true', count = rows - 1 }: { where?: string; count?: number } = {},
  ): Promise<number[]> => {
    // Named by `n`, without which one record would be made for all.
    const drawn = `n * 0 + nextval(pg_get_serial_sequence('${table}', 'id'))`;
    const differs = Object.entries({ id: 'own', ...changes }).flatMap(([column, value]) => [`'${column}'`, value]);
    const made = await system.query(
      database,
      `insert into ${table} overriding system value select made.* from (select * from ${table} where ${where} order by id limit 1) one,
        generate_series(1, ${count}) n, lateral (select ${drawn} as own) drawn,
        lateral jsonb_populate_record(one::${table}, jsonb_build_object(${differs})) made returning id`,
    );
    expect(made).toHaveLength(count);
    return made.map(({ id }) => Number(id)).sort((a, b) => a - b);
  };
  /** Has the services read the directory again: rows that SQL made in it are among no changes that they could follow. */
  const renewDirectory = async (): Promise<void> => {
    const [{ value } = {}] = await system.query(
      'groups_admin',
      'update directory_sequence set value = value + 1, pruned = value + 1 returning value',
    );
    await system.query('groups_admin', 'notify switchyard_directory');
    for (const follower of ['merge_requests', 'collaboration', 'packages', 'alerts'])
      await eventually(
        async () => {
          const [state] = await system.query(follower, 'select sequence from directory.state');
          if (Number(state?.sequence) < Number(value)) throw new Error(`${follower} has not read the directory again`);
        },
        { within: 60_000 },
      );
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-lists-'));
    system = await startSystem({ SWITCHYARD_SHOW_COST: 'true' });
    const first: number = (
      await post('/users', { email: 'u0@example.com', username: 'u0', name: 'U 0', force_random_password: true })
    ).id;
    const userIds = [
      first,
      ...(await copy(
        'groups_admin',
        'users',
        { username: `'u' || n`, name: `'U ' || n`, email: `'u' || n || '@example.com'` },
        { where: `id = ${first}` },
      )),
    ];
    const nth = (ids: readonly number[]): string => `(array[${ids}]::bigint[])[n]`;
    const others = userIds.slice(1);
    await copy(
      'groups_admin',
      'namespaces',
      {
        name: `'U ' || n`,
        path: `'u' || n`,
        full_name: `'U ' || n`,
        full_path: `'u' || n`,
        ancestry: 'array[own]',
        owner_id: nth(others),
        creator_id: nth(others),
      },
      { where: `owner_id = ${first}` },
    );
    await post(`/users/${first}/personal_access_tokens`, { name: 't', scopes: ['api'] });
    await copy(
      'groups_admin',
      'personal_access_tokens',
      { token_digest: `sha256(('t' || n)::bytea)` },
      { where: `user_id = ${first}` },
    );
    const group = await post('/groups', { name: 'G', path: 'g' });
    /** Memberships like one of a group or project, in others. */
    const joinAll = (column: string, of: number, places: readonly number[]) =>
      copy('groups_admin', 'memberships', { [column]: nth(places) }, { where: `${column} = ${of}` });
    const below: { id: number } = await post('/groups', { name: 'S0', path: 's0', parent_id: group.id });
    const subgroups = await copy(
      'groups_admin',
      'namespaces',
      {
        name: `'S' || n`,
        path: `'s' || n`,
        full_name: `'G / S' || n`,
        full_path: `'g/s' || n`,
        ancestry: `array[${group.id}, own]`,
      },
      { where: `id = ${below.id}` },
    );
    await joinAll('namespace_id', below.id, subgroups);
    const named = (name: string) => ({ name: `'${name}' || n`, path: `'${name.toLowerCase()}' || n` });
    const plain: { id: number } = await post('/projects', { name: 'P0', namespace_id: group.id });
    await copy('groups_admin', 'projects', named('P'), { where: `id = ${plain.id}` });
    const owned: { id: number } = await post(`/projects/user/${first}`, { name: 'own0' });
    const projects = await copy('groups_admin', 'projects', named('own'), { where: `id = ${owned.id}` });
    await joinAll('project_id', owned.id, projects);
    const project = await post('/projects', { name: 'Main', path: 'main', namespace_id: group.id });
    const at = `/projects/${project.id}`;
    await post(`${at}/members`, { user_id: first, access_level: 30 });
    await post(`/groups/${group.id}/members`, { user_id: first, access_level: 20 });
    for (const place of [`project_id = ${project.id}`, `namespace_id = ${group.id}`])
      await copy('groups_admin', 'memberships', { user_id: nth(others) }, { where: `${place} and user_id = ${first}` });
    await system.query(
      'groups_admin',
      `update projects set forked_from_project_id = ${project.id} where id <> ${project.id}`,
    );
    const children = `from namespaces where parent_id = ${group.id}`;
    await system.query(
      'groups_admin',
      `insert into group_shares (namespace_id, project_id, group_id, access_level)
        select ${group.id}::bigint, null::bigint, id, 20 ${children} union all select null, ${project.id}, id, 20 ${children}
        union all select id, null, ${group.id}, 20 ${children}
        union all select null, id, ${group.id}, 20 from projects where namespace_id <> ${group.id}`,
    );
    await system.query(
      'groups_admin',
      `insert into access_requests (user_id, namespace_id, project_id)
        select member, place.* from unnest(array[${userIds}]) member, (values (${group.id}, null), (null, ${project.id})) place`,
    );
    const labels: Record<string, number[]> = {};
    for (const parent of [at, `/groups/${group.id}`]) {
      const { id: label } = await post(`${parent}/labels`, { name: `${parent.length}-l0`, color: '#ff0000' });
      const title = { title: `'${parent.length}-l' || n` };
      labels[parent] = await copy('groups_admin', 'labels', title, { where: `id = ${label}` });
      const { id: milestone } = await post(`${parent}/milestones`, { title: 'm0' });
      const changes = { iid: 'n + 1', title: `'m' || n` };
      await copy('groups_admin', 'milestones', changes, { where: `id = ${milestone}` });
    }
    await system.query(
      'groups_admin',
      `update iid_counters set last_iid = last_iid + ${rows} where scope = 'milestones'`,
    );
    await renewDirectory();

    /** Copies what follows of the first request or issue by events, a to-do or activity, for the others. */
    const follows = async (
      table: string,
      { action, targetType }: { action: string; targetType: string },
      of: number,
      ids: readonly number[],
      changes: Record<string, string> = {},
    ): Promise<void> => {
      const where = `action = '${action}' and target_type = '${targetType}' and target_id = ${of}`;
      await eventually(
        async () =>
          expect(await system.query('collaboration', `select 1 from ${table} where ${where}`)).toHaveLength(1),
        { within: 60_000 },
      );
      // The others are numbered behind two.
      await copy('collaboration', table, { target_id: nth(ids), target_iid: 'n + 2', ...changes }, { where });
    };

    execFileSync('git', ['init', '-q', '-b', 'main', folder]);
    const git = (...args: string[]) => system.git(args, folder);
    const stream: string[] = [];
    let mark = 0;
    const commit = (branch: string, from: number | undefined, files: string[]) => {
      mark += 1;
      const message = `Change ${mark}`;
      stream.push(
        `commit refs/heads/${branch}\nmark :${mark}\nauthor A${mark} <a${mark}@example.com> ${1_700_000_000 + mark} +0000\ncommitter C <c@example.com> ${1_700_000_000 + mark} +0000\ndata ${message.length}\n${message}\n${from === undefined ? '' : `from :${from}\n`}${files.map((name) => `M 644 inline ${name}\ndata ${name.length}\n${name}\n`).join('')}\n`,
      );
      return mark;
    };
    const base = commit(
      'main',
      undefined,
      Array.from({ length: rows }, (_, index) => `base-${index}`),
    );
    let main = base;
    for (let index = 0; index < rows; index += 1) main = commit('main', main, [`main-${index}`]);
    for (let index = 0; index < rows; index += 1) commit(`b${index}`, main, [`branch-${index}`]);
    let big = commit(
      'big',
      main,
      Array.from({ length: rows }, (_, index) => `big-${index}`),
    );
    for (let index = 0; index < rows; index += 1) big = commit('big', big, [`big-more-${index}`]);
    for (let index = 0; index < rows; index += 1) stream.push(`reset refs/tags/v${index}\nfrom :${main}\n\n`);
    execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: stream.join('') });
    await git('push', '-q', system.remote('g/main'), '--all');
    await git('push', '-q', system.remote('g/main'), '--tags');
    const bigSha = (await git('rev-parse', 'big')).stdout.trim();
    const bigFirst = (await git('rev-list', '--max-count=1', '--skip=100', 'big')).stdout.trim();
    const baseSha = (await git('rev-list', '--max-parents=0', 'main')).stdout.trim();
    await post(`${at}/protected_branches`, { name: 'protected' });
    await copy('merge_requests', 'protected_branches', { name: `'protected-' || n` }, { where: `name = 'protected'` });
    await system.query(
      'merge_requests',
      `insert into protected_tags (project_id, name) select ${project.id}, 'protected-' || n from generate_series(1, ${rows}) n`,
    );

    const token = (await post(`/users/${first}/personal_access_tokens`, { name: 'reader', scopes: ['api'] }))
      .token as string;
    const request = await post(`${at}/merge_requests`, {
      source_branch: 'big',
      target_branch: 'main',
      title: 'Big',
      reviewer_ids: userIds,
    });
    const { id: labelled } = await post(`${at}/merge_requests`, {
      source_branch: 'b0',
      target_branch: 'main',
      title: 'MR 0',
      description: 'Some text for @u0',
      labels: `${at.length}-l0`,
      assignee_ids: [first],
      reviewer_ids: [first],
    });
    const heads = (await git('rev-parse', ...Array.from({ length: rows - 1 }, (_, index) => `b${index + 1}`))).stdout;
    const sha = `('{${heads.trim().split('\n')}}'::text[])[n]`;
    const requestIds = await copy(
      'merge_requests',
      'merge_requests',
      {
        // Behind the two that are there.
        iid: 'n + 2',
        title: `'MR ' || n`,
        description: `'Some text for @u' || n`,
        source_branch: `'b' || n`,
        source_sha: sha,
        // What is computed after a request was made, of the first too.
        merge_status: `'can_be_merged'`,
        prepared_at: 'now()',
        latest_diff_id: 'null::bigint',
        head_pipeline_id: 'null::bigint',
      },
      { where: `id = ${labelled}` },
    );
    const diffs = await copy(
      'merge_requests',
      'merge_request_diffs',
      { merge_request_id: nth(requestIds), head_sha: sha, commit_shas: `array[${sha}]` },
      { where: `merge_request_id = ${labelled}` },
    );
    await system.query(
      'merge_requests',
      `with made as (
          select n, ${nth(requestIds)} as id, ${nth(others)} as user_id, ${nth(labels[at] as number[])} as label_id
          from generate_series(1, ${rows - 1}) n),
        diffed as (update merge_requests mr set latest_diff_id = ${nth(diffs)} from made where mr.id = made.id),
        labelled as (insert into merge_request_labels (merge_request_id, label_id) select id, label_id from made),
        assigned as (insert into merge_request_assignees (merge_request_id, user_id) select id, ${first} from made),
        reviewed as (insert into merge_request_reviewers (merge_request_id, user_id) select id, user_id from made),
        counted as (update iid_counters set last_iid = last_iid + ${rows} where scope = 'merge_requests')
        insert into merge_request_participants (merge_request_id, user_id)
        select id, member from made, unnest(array[1, user_id]) member`,
    );
    await follows('todos', { action: 'assigned', targetType: 'MergeRequest' }, labelled, requestIds);
    await follows('activity_events', { action: 'created', targetType: 'merge_request' }, labelled, requestIds, {
      cause: `'merge_request.copied:' || n`,
      target_title: `'MR ' || n`,
      subject_id: nth(requestIds),
    });
    await system.query(
      'collaboration',
      `insert into merge_request_numbers (project_id, iid, id)
        select ${project.id}, n + 2, ${nth(requestIds)} from generate_series(1, ${rows - 1}) n`,
    );
    // One commit that every merge request has.
    await system.query('merge_requests', `update merge_request_diffs set commit_shas = array['${bigSha}']`);
    // A version comes of a push and of what is computed after it: a hundred of those are not what is measured here.
    await system.query(
      'merge_requests',
      `insert into merge_request_diffs (merge_request_id, base_sha, head_sha, start_sha)
        select ${request.id}, '${baseSha}', lpad(to_hex(n), 40, '0'), '${baseSha}' from generate_series(1, ${rows}) n`,
    );
    const own = (await git('rev-list', '--max-count=100', 'main')).stdout.trim().split('\n');
    for (let index = 0; index < own.length; index += 20)
      await post(`${at}/merge_requests/${request.iid}/context_commits`, { commits: own.slice(index, index + 20) });
    const discussed = `${at}/merge_requests/${request.iid}`;
    await system.query(
      'merge_requests',
      `with rules as (
          insert into approval_rules (project_id, merge_request_id, rule_type, name)
          select ${project.id}, own, 'regular', 'rule-' || n
          from generate_series(1, ${rows}) n, unnest(array[null, ${request.id}]::bigint[]) own returning id),
        groups as (insert into approval_rule_groups (rule_id, group_id) select id, ${group.id} from rules)
        insert into approval_rule_users (rule_id, user_id) select id, ${first} from rules`,
    );
    const note = await post(`${discussed}/notes`, { body: 'First' });
    await system.query(
      'collaboration',
      `insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
        select noteable_id, project_id, decode(lpad(to_hex(n), 40, '0'), 'hex'), true, author_id, 'Note'
        from notes, generate_series(1, ${rows}) n where id = ${note.id}`,
    );
    await system.query(
      'collaboration',
      `insert into draft_notes (noteable_id, author_id, body)
        select noteable_id, author_id, 'Draft' from notes, generate_series(1, ${rows}) where id = ${note.id}`,
    );
    await system.query(
      'collaboration',
      `insert into award_emoji (awardable_type, awardable_id, name, user_id)
        select kind, awarded, 'thumbsup', member from unnest(array[${userIds}]) member,
        (values ('MergeRequest', ${request.id}), ('Note', ${note.id})) target (kind, awarded)`,
    );
    await post(`${at}/statuses/${bigSha}`, { state: 'success', name: 'job-0', ref: 'big' });
    await copy('merge_requests', 'commit_statuses', { name: `'job-' || n` });
    const [reported] = (await system.api('GET', `${at}/pipelines`)).body as { id: number }[];
    const { id: begun } = await post(`${at}/pipeline`, { ref: 'big' });
    await copy('merge_requests', 'pipelines', { iid: `${rows} + n` }, { where: `id = ${begun}` });

    const issue = await post(`${at}/issues`, { title: 'Everybody', assignee_ids: userIds });
    const { id: planned } = await post(`${at}/issues`, {
      title: 'Issue 0',
      description: 'Some text for @u0',
      labels: `${at.length}-l0`,
      assignee_ids: [first],
    });
    const issueIds = await copy(
      'collaboration',
      'issues',
      { iid: 'n + 2', title: `'Issue ' || n`, description: `'Some text for @u' || n` },
      { where: `id = ${planned}` },
    );
    await system.query(
      'collaboration',
      `with made as (
          select ${nth(issueIds)} as id, ${nth(others)} as user_id, ${nth(labels[at] as number[])} as label_id
          from generate_series(1, ${rows - 1}) n),
        labelled as (insert into issue_labels (issue_id, label_id) select id, label_id from made),
        assigned as (insert into issue_assignees (issue_id, user_id) select id, ${first} from made),
        counted as (update iid_counters set last_iid = last_iid + ${rows} where scope = 'issues')
        insert into issue_participants (issue_id, user_id) select id, member from made, unnest(array[1, user_id]) member`,
    );
    await follows('todos', { action: 'assigned', targetType: 'Issue' }, planned, issueIds);

    const snippet = await post(`${at}/snippets`, { title: 'S', visibility: 'public', file_name: 'a', content: 'b' });
    const personal = await post('/snippets', { title: 'S', visibility: 'public', file_name: 'a', content: 'b' });
    for (const { id } of [snippet, personal]) await copy('collaboration', 'snippets', {}, { where: `id = ${id}` });
    await system.query(
      'collaboration',
      `insert into snippet_files (snippet_id, place, path, content)
        select s.id, f.place, f.path, f.content from snippets s, snippet_files f
        where f.snippet_id = ${snippet.id} and not exists (select from snippet_files where snippet_id = s.id)`,
    );
    const onSnippet = await post(`${at}/snippets/${snippet.id}/notes`, { body: 'First' });
    await system.query(
      'collaboration',
      `insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
        select noteable_id, project_id, decode(lpad(to_hex(n + 3000), 40, '0'), 'hex'), true, author_id, 'Note'
        from notes, generate_series(1, ${rows}) n where id = ${onSnippet.id}`,
    );
    await system.query(
      'collaboration',
      `insert into award_emoji (awardable_type, awardable_id, name, user_id)
        select kind, awarded, 'thumbsup', member from unnest(array[${userIds}]) member,
        (values ('Snippet', ${snippet.id}), ('Note', ${onSnippet.id})) target (kind, awarded)`,
    );
    const onCommit = await post(`${at}/repository/commits/${bigSha}/discussions`, { body: 'First' });
    await system.query(
      'collaboration',
      `insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
        select noteable_id, project_id, decode(lpad(to_hex(n + 2000), 40, '0'), 'hex'), true, author_id, 'Note'
        from notes, generate_series(1, ${rows}) n where id = ${onCommit.notes[0].id}`,
    );
    const epic = await post(`/groups/${group.id}/epics`, {
      title: 'Epic 0',
      labels: `${`/groups/${group.id}`.length}-l0`,
    });
    const epicIds = await copy(
      'collaboration',
      'epics',
      { iid: 'n + 1', title: `'Epic ' || n` },
      { where: `id = ${epic.id}`, count: rows },
    );
    const ofGroup = labels[`/groups/${group.id}`] as number[];
    await system.query(
      'collaboration',
      `with made as (
          select ${nth(epicIds)} as id, (array[${ofGroup}]::bigint[])[1 + n % ${ofGroup.length}] as label_id from generate_series(1, ${rows}) n),
        labelled as (insert into epic_labels (epic_id, label_id) select id, label_id from made),
        counted as (update epic_counters set last_iid = last_iid + ${rows})
        insert into epic_participants (epic_id, user_id) select id, 1 from made`,
    );
    await system.query(
      'collaboration',
      `with related as (
          insert into related_epics (source_id, target_id, link_type)
          select ${epic.id}, id, 'blocks' from epics where group_id = ${group.id} and id <> ${epic.id}),
        linked as (
          insert into epic_issues (epic_id, issue_id, relative_position) select ${epic.id}, id, id from issues where project_id = ${project.id})
        insert into epic_participants (epic_id, user_id) select ${epic.id}, member from unnest(array[${userIds}]::bigint[]) member on conflict do nothing`,
    );
    const onEpic = await post(`/groups/${group.id}/epics/${epic.id}/notes`, { body: 'First' });
    await system.query(
      'collaboration',
      `with noted as (
          insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
          select noteable_id, project_id, decode(lpad(to_hex(n + 4000), 40, '0'), 'hex'), true, author_id, 'Note'
          from notes, generate_series(1, ${rows}) n where id = ${onEpic.id})
        insert into award_emoji (awardable_type, awardable_id, name, user_id)
        select kind, awarded, 'thumbsup', member from unnest(array[${userIds}]) member,
        (values ('Epic', ${epic.id}), ('Note', ${onEpic.id})) target (kind, awarded)`,
    );
    const comment = await post(`${at}/issues/${issue.iid}/notes`, { body: 'First' });
    await system.query(
      'collaboration',
      `insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
        select noteable_id, project_id, decode(lpad(to_hex(n + 1000), 40, '0'), 'hex'), true, author_id, 'Note'
        from notes, generate_series(1, ${rows}) n where id = ${comment.id}`,
    );
    await system.query(
      'collaboration',
      `insert into award_emoji (awardable_type, awardable_id, name, user_id)
        select kind, awarded, 'thumbsup', member from unnest(array[${userIds}]) member,
        (values ('Issue', ${issue.id}), ('Note', ${comment.id})) target (kind, awarded)`,
    );

    // What became of one, a hundred times of each kind.
    for (const [database, owner, id] of [
      ['collaboration', 'issue_id', issue.id],
      ['merge_requests', 'merge_request_id', request.id],
    ] as const)
      await system.query(
        database,
        `insert into resource_events (${owner}, kind, action, object_id, user_id)
          select ${id}, 'state', 'closed', null, member from unnest(array[${userIds}]) member
          union all select ${id}, 'label', 'add', l.id, ${first} from directory.labels l
          union all select ${id}, 'milestone', 'add', ms.id, ${first} from directory.milestones ms`,
      );
    for (const [database, owner, id] of [
      ['collaboration', 'issue_id', issue.id],
      ['merge_requests', 'merge_request_id', request.id],
    ] as const)
      await system.query(
        database,
        `insert into timelogs (${owner}, user_id, time_spent, spent_at)
          select ${id}, member, 60, now() from unnest(array[${userIds}]) member`,
      );

    // A merge request's texts name at most a hundred issues, and an issue is named by few: the links of more are not what is measured here.
    await system.query(
      'collaboration',
      `insert into issue_merge_requests (merge_request_id, project_id, iid, merge_request_project_id, merge_request_iid, closes)
        select ${request.id}, ${project.id}, n, ${project.id}, ${request.iid}, true from generate_series(1, ${rows}) n
        union all
        select ${request.id} + n, ${project.id}, ${issue.iid}, ${project.id}, ${request.iid} + n, true
        from generate_series(1, ${rows}) n
        on conflict do nothing`,
    );

    // A hundred cars, each with a pipeline: adding and building them is not what is measured here.
    await system.query(
      'merge_requests',
      `with train as (insert into merge_trains (project_id, target_branch) values (${project.id}, 'main') returning id)
        insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, source_sha, squash,
          remove_source_branch, status, pipeline_id)
        select train.id, mr.project_id, 'main', mr.id, mr.author_id, mr.source_sha, false, false, 'merged',
          (select max(id) from pipelines where project_id = ${project.id})
        from train, merge_requests mr where mr.project_id = ${project.id}`,
    );

    // What each of them brings in is not what is measured here.
    await system.query(
      'merge_requests',
      `with places as (
          insert into environments (project_id, name, slug, tier)
          select ${project.id}, 'review/' || n, 'review-' || n, 'development' from generate_series(1, ${rows}) n returning id)
        insert into deployments (iid, project_id, environment_id, user_id, sha, ref, status, finished_at)
        select row_number() over (), ${project.id}, id, ${first}, '${baseSha}', 'main', 'success', now() from places`,
    );
    await system.query(
      'merge_requests',
      `with made as (
          insert into releases (project_id, tag, name, author_id, released_at)
          select ${project.id}, 'v' || n, 'v' || n, ${first}, now() - n * interval '1 day' from generate_series(0, ${rows - 1}) n
          returning id, tag)
        insert into release_links (release_id, name, url, type)
        select id, 'link ' || n, 'https://example.com/' || n, 'other' from made, generate_series(1, ${rows}) n
        where tag = 'v0'`,
    );
    // A merge request waits for a hundred others at the most.
    await system.query(
      'merge_requests',
      `insert into merge_request_blocks (blocking_id, blocked_id)
        select pair.blocking, pair.blocked from merge_requests mr,
          lateral (values (mr.id, ${request.id}::bigint), (${request.id}::bigint, mr.id)) pair (blocking, blocked)
        where mr.project_id = ${project.id} and mr.id <> ${request.id}`,
    );
    // Bringing in a hundred merge requests takes as many landings.
    const [deployed] = await system.query(
      'merge_requests',
      `insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
        select d.id, mr.id, 'production', true, now() from merge_requests mr, (select min(id) as id from deployments) d
        where mr.project_id = ${project.id} returning deployment_id as id`,
    );
    const milestones: Record<string, number> = {};
    for (const [place, parent] of [
      ['projects', at],
      ['groups', `/groups/${group.id}`],
    ] as const) {
      const { id } = await post(`${parent}/milestones`, { title: `of ${place}` });
      milestones[place] = id;
      await system.query(
        'collaboration',
        `insert into issues (iid, project_id, author_id, title, milestone_id)
          select ${id} * 1000 + n, ${project.id}, ${first}, 'Planned', ${id} from generate_series(1, ${rows}) n`,
      );
      await system.query(
        'merge_requests',
        `insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, state,
            milestone_id)
          select ${id} * 1000 + n, ${project.id}, ${project.id}, 'planned', 'main', ${first}, 'Planned', 'closed', ${id}
          from generate_series(1, ${rows}) n`,
      );
    }

    await post(`${at}/alert_management/http_integrations`, { name: 'I', active: true });
    await copy('alerts', 'http_integrations', { endpoint_id: `lpad(n::text, 16, '0')` });

    await system.query(
      'alerts',
      `with raised as (
          insert into alerts (project_id, iid, title, severity, started_at, starts_told, last_started_at, format, payload, integration_id,
            issue_id, issue_iid, issue_project_id)
          select ${project.id}, n, 'Alert', 1, now(), false, now(), 'custom', '{}',
            (select min(id) from http_integrations), ${issue.id} + n, ${issue.iid}, ${project.id} from generate_series(1, ${rows}) n
          returning id)
        insert into alert_assignees (alert_id, user_id) select id, ${first} from raised`,
    );
    await system.query(
      'alerts',
      `insert into metric_images (alert_id, blob, filename, content_type, size, url, url_text)
        select id, 'metric-images/' || n, 'load.png', 'image/png', 1, 'https://grafana.example', 'Load' from alerts, generate_series(1, ${rows}) n
        where project_id = ${project.id} and iid = 1`,
    );
    const onAlert = await post(`${at}/alert_management_alerts/1/notes`, { body: 'First' });
    await system.query(
      'collaboration',
      `with written as (
          insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body)
          select noteable_id, project_id, decode(lpad(to_hex(n + 4000), 40, '0'), 'hex'), true, author_id, 'Note'
          from notes, generate_series(1, ${rows}) n where id = ${onAlert.id})
        insert into award_emoji (awardable_type, awardable_id, name, user_id)
        select 'Note', ${onAlert.id}, 'thumbsup', member from unnest(array[${userIds}]) member`,
    );

    const account = await post('/service_accounts', {});
    await system.query(
      'groups_admin',
      `with made as (
        insert into users (username, name, email, user_type, confirmed_at, service_account_group_id)
        select 'robot' || i, 'Robot', 'robot' || i || '@example.com', 'service_account', now(), case when i > ${rows} then ${group.id} end
        from generate_series(1, ${2 * rows}) i returning id, service_account_group_id as of_group),
      tokens as (
        insert into personal_access_tokens (user_id, name, token_digest, scopes)
        select (select min(id) from made where of_group is not null), 't' || i, sha256(('robot' || i)::bytea), '{api}'
        from generate_series(1, ${rows}) i)
      insert into emails (user_id, email) select id, 'alias' || i || '@example.com'
      from generate_series(1, ${rows}) i, users where users.id in (1, ${first})`,
    );
    await system.query(
      'groups_admin',
      `with active as (update users set last_activity_on = current_date)
      insert into user_follows (follower_id, followed_id)
      select case d when 1 then u.id else ${first} end, case d when 1 then ${first} else u.id end
      from users u, generate_series(1, 2) d where u.username like 'robot%'`,
    );
    await system.query(
      'groups_admin',
      `insert into project_stars (project_id, user_id)
      select ${project.id}, id from users where username like 'robot%' union select id, ${first} from projects`,
    );
    const [robot] = await system.query(
      'groups_admin',
      `select min(user_id) as id from personal_access_tokens where name = 't1' and user_id > ${account.id}`,
    );

    // No events are on: what happens meanwhile is sent to none of them.
    await system.query(
      'groups_admin',
      `with hooks as (
          insert into webhooks (project_id, namespace_id, url, events, secrets)
          select place.project, place.namespace, 'https://receiver.example.com/' || n, '{}', '' from generate_series(1, ${rows}) n,
            (values (${project.id}::bigint, null::bigint), (null, ${group.id}), (null, null)) place (project, namespace)
          returning id, project_id, namespace_id),
        used as (
          select min(id) as id,
            case when project_id is not null then 'project_hook' when namespace_id is not null then 'group_hook' else 'system_hook' end as kind
          from hooks group by project_id, namespace_id),
        sent as (
          insert into deliveries (target_kind, target_id, receiver, object_key, content_id, idempotency_key, project_id, group_id, kind,
            action, actor_id, title, decision, rule, fate, attempts, response_status, finished_at)
          select kind, id, 'hook:' || id, 'Issue:${issue.id}', 0, 'measured-' || n, ${project.id}, ${group.id}, 'issue', 'update',
            ${first}, 'Everybody', 'queued', 'event_switch', 'sent', 1, 200, now() from used, generate_series(1, ${rows}) n
          returning id, target_kind, target_id)
        insert into delivery_attempts (delivery_id, target_kind, target_id, url, request_headers, request_body, response_status,
          response_headers, response_body, duration_ms)
        select id, target_kind, target_id, 'https://receiver.example.com', '{}', '{}', 200, '{}', '', 1 from sent`,
    );
    const hooks = await system.query(
      'groups_admin',
      `select case when project_id is not null then 'project' when namespace_id is not null then 'group' else 'instance' end as place,
        min(id) as id from webhooks group by 1`,
    );
    const hook = Object.fromEntries(hooks.map(({ place, id }) => [place, id]));
    await system.query(
      'collaboration',
      `insert into ledger_entries (user_id, project_id, group_id, target_type, target_id, target_iid, event, channel, decision, rule, detail)
        select 1, ${project.id}, ${group.id}, 'Issue', ${issue.id}, ${issue.iid}, 'new_note', 'mail', 'skip', 'level', ''
        from generate_series(1, ${rows})`,
    );

    const published: { id: number }[] = (await system.api('GET', `${at}/pipelines?per_page=${rows}`)).body;
    const [kept] = await system.query(
      'packages',
      `with made as (
          insert into packages (project_id, format, name, version)
          select ${project.id}, 'generic', 'tool', '1.0.' || n from generate_series(1, ${rows}) n returning id),
        used as (select min(id) as id from made),
        content as (
          insert into contents (sha256, sha1, md5, size, blob)
          values (sha256('x'), decode(repeat('00', 20), 'hex'), decode(md5('x'), 'hex'), 1, 'measured') returning id),
        files as (
          insert into package_files (package_id, content_id, file_name)
          select used.id, content.id, 'file-' || n from used, content, generate_series(1, ${rows}) n),
        linked as (
          insert into uploads (project_id, content_id, secret, file_name, content_type)
          select ${project.id}, content.id, md5(n::text), 'load.png', 'image/png' from content, generate_series(1, ${rows}) n),
        rules as (
          insert into package_protection_rules (project_id, format, name_pattern, push_level)
          select ${project.id}, 'generic', 'kept-' || n, 40 from generate_series(1, ${rows}) n)
        insert into package_pipelines (package_id, pipeline_id)
        select used.id, pipeline from used, unnest(array[${published.map(({ id }) => id)}]) pipeline returning package_id as id`,
    );

    const places = { group: group.id, project: project.id, user: first };
    await makeAdministration(system, places, async (work) => void (await work(0)));
    const digest = { token_digest: `sha256((gen_random_uuid()::text)::bytea)` };
    const fingerprint = { fingerprint_sha256: 'gen_random_uuid()' };
    for (const who of [1, first]) await copy('groups_admin', 'ssh_keys', fingerprint, { where: `user_id = ${who}` });
    await copy('groups_admin', 'ssh_keys', fingerprint, { where: `kind = 'deploy'` });
    await system.query(
      'groups_admin',
      `insert into deploy_key_projects (deploy_key_id, project_id) select id, ${project.id} from ssh_keys where kind = 'deploy'
        on conflict do nothing`,
    );
    await copy('groups_admin', 'personal_access_tokens', digest, { where: `kind = 'impersonation'` });
    await copy('groups_admin', 'topics', { name: `'topic-' || n` });
    await copy('groups_admin', 'broadcast_messages', {});
    // The copy of a value cannot be decrypted, as it is bound to its row; a hidden one is not.
    const unread = { masked: 'true', hidden: 'true' };
    for (const where of [`namespace_id = ${group.id}`, `project_id = ${project.id}`]) {
      await copy('groups_admin', 'deploy_tokens', digest, { where });
      await copy('groups_admin', 'variables', { key: `'KEY_' || n`, ...unread }, { where });
    }
    const ofInstance = { where: 'namespace_id is null and project_id is null', count: maxInstanceVariables - 1 };
    await copy('groups_admin', 'variables', { key: `'KEY_' || n`, ...unread }, ofInstance);
    for (const where of [`namespace_id = ${group.id}`, `project_id = ${project.id}`, `user_id = ${first}`])
      await copy('groups_admin', 'custom_attributes', { key: `'key-' || n` }, { where });
    for (const [parent, column, place] of [
      [at, 'project_id', project.id],
      [`/groups/${group.id}`, 'namespace_id', group.id],
    ] as const) {
      const token = await post(`${parent}/access_tokens`, { name: 'robot 0', scopes: ['read_api'], access_level: 20 });
      const name = `'${column}_robot_' || n`;
      const bots = await copy(
        'groups_admin',
        'users',
        { username: name, name: `'robot ' || n`, email: `${name} || '@example.com'` },
        { where: `id = ${token.user_id}` },
      );
      const ofBot = { where: `user_id = ${token.user_id}` };
      await copy('groups_admin', 'memberships', { user_id: nth(bots) }, ofBot);
      await copy(
        'groups_admin',
        'personal_access_tokens',
        { ...digest, user_id: nth(bots), name: `'robot ' || n` },
        ofBot,
      );
      await system.query(
        'groups_admin',
        `insert into access_token_bots (user_id, ${column}, access_level) select bot, ${place}, 20 from unnest(array[${bots}]) bot`,
      );
    }
    await renewDirectory();
    await makePlaceholders(system, project.id, rows);
    const beside = await post('/groups', { name: 'Beside', path: 'beside' });

    const g = `/groups/${group.id}`;
    const mr = `${at}/merge_requests/${request.iid}`;
    Object.assign(requests, {
      'GET /users': '/users',
      'GET /users/:user_id/impersonation_tokens': `/users/${first}/impersonation_tokens`,
      'GET /groups/:id/access_tokens': `${g}/access_tokens`,
      'GET /projects/:id/access_tokens': `${at}/access_tokens`,
      'GET /deploy_tokens': '/deploy_tokens',
      'GET /groups/:id/deploy_tokens': `${g}/deploy_tokens`,
      'GET /projects/:id/deploy_tokens': `${at}/deploy_tokens`,
      'GET /groups/:id/transfer_locations': `/groups/${beside.id}/transfer_locations`,
      'GET /projects/:id/transfer_locations': `${at}/transfer_locations`,
      'GET /projects/:id/forks': `${at}/forks`,
      'GET /user/keys': '/user/keys',
      'GET /users/:user_id/keys': `/users/${first}/keys`,
      'GET /deploy_keys': '/deploy_keys',
      'GET /projects/:id/deploy_keys': `${at}/deploy_keys`,
      'GET /topics': '/topics?without_projects=true',
      'GET /groups/:id/variables': `${g}/variables`,
      'GET /projects/:id/variables': `${at}/variables`,
      'GET /admin/ci/variables': '/admin/ci/variables',
      'GET /broadcast_messages': '/broadcast_messages',
      'GET /users/:id/custom_attributes': `/users/${first}/custom_attributes`,
      'GET /groups/:id/custom_attributes': `${g}/custom_attributes`,
      'GET /projects/:id/custom_attributes': `${at}/custom_attributes`,
      'GET /user/emails': '/user/emails',
      'GET /users/:id/emails': `/users/${first}/emails`,
      'GET /users/:id/followers': `/users/${first}/followers`,
      'GET /users/:id/following': `/users/${first}/following`,
      'GET /user/activities': '/user/activities',
      'GET /service_accounts': '/service_accounts',
      'GET /groups/:id/service_accounts': `${g}/service_accounts`,
      'GET /groups/:id/service_accounts/:user_id/personal_access_tokens': `${g}/service_accounts/${robot?.id}/personal_access_tokens`,
      'GET /personal_access_tokens': `/personal_access_tokens?user_id=${first}`,
      'GET /namespaces': '/namespaces',
      'GET /groups': '/groups',
      'GET /groups/:id/subgroups': `${g}/subgroups`,
      'GET /groups/:id/descendant_groups': `${g}/descendant_groups`,
      'GET /groups/:id/projects': `${g}/projects`,
      'GET /groups/:id/projects/shared': `${g}/projects/shared`,
      'GET /groups/:id/groups/shared': `${g}/groups/shared`,
      'GET /groups/:id/invited_groups': `${g}/invited_groups`,
      'GET /projects/:id/invited_groups': `${at}/invited_groups`,
      'GET /groups/:id/members': `${g}/members`,
      'GET /groups/:id/members/all': `${g}/members/all`,
      'GET /groups/:id/access_requests': `${g}/access_requests`,
      'GET /groups/:id/labels': `${g}/labels`,
      'GET /groups/:id/milestones': `${g}/milestones`,
      'GET /groups/:id/merge_requests': `${g}/merge_requests`,
      'GET /projects': '/projects',
      'GET /users/:id/projects': `/users/${first}/projects`,
      'GET /users/:id/starred_projects': `/users/${first}/starred_projects`,
      'GET /projects/:id/starrers': `${at}/starrers`,
      'GET /projects/:id/members': `${at}/members`,
      'GET /projects/:id/members/all': `${at}/members/all`,
      'GET /projects/:id/access_requests': `${at}/access_requests`,
      'GET /users/:id/memberships': `/users/${first}/memberships`,
      'GET /projects/:id/labels': `${at}/labels`,
      'GET /projects/:id/milestones': `${at}/milestones`,
      'GET /projects/:id/repository/branches': `${at}/repository/branches`,
      'GET /projects/:id/repository/tags': `${at}/repository/tags`,
      'GET /projects/:id/releases': `${at}/releases`,
      'GET /projects/:id/releases/:tag_name/assets/links': `${at}/releases/v0/assets/links`,
      'GET /projects/:id/repository/commits': `${at}/repository/commits?ref_name=main`,
      'GET /projects/:id/repository/commits/:sha/diff': `${at}/repository/commits/${bigFirst}/diff`,
      'GET /projects/:id/repository/commits/:sha/refs': `${at}/repository/commits/${baseSha}/refs`,
      'GET /projects/:id/repository/commits/:sha/merge_requests': `${at}/repository/commits/${bigSha}/merge_requests`,
      'GET /projects/:id/repository/commits/:sha/statuses': `${at}/repository/commits/${bigSha}/statuses`,
      'GET /projects/:id/repository/tree': `${at}/repository/tree`,
      'GET /projects/:id/repository/contributors': `${at}/repository/contributors`,
      'GET /projects/:id/protected_branches': `${at}/protected_branches`,
      'GET /projects/:id/approval_rules': `${at}/approval_rules`,
      'GET /projects/:id/protected_tags': `${at}/protected_tags`,
      'GET /projects/:id/pipelines': `${at}/pipelines`,
      'GET /projects/:id/jobs': `${at}/jobs`,
      'GET /projects/:id/pipelines/:pipeline_id/jobs': `${at}/pipelines/${reported?.id}/jobs`,
      'GET /projects/:id/environments': `${at}/environments`,
      'GET /projects/:id/deployments': `${at}/deployments`,
      'GET /projects/:id/deployments/:deployment_id/merge_requests': `${at}/deployments/${deployed?.id}/merge_requests`,
      'GET /projects/:id/merge_trains': `${at}/merge_trains`,
      'GET /projects/:id/merge_trains/:target_branch': `${at}/merge_trains/main?scope=complete`,
      'GET /issues': '/issues?scope=all',
      'GET /groups/:id/issues': `${g}/issues`,
      'GET /projects/:id/issues': `${at}/issues`,
      'GET /groups/:id/epics': `${g}/epics`,
      'GET /groups/:id/epics/:epic_iid/issues': `${g}/epics/${epic.iid}/issues`,
      'GET /groups/:id/epics/:epic_iid/related_epics': `${g}/epics/${epic.iid}/related_epics`,
      'GET /groups/:id/epics/:epic_id/notes': `${g}/epics/${epic.id}/notes`,
      'GET /groups/:id/epics/:epic_id/discussions': `${g}/epics/${epic.id}/discussions`,
      'GET /groups/:id/epics/:epic_iid/award_emoji': `${g}/epics/${epic.iid}/award_emoji`,
      'GET /groups/:id/epics/:epic_id/notes/:note_id/award_emoji': `${g}/epics/${epic.id}/notes/${onEpic.id}/award_emoji`,
      'GET /groups/:id/epics/:epic_iid/participants': `${g}/epics/${epic.iid}/participants`,
      'GET /projects/:id/issues/:issue_iid/participants': `${at}/issues/${issue.iid}/participants`,
      'GET /projects/:id/issues/:issue_iid/timelogs': `${at}/issues/${issue.iid}/timelogs`,
      'GET /projects/:id/merge_requests/:merge_request_iid/timelogs': `${mr}/timelogs`,
      ...Object.fromEntries(
        ['state', 'label', 'milestone'].flatMap((kind) => [
          [
            `GET /projects/:id/issues/:issue_iid/resource_${kind}_events`,
            `${at}/issues/${issue.iid}/resource_${kind}_events`,
          ],
          [
            `GET /projects/:id/merge_requests/:merge_request_iid/resource_${kind}_events`,
            `${mr}/resource_${kind}_events`,
          ],
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(milestones).flatMap(([place, id]) =>
          ['issues', 'merge_requests'].map((name) => [
            `GET /${place}/:id/milestones/:milestone_id/${name}`,
            `${place === 'groups' ? g : at}/milestones/${id}/${name}`,
          ]),
        ),
      ),
      'GET /projects/:id/snippets': `${at}/snippets`,
      'GET /snippets': '/snippets',
      'GET /snippets/public': '/snippets/public',
      'GET /snippets/all': '/snippets/all',
      'GET /projects/:id/snippets/:snippet_id/notes': `${at}/snippets/${snippet.id}/notes`,
      'GET /projects/:id/snippets/:snippet_id/discussions': `${at}/snippets/${snippet.id}/discussions`,
      'GET /projects/:id/snippets/:snippet_id/award_emoji': `${at}/snippets/${snippet.id}/award_emoji`,
      'GET /projects/:id/snippets/:snippet_id/notes/:note_id/award_emoji': `${at}/snippets/${snippet.id}/notes/${onSnippet.id}/award_emoji`,
      'GET /projects/:id/repository/commits/:sha/comments': `${at}/repository/commits/${bigSha}/comments`,
      'GET /projects/:id/repository/commits/:commit_id/discussions': `${at}/repository/commits/${bigSha}/discussions`,
      'GET /projects/:id/issues/:issue_iid/notes': `${at}/issues/${issue.iid}/notes`,
      'GET /projects/:id/issues/:issue_iid/discussions': `${at}/issues/${issue.iid}/discussions`,
      'GET /projects/:id/issues/:issue_iid/award_emoji': `${at}/issues/${issue.iid}/award_emoji`,
      'GET /projects/:id/issues/:issue_iid/notes/:note_id/award_emoji': `${at}/issues/${issue.iid}/notes/${comment.id}/award_emoji`,
      'GET /projects/:id/issues/:issue_iid/closed_by': `${at}/issues/${issue.iid}/closed_by`,
      'GET /projects/:id/issues/:issue_iid/related_merge_requests': `${at}/issues/${issue.iid}/related_merge_requests`,
      'GET /projects/:id/merge_requests/:merge_request_iid/closes_issues': `${mr}/closes_issues`,
      'GET /projects/:id/merge_requests/:merge_request_iid/related_issues': `${mr}/related_issues`,
      'GET /merge_requests': '/merge_requests?scope=all',
      'GET /projects/:id/merge_requests': `${at}/merge_requests`,
      'GET /projects/:id/merge_requests/:merge_request_iid/blocks': `${mr}/blocks`,
      'GET /projects/:id/merge_requests/:merge_request_iid/blockees': `${mr}/blockees`,
      'GET /projects/:id/merge_requests/:merge_request_iid/commits': `${mr}/commits`,
      'GET /projects/:id/merge_requests/:merge_request_iid/diffs': `${mr}/diffs`,
      'GET /projects/:id/merge_requests/:merge_request_iid/pipelines': `${mr}/pipelines`,
      'GET /projects/:id/merge_requests/:merge_request_iid/participants': `${mr}/participants`,
      'GET /projects/:id/merge_requests/:merge_request_iid/reviewers': `${mr}/reviewers`,
      'GET /projects/:id/merge_requests/:merge_request_iid/approval_rules': `${mr}/approval_rules`,
      'GET /projects/:id/merge_requests/:merge_request_iid/versions': `${mr}/versions`,
      'GET /projects/:id/merge_requests/:merge_request_iid/context_commits': `${mr}/context_commits`,
      'GET /projects/:id/merge_requests/:merge_request_iid/notes': `${mr}/notes`,
      'GET /projects/:id/merge_requests/:merge_request_iid/discussions': `${mr}/discussions`,
      'GET /projects/:id/merge_requests/:merge_request_iid/draft_notes': `${mr}/draft_notes`,
      'GET /projects/:id/merge_requests/:merge_request_iid/award_emoji': `${mr}/award_emoji`,
      'GET /projects/:id/merge_requests/:merge_request_iid/notes/:note_id/award_emoji': `${mr}/notes/${note.id}/award_emoji`,
      'GET /events': '/events',
      'GET /users/:id/events': '/users/root/events',
      'GET /projects/:id/events': `${at}/events`,
      'GET /projects/:id/alert_management_alerts': `${at}/alert_management_alerts`,
      'GET /projects/:id/alert_management_alerts/:alert_iid/metric_images': `${at}/alert_management_alerts/1/metric_images`,
      'GET /projects/:id/alert_management_alerts/:alert_iid/notes': `${at}/alert_management_alerts/1/notes`,
      'GET /projects/:id/alert_management_alerts/:alert_iid/discussions': `${at}/alert_management_alerts/1/discussions`,
      'GET /projects/:id/alert_management_alerts/:alert_iid/notes/:note_id/award_emoji': `${at}/alert_management_alerts/1/notes/${onAlert.id}/award_emoji`,
      'GET /projects/:id/alert_management/http_integrations': `${at}/alert_management/http_integrations`,
      'GET /hooks': '/hooks',
      'GET /hooks/:hook_id/events': `/hooks/${hook.instance}/events`,
      'GET /groups/:id/hooks': `${g}/hooks`,
      'GET /groups/:id/hooks/:hook_id/events': `${g}/hooks/${hook.group}/events`,
      'GET /projects/:id/hooks': `${at}/hooks`,
      'GET /projects/:id/hooks/:hook_id/events': `${at}/hooks/${hook.project}/events`,
      'GET /notifications/ledger': '/notifications/ledger',
      'GET /projects/:id/deliveries': `${at}/deliveries`,
      'GET /groups/:id/packages': `${g}/packages`,
      'GET /projects/:id/import/placeholders': `${at}/import/placeholders`,
      'GET /projects/:id/packages': `${at}/packages`,
      'GET /projects/:id/packages/:package_id/package_files': `${at}/packages/${kept?.id}/package_files`,
      'GET /projects/:id/packages/:package_id/pipelines': `${at}/packages/${kept?.id}/pipelines`,
      'GET /projects/:id/packages/protection/rules': `${at}/packages/protection/rules`,
      'GET /projects/:id/uploads': `${at}/uploads`,
      'GET /todos': `/todos?private_token=${token}`,
    });
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is measured here', () => {
    expect(Object.keys(requests).sort()).toEqual(lists.map(operationOf).sort());
  });

  it.each(lists.map((route) => [operationOf(route), route.list?.keysetUpTo ?? rows] as const))(
    '%s',
    async (operation, full) => {
      const path = requests[operation] as string;
      const ask = async (perPage: number) => {
        const url = `${path}${path.includes('?') ? '&' : '?'}per_page=${perPage}`;
        const token = path.includes('private_token') ? '' : undefined;
        const reply = await system.api('GET', url, { token });
        return { status: reply.status, rows: reply.body?.length, cost: reply.headers.get('x-switchyard-cost') };
      };
      // What the first of two finds in no cache does not count.
      await ask(2);
      const few = await ask(2);
      const first = await ask(full);
      const many = first.cost === few.cost ? first : await ask(full);
      const most = operation === 'GET /admin/ci/variables' ? maxInstanceVariables : full;
      expect([few.status, few.rows, many.status, many.rows]).toEqual([200, 2, 200, most]);
      expect(many.cost).toBe(few.cost);
    },
  );

  const isKeysetOnly = ({ list }: (typeof routes)[number]): boolean => list?.keysetUpTo !== undefined;

  it.each(lists.filter((route) => !isKeysetOnly(route)).map(operationOf))(
    '%s is paged by number and by cursor',
    async (operation) => {
      const path = requests[operation] as string;
      const token = path.includes('private_token') ? '' : undefined;
      const ask = (query: string) => system.api('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`, { token });
      const [first, second, both, keyset] = await Promise.all([
        ask('per_page=2'),
        ask('per_page=2&page=2'),
        ask('per_page=4&page=1'),
        ask('per_page=2&pagination=keyset'),
      ]);
      expect([...first.body, ...second.body]).toEqual(both.body);
      expect([keyset.body, keyset.headers.get('x-page')]).toEqual([first.body, null]);
      const next = await ask(`per_page=2&cursor=${encodeURIComponent(keyset.headers.get('x-next-cursor') ?? '')}`);
      expect(next.body).toEqual(second.body);
      const [, link = ''] = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(keyset.headers.get('link') ?? '') ?? [];
      // Links hold no token.
      const shown = /private_token=([^&]+)/.exec(path)?.[1];
      expect((await system.api('GET', link, { token: shown })).body).toEqual(second.body);
    },
  );

  // GitLab pages these by keyset alone (G-4.17-1): a page by number is nothing that they have.
  it.each(lists.filter(isKeysetOnly).map(operationOf))('%s is paged by cursor', async (operation) => {
    const path = requests[operation] as string;
    const [first, both] = [
      await system.api('GET', `${path}?per_page=2`),
      await system.api('GET', `${path}?per_page=4`),
    ];
    expect([first.body, first.headers.get('x-page')]).toEqual([both.body.slice(0, 2), null]);
    const cursor = encodeURIComponent(first.headers.get('x-next-cursor') ?? '');
    const next = await system.api('GET', `${path}?per_page=2&cursor=${cursor}`);
    expect([next.body.length, next.body]).toEqual([2, both.body.slice(2)]);
    const [, link = ''] = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    expect((await system.api('GET', link)).body).toEqual(next.body);
  });
});
