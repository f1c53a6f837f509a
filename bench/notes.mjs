import { compareSizes, cursorAfter } from './growth.mjs';
import { compareWithBare } from './list.mjs';
import { seedPeople, seedProject } from './seed.mjs';
import { openIssue, seedNotes } from './seed-talk.mjs';

const sizes = [1_000, 1_000_000];

/** A viewer as the services sign it. */
export const viewerOf = (people) => ({ userId: people.developer, admin: false, external: false });

/** CPU per page of an issue's notes against a bare process; the pages of an issue with 1,000,000 of them against one with 1,000. */
export async function notes(installation, report) {
  const people = await seedPeople(installation, 'notes');
  const db = await installation.connect('switchyard_collaboration');
  try {
    const talks = [];
    for (const size of sizes) {
      const project = await seedProject(installation, { path: `notes-${size}`, people });
      const issue = await openIssue(installation, project, { token: people.token });
      const since = performance.now();
      await seedNotes(db, { project, people, issue, count: size });
      report.note(`notes: ${size} written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
      talks.push({ size, project, issue, path: `projects/${project.id}/issues/${issue.iid}/notes` });
    }
    const [{ project, issue, path }] = talks;
    const noteable = { kind: 'Issue', projectId: project.id, targetId: issue.id, iid: issue.iid, sha: '' };
    const shared = { db, project, token: people.token };
    const page = {
      kind: 'notes',
      path,
      owner: 'collaboration',
      perPage: 20,
      given: { noteable, viewer: viewerOf(people) },
    };
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'notes, first page',
      paging: 'offset',
      query: 'per_page=20',
      target: 3,
    });
    await compareWithBare(installation, report, shared, {
      ...page,
      name: 'notes, first page, keyset (no count)',
      paging: 'keyset',
      query: 'per_page=20&pagination=keyset',
    });

    const middleOf = async (talk) => {
      const { rows } = await db.query(
        `select n.created_at::text, n.id::text from notes n join noteables o on o.id = n.noteable_id
          where o.kind = 'Issue' and o.target_id = $1 order by n.created_at desc, n.id desc offset $2 limit 1`,
        [talk.issue.id, talk.size / 2],
      );
      return cursorAfter(rows[0]);
    };
    const pages = {
      'first page': async () => 'per_page=20',
      'keyset page in the middle': async (talk) => `per_page=20&pagination=keyset&cursor=${await middleOf(talk)}`,
    };
    for (const [name, queryOf] of Object.entries(pages)) {
      const subjects = [];
      for (const talk of talks) {
        subjects.push({ size: talk.size, url: `${installation.url}/api/v4/${talk.path}?${await queryOf(talk)}` });
      }
      await compareSizes(installation, report, db, {
        name: `notes, ${name}`,
        subjects,
        headers: { 'PRIVATE-TOKEN': people.token },
        services: ['gateway', 'groups-admin', 'collaboration'],
      });
    }
  } finally {
    await db.end();
  }
}
