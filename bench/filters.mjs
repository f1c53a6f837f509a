import { compareSizes, cursorAfter } from './growth.mjs';
import { compareWithBare } from './list.mjs';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';

const sizes = [1_000, 100_000];
const approved = 20;
/** Merge requests of a project that one approved, so that a page of few and one of many has as many rows. */
const rare = 40;
const shownTargetMs = 100;
const bareTarget = 3;
const environments = ['production', 'staging'];

/**
 * What the filters look at: one of three merge requests is approved by one colleague and, one of ten of these, by
 * another, and 40 of each project, however many it has, by the developer; the developer reacted to one of ten; all that are merged were deployed, ten at
 * once, each second time to production; a rule of the project names two colleagues, and one of 25 merge requests has a
 * rule of its own that names the developer.
 */
async function seedReviews(db, { project, people, count }) {
  const ours = 'mr.project_id = $1';
  await db.query('begin');
  await db.query(
    `insert into merge_request_approvals (merge_request_id, user_id, created_at)
      select mr.id, ($2::bigint[])[1 + mr.iid % cardinality($2)], mr.created_at from merge_requests mr where ${ours} and mr.iid % 3 = 0
      union all select mr.id, ($2::bigint[])[1 + (mr.iid + 1) % cardinality($2)], mr.created_at from merge_requests mr where ${ours} and mr.iid % 30 = 0
      union all select mr.id, $3, mr.created_at from merge_requests mr where ${ours} and mr.iid % $4 = 1`,
    [project.id, people.others, people.developer, count / rare],
  );
  await db.query(
    `insert into merge_request_reactions (merge_request_id, user_id, name, given, version)
      select mr.id, $2, case when mr.iid % 20 = 0 then 'thumbsup' else 'rocket' end, true, 1 from merge_requests mr where ${ours} and mr.iid % 10 = 0`,
    [project.id, people.developer],
  );
  await db.query(
    `with made as (
        insert into approval_rules (project_id, rule_type, name, approvals_required) values ($1, 'regular', 'Security', 1) returning id)
      insert into approval_rule_users (rule_id, user_id) select made.id, unnest(($2::bigint[])[1:2]) from made`,
    [project.id, people.others],
  );
  await db.query(
    `with made as (
        insert into approval_rules (project_id, merge_request_id, rule_type, name, approvals_required)
        select mr.project_id, mr.id, 'regular', 'Own', 1 from merge_requests mr where ${ours} and mr.iid % 25 = 0 returning id)
      insert into approval_rule_users (rule_id, user_id) select made.id, $2 from made`,
    [project.id, people.developer],
  );
  for (const [at, name] of environments.entries()) {
    await db.query(
      `with place as (
          insert into environments (project_id, name, slug, tier) values ($1, $2, $2, $2) returning id)
        , landed as (
          select mr.id, mr.merged_at, row_number() over (order by mr.id) / 10 as batch from merge_requests mr
          where ${ours} and mr.state = 'merged' and mr.iid % 20 between $3 and $3 + 9)
        , made as (
          insert into deployments (iid, project_id, environment_id, user_id, sha, ref, status, created_at, updated_at, finished_at)
          select landed.batch * 2 + $3 / 10 + 1, $1, place.id, $4, encode(sha256('deployed'), 'hex'), 'main', 'success',
            max(landed.merged_at), max(landed.merged_at), max(landed.merged_at)
          from landed, place group by landed.batch, place.id returning id, iid, finished_at)
        insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
        select made.id, landed.id, $2, $2 = 'production', made.finished_at
        from made join landed on landed.batch = (made.iid - 1) / 2`,
      [project.id, name, at * 10, people.developer],
    );
  }
  await db.query('commit');
  await db.query(
    `vacuum (analyze) merge_request_approvals, merge_request_reactions, approval_rules, approval_rule_users, deployments,
      deployment_merge_requests`,
  );
}

/** Projects of 1,000 and of 100,000 merge requests, with what the filters look at. */
async function seedFiltered(installation, report, people, db) {
  const projects = [];
  for (const count of sizes) {
    const project = await seedProject(installation, { path: `filtered-${count}`, people });
    const since = performance.now();
    await seedMergeRequests(db, { project, people, count });
    await seedReviews(db, { project, people, count });
    report.note(`filters: ${count} merge requests written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
    projects.push({ ...project, count });
  }
  return projects;
}

/** The filters of a project, each as a query. */
const filtersOf = (people, project) => ({
  approved: 'approved=yes',
  'not approved': 'approved=no',
  'approved by a colleague': `approved_by_ids[]=${people.others[0]}`,
  'approved by the caller, rarely': `approved_by_ids[]=${people.developer}`,
  'approved by a colleague, by name': 'approved_by_usernames[]=filters-colleague-1',
  'approved by someone': 'approved_by_ids=Any',
  'approver by rules': `approver_ids[]=${people.others[0]}`,
  'approver by own rules': `approver_ids[]=${people.developer}`,
  'approved by both, never': `approved_by_ids[]=${people.developer}&approved_by_ids[]=${people.others[0]}`,
  'without approvers': 'approver_ids=None',
  'with approvers': 'approver_ids=Any',
  'approved by no colleague': 'approved_by_ids=None',
  'own reaction': 'my_reaction_emoji=rocket',
  'no such reaction': 'my_reaction_emoji=tada',
  'without that reaction': 'not[my_reaction_emoji]=rocket',
  'any own reaction': 'my_reaction_emoji=Any',
  'no own reaction': 'my_reaction_emoji=None',
  environment: 'environment=production',
  'no such environment': 'environment=nowhere',
  'deployed after': 'deployed_after=2024-01-01T12:00:00Z',
  'deployed before': 'deployed_before=2024-01-01T12:00:00Z',
  'from the project itself': `source_project_id=${project.id}`,
  'without that source branch': 'not[source_branch]=feature/number-1',
});

/** From the request to approve until the list says that the merge request is mergeable, of some that lack the caller's approval. */
async function approveAndLook({ api }, report, db, { project, token }) {
  const { rows } = await db.query(
    `select iid::int from merge_requests where project_id = $1 and iid % 25 = 0 and not draft and merge_status = 'can_be_merged'
      and state = 'opened' order by iid desc limit $2`,
    [project.id, approved],
  );
  const shown = [];
  for (const { iid } of rows) {
    const status = async () =>
      (await api('GET', `/projects/${project.id}/merge_requests?iids[]=${iid}`, undefined, { token })).body[0]
        .detailed_merge_status;
    const before = await status();
    if (before !== 'not_approved') throw new Error(`!${iid} is ${before} before its approval`);
    const since = performance.now();
    await api('POST', `/projects/${project.id}/merge_requests/${iid}/approve`, {}, { token });
    while ((await status()) !== 'mergeable') {
      if (performance.now() - since > 10_000) throw new Error(`!${iid} is ${await status()} after its approval`);
    }
    shown.push(performance.now() - since);
  }
  report.figure('filters, approve until shown as mergeable', shown, { unit: 'ms', digits: 0, target: shownTargetMs });
}

/**
 * Each filter of merge requests by what others did with them: the pages of a project with 100,000 against one with 1,000;
 * and the list of merge requests that have approvals and rules, against a bare process.
 */
export async function filters(installation, report) {
  const { url } = installation;
  const people = await seedPeople(installation, 'filters');
  const db = await installation.connect('switchyard_merge_requests');
  try {
    const projects = await seedFiltered(installation, report, people, db);
    const [small] = projects;
    await approveAndLook(installation, report, db, { project: small, token: people.token });
    await compareWithBare(
      installation,
      report,
      { db, project: small, token: people.token },
      {
        kind: 'merge_requests',
        name: 'filters, list with approvals, first page',
        paging: 'offset',
        perPage: 20,
        query: 'per_page=20',
        target: bareTarget,
      },
    );
    const middleOf = async ({ id, count }) => {
      const { rows } = await db.query(
        'select created_at::text, id::text from merge_requests where project_id = $1 order by created_at desc, id desc offset $2 limit 1',
        [id, count / 2],
      );
      return cursorAfter(rows[0]);
    };
    const pages = {
      'first page': async () => 'per_page=20',
      'keyset page in the middle': async (project) => `per_page=20&pagination=keyset&cursor=${await middleOf(project)}`,
    };
    for (const filter of Object.keys(filtersOf(people, small))) {
      for (const [name, queryOf] of Object.entries(pages)) {
        const subjects = [];
        for (const project of projects) {
          const query = `${filtersOf(people, project)[filter]}&${await queryOf(project)}`;
          subjects.push({ size: project.count, url: `${url}/api/v4/projects/${project.id}/merge_requests?${query}` });
        }
        await compareSizes(installation, report, db, {
          name: `filters, ${filter}, ${name}`,
          subjects,
          headers: { 'PRIVATE-TOKEN': people.token },
          services: ['gateway', 'groups-admin', 'merge-requests'],
        });
      }
    }
  } finally {
    await db.end();
  }
}
