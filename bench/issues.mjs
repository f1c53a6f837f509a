import { compareWithBare } from './list.mjs';
import { seedIssues, seedPeople, seedProject } from './seed.mjs';

const issuesOfProject = 1_000;

/** CPU per page of a project's issues against a bare process. */
export async function issues(installation, report) {
  const people = await seedPeople(installation, 'issues');
  const project = await seedProject(installation, { path: 'discussed', people });
  const db = await installation.connect('switchyard_collaboration');
  try {
    await seedIssues(db, { project, people, count: issuesOfProject });
    const shared = { db, project, token: people.token };
    const page = { kind: 'issues', owner: 'collaboration', perPage: 20 };
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'issues, first page',
      paging: 'offset',
      query: 'per_page=20',
      target: 3,
    });
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'issues, first page, keyset (no count)',
      paging: 'keyset',
      query: 'per_page=20&pagination=keyset',
    });
  } finally {
    await db.end();
  }
}
