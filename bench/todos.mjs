import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedIssues, seedMergeRequests, seedPeople, seedProject } from './seed.mjs';
import { seedTodos } from './seed-talk.mjs';

const targets = 200;
const pending = 1_000;
const perPage = 20;

/** CPU per page of someone's to-dos, half on issues and half on merge requests, against a bare process that reads both databases. */
export async function todos(installation, report) {
  const people = await seedPeople(installation, 'todos');
  const project = await seedProject(installation, { path: 'pending', people });
  const db = await installation.connect('switchyard_collaboration');
  const others = await installation.connect('switchyard_merge_requests');
  try {
    await seedIssues(db, { project, people, count: targets });
    await seedMergeRequests(others, { project, people, count: targets });
    const idsOf = async (from, table) => {
      const { rows } = await from.query(`select id::int from ${table} where project_id = $1 order by id`, [project.id]);
      return rows.map(({ id }) => id);
    };
    const issueIds = await idsOf(db, 'issues');
    const mergeRequestIds = await idsOf(others, 'merge_requests');
    await seedTodos(db, { project, people, issueIds, mergeRequestIds, count: pending });
    const { rows } = await db.query(
      'select target_type as type, target_id::int as id from todos where user_id = $1 order by todos.id desc limit $2',
      [people.developer, perPage],
    );
    const shown = (type) => [...new Set(rows.filter((row) => row.type === type).map(({ id }) => id))];
    const shared = { db, project, token: people.token };
    const page = {
      kind: 'todos',
      path: 'todos',
      owner: 'collaboration',
      others: ['merge-requests'],
      perPage,
      given: {
        viewer: viewerOf(people),
        issueIds: shown('Issue'),
        mergeRequestIds: shown('MergeRequest'),
        mergeRequestsUrl: installation.databaseUrl('switchyard_merge_requests'),
      },
    };
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'todos, first page',
      paging: 'offset',
      query: `per_page=${perPage}`,
      target: 3,
    });
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'todos, first page, keyset (no count)',
      paging: 'keyset',
      query: `per_page=${perPage}&pagination=keyset`,
    });
  } finally {
    await others.end();
    await db.end();
  }
}
