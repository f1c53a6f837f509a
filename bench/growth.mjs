import { measureCpu } from './cpu.mjs';
import { analyzeDirectory } from './list.mjs';
import { load } from './load.mjs';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';

const rounds = 7;
const roundSeconds = 2;
const sizes = [1_000, 100_000];
const target = 1.25;

/** Cursor of a keyset page behind a row. */
export const cursorAfter = (row) => Buffer.from(JSON.stringify({ ...row, _kd: 'n' })).toString('base64url');

/**
 * One page over few rows and over many, in turns: latency with one connection, and CPU of everything that answers.
 *
 * @param {object} page
 * @param {string} page.name
 * @param {{ size: number, url: string, headers?: object }[]} page.subjects few rows, then many
 * @param {object} [page.headers] of subjects without their own
 * @param {string[]} page.services the processes that answer
 */
export async function compareSizes(installation, report, db, { name, subjects: given, headers, services }) {
  const pids = async () => {
    const { rows } = await db.query(
      `select pid from pg_stat_activity where backend_type = 'client backend' and datname like 'switchyard%' and application_name <> 'switchyard-bench'`,
    );
    return [...services.map(installation.pidOf), ...rows.map(({ pid }) => pid)];
  };
  await analyzeDirectory(db);
  const subjects = given.map((subject) => ({ headers, ...subject, found: [] }));
  for (const subject of subjects) await load({ ...subject, connections: 1, seconds: 2 });
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of subjects) {
      const { result, used } = await measureCpu(pids, () =>
        load({ ...subject, connections: 1, seconds: roundSeconds }),
      );
      subject.found.push({ p50: result.p50, cpu: used / result.requests });
    }
  }
  const unit = 'ms';
  for (const { size, found } of subjects) {
    report.figure(
      `${name}, ${size}: p50`,
      found.map(({ p50 }) => p50),
      { unit },
    );
    report.figure(
      `${name}, ${size}: CPU per request`,
      found.map(({ cpu }) => cpu),
      { unit },
    );
  }
  const [few, many] = subjects;
  const ratio = (key) => many.found.map((round, at) => round[key] / few.found[at][key]);
  report.figure(`${name}: p50, ${many.size} to ${few.size}`, ratio('p50'), { target });
  report.figure(`${name}: CPU, ${many.size} to ${few.size}`, ratio('cpu'), { target });
}

/** First page and a keyset page in the middle, in a project of 1,000 and in one of 100,000 merge requests. */
export async function growth(installation, report) {
  const { url } = installation;
  const people = await seedPeople(installation, 'growth');
  const db = await installation.connect('switchyard_merge_requests');
  const projects = [];
  for (const count of sizes) {
    const project = await seedProject(installation, { path: `size-${count}`, people });
    const since = performance.now();
    await seedMergeRequests(db, { project, people, count });
    report.note(`growth: ${count} merge requests written in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
    projects.push({ ...project, count });
  }

  async function middleOf({ id, count }) {
    const { rows } = await db.query(
      `select created_at::text, id::text from merge_requests where project_id = $1 order by created_at desc, id desc offset $2 limit 1`,
      [id, count / 2],
    );
    return cursorAfter(rows[0]);
  }

  const pages = {
    'first page': async () => 'per_page=20',
    'keyset page in the middle': async (project) => `per_page=20&pagination=keyset&cursor=${await middleOf(project)}`,
  };
  for (const [name, queryOf] of Object.entries(pages)) {
    const subjects = [];
    for (const project of projects) {
      const query = await queryOf(project);
      subjects.push({ size: project.count, url: `${url}/api/v4/projects/${project.id}/merge_requests?${query}` });
    }
    await compareSizes(installation, report, db, {
      name: `growth, ${name}`,
      subjects,
      headers: { 'PRIVATE-TOKEN': people.token },
      services: ['gateway', 'groups-admin', 'merge-requests'],
    });
  }
  await db.end();
}
