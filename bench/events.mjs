import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedPeople, seedProject } from './seed.mjs';
import { openIssue, seedEvents, seedNotes } from './seed-talk.mjs';

const eventsOfProject = 1_000;

/** CPU per page of a project's events against a bare process. */
export async function events(installation, report) {
  const people = await seedPeople(installation, 'events');
  const project = await seedProject(installation, { path: 'lively', people });
  const issue = await openIssue(installation, project, { token: people.token });
  const db = await installation.connect('switchyard_collaboration');
  try {
    await seedNotes(db, { project, people, issue, count: eventsOfProject });
    await seedEvents(db, { project, people, issue, count: eventsOfProject });
    const shared = { db, project, token: people.token };
    const page = { kind: 'events', owner: 'collaboration', perPage: 20, given: { viewer: viewerOf(people) } };
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'events, first page',
      paging: 'offset',
      query: 'per_page=20',
      target: 3,
    });
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'events, first page, keyset (no count)',
      paging: 'keyset',
      query: 'per_page=20&pagination=keyset',
    });
  } finally {
    await db.end();
  }
}
