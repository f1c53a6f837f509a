/** The time of the n-th note, two minutes and a bit after the one before. */
const timestamp = (n) => `timestamptz '2024-01-01 00:00:00.123Z' + ${n} * interval '137.5 seconds'`;

/** An issue by the API. */
export async function openIssue({ api }, project, { title = 'What is talked about', token } = {}) {
  const { body } = await api('POST', `/projects/${project.id}/issues`, { title }, { token });
  return { id: body.id, iid: body.iid };
}

/**
 * Notes on one issue by SQL, each a thread of its own: 9 of 10 comments, the rest system notes; as long as people write.
 *
 * @returns {Promise<number>} id of the last
 */
export async function seedNotes(db, { project, people, issue, count }) {
  await db.query('begin');
  const { rows } = await db.query(
    `insert into noteables (kind, project_id, target_id, user_notes_count, version) values ('Issue', $1, $2, $3::int, $3::int)
      on conflict (kind, target_id, project_id, sha) do update set user_notes_count = excluded.user_notes_count returning id`,
    [project.id, issue.id, count],
  );
  await db.query(
    `insert into notes (noteable_id, project_id, discussion_id, starts_discussion, author_id, body, system, action, created_at, updated_at)
      select $1, $2, decode(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0'), 'hex') || substring(sha256(i::text::bytea) for 14),
        true, ($3::bigint[])[1 + i % cardinality($3)],
        case when system then 'changed the description' else 'Comment ' || i || ': ' || repeat('I have seen the same here, and know why. ', (1 + i % 5)::int) end,
        system, case when system then 'description' end, at, at
      from (select i, i % 10 = 0 as system, ${timestamp('i')} as at from generate_series(1, $4::bigint) as i) as one`,
    [rows[0].id, project.id, people.others, count],
  );
  const { rows: last } = await db.query('select max(id)::int as id from notes where noteable_id = $1', [rows[0].id]);
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) notes, noteables');
  // A million rows are on their way to the disk: a later write waits for it.
  await db.query('checkpoint');
  return last[0].id;
}

/** Events of a project by SQL: half of them comments on an issue that has notes, the rest issues, merge requests and pushes. */
export async function seedEvents(db, { project, people, issue, count }) {
  await db.query(
    `insert into activity_events (cause, project_id, author_id, action, target_type, target_id, target_iid, target_title,
      subject_type, subject_id, push_data, imported, created_at)
    select 'bench:' || i, $1, coalesce(note.author_id, ($2::bigint[])[1 + i % cardinality($2)]),
      case kind when 0 then 'created' when 1 then 'pushed' when 2 then 'merged' else 'commented' end,
      case kind when 0 then 'issue' when 1 then null when 2 then 'merge_request' else 'note' end,
      case kind when 0 then $3::bigint when 1 then null when 2 then i else note.id end,
      case kind when 1 then null when 2 then i else $4::bigint end,
      case kind when 1 then null else 'What is talked about' end,
      case kind when 1 then 'repository' when 2 then 'merge_request' else 'issue' end,
      case kind when 1 then 0 when 2 then i else $3::bigint end,
      case kind when 1 then json_build_object('action', 'pushed', 'ref_type', 'branch', 'commit_count', 3,
        'commit_from', encode(sha256(('from' || i)::bytea), 'hex'), 'commit_to', encode(sha256(('to' || i)::bytea), 'hex'),
        'ref', 'feature/number-' || i, 'commit_title', 'Read the page of list ' || i || ' in one statement', 'ref_count', null) end,
      false, ${timestamp('i')}
    from (select i, least(i % 6, 3) as kind from generate_series(1, $5::bigint) as i) as one
    left join lateral (
      select n.id, n.author_id from notes n join noteables of on of.id = n.noteable_id
      where of.kind = 'Issue' and of.target_id = $3 and n.created_at = ${timestamp('i')} and one.kind = 3 and not n.system) note on true
    where kind < 3 or note.id is not null`,
    [project.id, people.others, issue.id, issue.iid, count],
  );
  await db.query('vacuum (analyze) activity_events');
}

/** Pending to-dos of the developer by SQL, in turns on an issue and on a merge request; the ids of those targets. */
export async function seedTodos(db, { project, people, issueIds, mergeRequestIds, count }) {
  await db.query(
    `insert into todos (user_id, author_id, project_id, action, target_type, target_id, cause, body, created_at, updated_at)
      select $1, ($2::bigint[])[1 + i % cardinality($2)], $3, case when i % 3 = 0 then 'assigned' else 'mentioned' end,
        case when i % 2 = 0 then 'Issue' else 'MergeRequest' end,
        case when i % 2 = 0 then ($4::bigint[])[1 + i / 2 % cardinality($4)] else ($5::bigint[])[1 + i / 2 % cardinality($5)] end,
        'bench:' || i, case when i % 3 = 0 then null else 'Have a look at this, please, number ' || i end, ${timestamp('i')}, ${timestamp('i')}
      from generate_series(1, $6::bigint) as i`,
    [people.developer, people.others, project.id, issueIds, mergeRequestIds, count],
  );
  await db.query('vacuum (analyze) todos');
}
