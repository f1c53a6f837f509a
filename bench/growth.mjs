import { measureCpu } from './cpu.mjs';
import { load } from './load.mjs';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';

const rounds = 7;
const roundSeconds = 2;
const sizes = [1_000, 100_000];
const target = 1.25;

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
  const headers = { 'PRIVATE-TOKEN': people.token };
  const pids = async () => {
    const { rows } = await db.query(
      `select pid from pg_stat_activity where backend_type = 'client backend' and datname like 'switchyard%' and application_name <> 'switchyard-bench'`,
    );
    return [...['gateway', 'groups-admin', 'merge-requests'].map(installation.pidOf), ...rows.map(({ pid }) => pid)];
  };

  async function middleOf({ id, count }) {
    const { rows } = await db.query(
      `select created_at::text, id::text from merge_requests where project_id = $1 order by created_at desc, id desc offset $2 limit 1`,
      [id, count / 2],
    );
    return Buffer.from(JSON.stringify({ ...rows[0], _kd: 'n' })).toString('base64url');
  }

  const pages = {
    'first page': async () => 'per_page=20',
    'keyset page in the middle': async (project) => `per_page=20&pagination=keyset&cursor=${await middleOf(project)}`,
  };
  for (const [name, queryOf] of Object.entries(pages)) {
    const subjects = await Promise.all(
      projects.map(async (project) => ({
        url: `${url}/api/v4/projects/${project.id}/merge_requests?${await queryOf(project)}`,
        headers,
        found: [],
      })),
    );
    for (const subject of subjects) await load({ ...subject, connections: 1, seconds: 2 });
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of subjects) {
        const { result, used } = await measureCpu(pids, () =>
          load({ ...subject, connections: 1, seconds: roundSeconds }),
        );
        subject.found.push({ p50: result.p50, cpu: used / result.requests });
      }
    }
    for (const [at, { found }] of subjects.entries()) {
      report.figure(
        `growth, ${name}, ${sizes[at]}: p50`,
        found.map(({ p50 }) => p50),
        { unit: 'ms' },
      );
      report.figure(
        `growth, ${name}, ${sizes[at]}: CPU per request`,
        found.map(({ cpu }) => cpu),
        { unit: 'ms' },
      );
    }
    const [few, many] = subjects.map(({ found }) => found);
    const ratio = (key) => many.map((round, at) => round[key] / few[at][key]);
    report.figure(`growth, ${name}: p50, ${sizes[1]} to ${sizes[0]}`, ratio('p50'), { target });
    report.figure(`growth, ${name}: CPU, ${sizes[1]} to ${sizes[0]}`, ratio('cpu'), { target });
  }
  await db.end();
}
