import { compareSizes, cursorAfter } from './growth.mjs';
import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedIssues, seedPeople, seedProject } from './seed.mjs';

const sizes = [1_000, 100_000];
const epicsOfTree = 1_000;
const issuesOfTree = 10_000;
const childrenOfEpic = 10;
const rounds = 7;
const warmUp = 2;
const datesTargetMs = 1_000;
const progressTargetMs = 50;
/** Milliseconds after which dates that have not followed are a failure. */
const datesEndMs = 30_000;

/** Epics of a group by SQL, as wide as people write them: 7 of 10 opened, two labels each. */
async function seedEpics(db, { groupId, labels, people, count }) {
  await db.query('begin');
  await db.query(
    `with opened as (
      insert into epics (group_id, iid, author_id, title, description, state, created_at, updated_at)
      select $1, i, ($2::bigint[])[1 + i % cardinality($2::bigint[])], 'Shops in country number ' || i,
        repeat('Every shop of this country sells what the warehouse has, in its own currency and language. ', 8),
        case when i % 10 < 7 then 'opened' else 'closed' end, at, at + interval '2 minutes'
      from (select i, timestamptz '2024-01-01 00:00:00.123Z' + i * interval '37.5 seconds' as at from generate_series(1, $3::bigint) as i) as one
      returning id, iid)
    insert into epic_labels (epic_id, label_id)
    select id, ($4::bigint[])[1 + (iid + at) % cardinality($4::bigint[])] from opened, generate_series(0, 1) as at`,
    [groupId, people.others, count, labels],
  );
  await db.query(
    `insert into epic_counters (group_id, last_iid) values ($1, $2)
      on conflict (group_id) do update set last_iid = excluded.last_iid`,
    [groupId, count],
  );
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) epics, epic_labels');
  await db.query('checkpoint');
}

/** Links the epics of a group to a tree, each with ten children at the most, and the issues of a project to them. */
async function growTree(db, { groupId, projectId }) {
  await db.query('begin');
  await db.query(
    `update epics child set parent_id = parent.id, relative_position = child.iid
      from epics parent
      where child.group_id = $1 and child.iid > 1 and parent.group_id = $1 and parent.iid = 1 + (child.iid - 2) / $2`,
    [groupId, childrenOfEpic],
  );
  await db.query(
    `insert into epic_issues (epic_id, issue_id, relative_position)
      select e.id, i.id, i.iid from issues i join epics e on e.group_id = $1 and e.iid = 1 + i.iid % $3
      where i.project_id = $2`,
    [groupId, projectId, epicsOfTree],
  );
  await db.query('commit');
  await db.query('vacuum (analyze) epics, epic_issues, issues');
}

/** Until the dates of the topmost epic of a tree follow a milestone of its issues, and until its progress is there. */
async function measureTree(installation, report, db, people) {
  const { api } = installation;
  const project = await seedProject(installation, { path: 'planned', people });
  const { groupId } = project;
  await seedIssues(db, { project, people, count: issuesOfTree });
  await seedEpics(db, { groupId, labels: project.labels, people, count: epicsOfTree });
  await growTree(db, { groupId, projectId: project.id });
  const epic = `/groups/${groupId}/epics/1`;
  const token = { token: people.token };
  const dueDate = async () => (await api('GET', epic, undefined, token)).body.due_date;
  const followed = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const wanted = `2031-02-${String(round + 1).padStart(2, '0')}`;
    const since = performance.now();
    await api('PUT', `/projects/${project.id}/milestones/${project.milestone}`, { due_date: wanted });
    while ((await dueDate()) !== wanted) {
      if (performance.now() - since > datesEndMs) throw new Error(`the dates of the tree have not become ${wanted}`);
    }
    if (round >= warmUp) followed.push(performance.now() - since);
  }
  const size = `${epicsOfTree} epics and ${issuesOfTree} issues`;
  report.figure(`epics: ${size}, dates follow a milestone`, followed, { unit: 'ms', digits: 0, target: datesTargetMs });
  const taken = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const since = performance.now();
    const { body } = await api('GET', `${epic}/progress`, undefined, token);
    const counted = body.issues.opened + body.issues.closed;
    if (counted !== issuesOfTree) throw new Error(`${counted} issues of ${issuesOfTree} in the progress`);
    if (round >= warmUp) taken.push(performance.now() - since);
  }
  report.figure(`epics: ${size}, progress`, taken, { unit: 'ms', target: progressTargetMs });
}

/** CPU per page of a group's epics against a bare process, the pages of 100,000 of them against 1,000, and a tree. */
export async function epics(installation, report) {
  const people = await seedPeople(installation, 'epics');
  const db = await installation.connect('switchyard_collaboration');
  try {
    await measureTree(installation, report, db, people);
    const plans = [];
    for (const size of sizes) {
      const project = await seedProject(installation, { path: `epics-${size}`, people });
      const since = performance.now();
      await seedEpics(db, { ...project, people, count: size });
      report.note(`epics: ${size} written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
      plans.push({ size, project, path: `groups/${project.groupId}/epics` });
    }
    const { project, path } = plans.at(-1);
    const page = {
      kind: 'epics',
      path,
      owner: 'collaboration',
      perPage: 20,
      given: { groupId: project.groupId, viewer: viewerOf(people) },
    };
    const shared = { db, project, token: people.token };
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'epics, first page of 100,000',
      paging: 'offset',
      query: 'per_page=20',
      target: 3,
    });
    const middleOf = async (one) => {
      const { rows } = await db.query(
        'select created_at::text, id::text from epics where group_id = $1 order by created_at desc, id desc offset $2 limit 1',
        [one.project.groupId, one.size / 2],
      );
      return cursorAfter(rows[0]);
    };
    const pages = {
      'first page': async () => 'per_page=20',
      'keyset page in the middle': async (one) => `per_page=20&pagination=keyset&cursor=${await middleOf(one)}`,
    };
    for (const [name, queryOf] of Object.entries(pages)) {
      const subjects = [];
      for (const one of plans) {
        subjects.push({ size: one.size, url: `${installation.url}/api/v4/${one.path}?${await queryOf(one)}` });
      }
      await compareSizes(installation, report, db, {
        name: `epics, ${name}`,
        subjects,
        headers: { 'PRIVATE-TOKEN': people.token },
        services: ['gateway', 'groups-admin', 'collaboration'],
      });
    }
  } finally {
    await db.end();
  }
}
