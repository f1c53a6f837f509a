const colours = ['#d9534f', '#f0ad4e', '#5cb85c', '#428bca', '#34495e', '#8e44ad'];
const labelTitles = ['backend', 'bug', 'database', 'documentation', 'performance', 'security'];

/** A developer with a token of their own, and users to write, review and merge. */
export async function seedPeople({ api }, suite) {
  const user = (username, name) =>
    api('POST', '/users', { email: `${username}@example.com`, username, name, force_random_password: true }).then(
      ({ body }) => body.id,
    );
  const others = [];
  for (let at = 1; at <= 12; at += 1) others.push(await user(`${suite}-colleague-${at}`, `Colleague Number ${at}`));
  const developer = await user(`${suite}-developer`, 'Dana Developer');
  const { body } = await api('POST', `/users/${developer}/personal_access_tokens`, { name: 'bench', scopes: ['api'] });
  return { developer, token: body.token, others };
}

/** A private project in a group of its own, with labels, a milestone, and the developer as a member. */
export async function seedProject({ api }, { path, people }) {
  const { body: group } = await api('POST', '/groups', { name: `Group of ${path}`, path: `${path}-group` });
  const { body: project } = await api('POST', '/projects', { name: path, path, namespace_id: group.id });
  await api('POST', `/groups/${group.id}/members`, { user_id: people.developer, access_level: 40 });
  const labels = [];
  for (const [at, name] of labelTitles.entries()) {
    const { body } = await api('POST', `/projects/${project.id}/labels`, { name, color: colours[at] });
    labels.push(body.id);
  }
  const { body: milestone } = await api('POST', `/projects/${project.id}/milestones`, {
    title: '17.10',
    description: 'What goes into the next release',
    due_date: '2030-01-31',
  });
  return { id: project.id, path: `${path}-group/${path}`, groupId: group.id, labels, milestone: milestone.id };
}

const paragraph =
  'This change reads the page of a list in one statement and counts to ten thousand and one in another. ' +
  'The index ends in the id, so that rows of one moment keep their order. See the benchmark for the figures before and after; ' +
  'reviewers may want to begin with the migration, and then with the storage folder. ';

/**
 * Merge requests of a project by SQL: 60 of 100 open, 30 merged, 10 closed, each with an assignee, two reviewers, two
 * labels, a milestone and a diff version. As wide as those people write: 20 of them are some 65 kB of JSON.
 */
export async function seedMergeRequests(db, { project, people, count }) {
  const { rows } = await db.query(
    'select coalesce(max(iid), 0)::int as last from merge_requests where project_id = $1',
    [project.id],
  );
  const first = rows[0].last;
  await db.query('begin');
  await db.query(
    `insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, description,
      state, draft, task_count, completed_task_count, source_sha, target_sha, merge_status, merge_status_generation,
      force_remove_source_branch, milestone_id, prepared_at, changes_count, user_notes_count, upvotes,
      merge_user_id, merged_at, merge_commit_sha, closed_by_id, closed_at, created_at, updated_at)
    select i, $1, $1, 'feature/number-' || i, 'main', author, 'Read the page of list ' || i || ' in one statement', repeat($2::text, (1 + i % 2)::int),
      state, i % 9 = 0, 4, i % 5, encode(sha256(('source' || i)::bytea), 'hex'), encode(sha256('target'), 'hex'),
      case when i % 7 = 0 then 'cannot_be_merged' else 'can_be_merged' end, 1,
      true, $3, at, 1 + i % 30, i % 12, i % 4,
      case when state = 'merged' then author end, case when state = 'merged' then at + interval '1 hour' end,
      case when state = 'merged' then encode(sha256(('merge' || i)::bytea), 'hex') end,
      case when state = 'closed' then author end, case when state = 'closed' then at + interval '2 hours' end,
      at, at + interval '3 hours'
    from (select i, ($4::bigint[])[1 + i % cardinality($4)] as author,
        case when i % 10 < 6 then 'opened' when i % 10 < 9 then 'merged' else 'closed' end as state,
        timestamptz '2024-01-01 00:00:00.123Z' + i * interval '137.5 seconds' as at
      from generate_series($5::bigint, $6::bigint) as i) as one`,
    [project.id, paragraph, project.milestone, people.others, first + 1, first + count],
  );
  const ids = `(select id, iid from merge_requests where project_id = $1 and iid > $2) as mr`;
  const range = [project.id, first];
  await db.query(
    `insert into merge_request_assignees (merge_request_id, user_id)
      select id, ($3::bigint[])[1 + (iid + 3) % cardinality($3)] from ${ids}`,
    [...range, people.others],
  );
  await db.query(
    `insert into merge_request_reviewers (merge_request_id, user_id)
      select id, ($3::bigint[])[1 + (iid + shift) % cardinality($3)] from ${ids}, unnest(array[5, 7]) as shift`,
    [...range, people.others],
  );
  await db.query(
    `insert into merge_request_labels (merge_request_id, label_id)
      select id, ($3::bigint[])[1 + (iid + shift) % cardinality($3)] from ${ids}, unnest(array[0, 2]) as shift`,
    [...range, project.labels],
  );
  await db.query(
    `with made as (
      insert into merge_request_diffs (merge_request_id, base_sha, head_sha, start_sha, commits_count, files_count)
      select id, encode(sha256('base'), 'hex'), encode(sha256(('source' || iid)::bytea), 'hex'), encode(sha256('target'), 'hex'), 3, 5
      from ${ids} returning id, merge_request_id)
    update merge_requests mr set latest_diff_id = made.id from made where mr.id = made.merge_request_id`,
    range,
  );
  await db.query(
    `insert into iid_counters (project_id, scope, last_iid) values ($1, 'merge_requests', $2)
      on conflict (project_id, scope) do update set last_iid = excluded.last_iid`,
    [project.id, first + count],
  );
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query(
    'vacuum (analyze) merge_requests, merge_request_assignees, merge_request_reviewers, merge_request_labels, merge_request_diffs',
  );
}

/** Issues of a project by SQL: 6 of 10 open, each with an assignee, two labels and a milestone; as wide as those people write. */
export async function seedIssues(db, { project, people, count }) {
  await db.query('begin');
  await db.query(
    `insert into issues (iid, project_id, author_id, title, description, state, task_count, completed_task_count, milestone_id,
      due_date, weight, user_notes_count, upvotes, closed_by_id, closed_at, created_at, updated_at)
    select i, $1, author, 'The page of list ' || i || ' takes too long', repeat($2::text, (1 + i % 2)::int),
      case when open then 'opened' else 'closed' end, 4, i % 5, $3, date '2030-01-01' + (i % 300)::int, i % 9, i % 12, i % 4,
      case when not open then author end, case when not open then at + interval '2 hours' end, at, at + interval '3 hours'
    from (select i, ($4::bigint[])[1 + i % cardinality($4)] as author, i % 10 < 6 as open,
        timestamptz '2024-01-01 00:00:00.123Z' + i * interval '137.5 seconds' as at
      from generate_series(1, $5::bigint) as i) as one`,
    [project.id, paragraph, project.milestone, people.others, count],
  );
  await db.query(
    `insert into issue_assignees (issue_id, user_id)
      select id, ($2::bigint[])[1 + (iid + 3) % cardinality($2)] from issues where project_id = $1`,
    [project.id, people.others],
  );
  await db.query(
    `insert into issue_labels (issue_id, label_id)
      select id, ($2::bigint[])[1 + (iid + shift) % cardinality($2)] from issues, unnest(array[0, 2]) as shift where project_id = $1`,
    [project.id, project.labels],
  );
  await db.query(
    `insert into iid_counters (project_id, scope, last_iid) values ($1, 'issues', $2)
      on conflict (project_id, scope) do update set last_iid = excluded.last_iid`,
    [project.id, count],
  );
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) issues, issue_assignees, issue_labels');
}
