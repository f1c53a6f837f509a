import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePort } from '../libs/machine/src/ports.mjs';
import { measureCpu } from './cpu.mjs';
import { load } from './load.mjs';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';

const rounds = 7;
const roundSeconds = 3;
const warmUpSeconds = 2;
// Until the code of every process is compiled: before it a request costs up to twice as much, on either side.
const warmUpRequests = 4_000;
const maxWarmUpSeconds = 60;
const connections = 8;
const mergeRequests = 1_000;

const databaseOf = (service) => `switchyard_${service.replaceAll('-', '_')}`;

/** What autovacuum does a minute after such changes, to the local copy of who may see what; groups-admin has none. */
export async function analyzeDirectory(db) {
  const { rows } = await db.query(`select from pg_namespace where nspname = 'directory'`);
  if (rows.length === 0) return;
  await db.query(
    'analyze directory.users, directory.namespaces, directory.projects, directory.memberships, directory.shares, directory.labels, directory.milestones',
  );
}

const digestOf = (body) => createHash('sha256').update(Buffer.from(body)).digest('hex');

async function bodyOf({ url, headers }) {
  const response = await fetch(url, { headers });
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response.arrayBuffer();
}

/** A bare Express and pg process that answers with the same page. */
async function startBare(installation, project, { kind, paging, perPage, owner = 'merge-requests', given = {} }) {
  const port = await freePort(new Set());
  const child = fork(fileURLToPath(new URL('bare.mjs', import.meta.url)), {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      OTEL_EXPORTER_OTLP_ENDPOINT: '',
      DATABASE_URL: installation.databaseUrl(databaseOf(owner)),
      PROJECT_ID: String(project.id),
      EXTERNAL_URL: installation.url,
      PORT: String(port),
      KIND: kind,
      PAGING: paging,
      PER_PAGE: String(perPage),
      GIVEN: JSON.stringify(given),
    },
  });
  await new Promise((settle, reject) => {
    child.once('message', settle);
    child.once('exit', (code) => reject(new Error(`the bare process ended with ${code}`)));
  });
  return { pid: child.pid, url: `http://127.0.0.1:${port}/`, stop: () => child.kill() };
}

/**
 * CPU per request of one page against a bare process that answers with the same bytes, in interleaved rounds.
 *
 * @param {object} page
 * @param {string} page.name
 * @param {'merge_requests' | 'merge_trains' | 'issues' | 'epics' | 'notes' | 'events' | 'todos' | 'alerts' | 'groups' | 'changes' | 'packages'} page.kind
 * @param {string} [page.path] the list below the API's address; the kind below the project's path by default
 * @param {object} [page.given] what the bare process needs to know beside the project
 * @param {string} [page.owner] the service that answers it
 * @param {string[]} [page.others] services that it calls
 * @param {'offset' | 'keyset'} page.paging
 * @param {number} page.perPage
 * @param {string} page.query
 * @param {number} [page.target] the most the ratio may be
 */
export async function compareWithBare(installation, report, { db, project, token }, page) {
  const { name, kind, query, target, owner = 'merge-requests', others = [] } = page;
  const path = page.path ?? `projects/${project.id}/${kind}`;
  const asked = [...new Set(['groups-admin', owner, ...others])];
  const backends = async (condition) => {
    const { rows } = await db.query(
      `select pid from pg_stat_activity where backend_type = 'client backend' and ${condition}`,
    );
    return rows.map(({ pid }) => pid);
  };
  const services = ['gateway', ...asked].map((one) => [one, installation.pidOf(one)]);
  const ours = `datname in (${asked.map((one) => `'${databaseOf(one)}'`).join(', ')}) and application_name not like 'switchyard-bench%'`;

  async function measure(subject, parts) {
    const before = parts.map(({ pids }) => pids);
    const used = {};
    let work = () => load({ ...subject, connections, seconds: roundSeconds });
    for (const [at, part] of parts.entries()) {
      const inner = work;
      work = async () => {
        const measured = await measureCpu(before[at], inner);
        used[part.name] = measured.used;
        return measured.result;
      };
    }
    const result = await work();
    const perRequest = Object.fromEntries(Object.entries(used).map(([part, ms]) => [part, ms / result.requests]));
    return { ...result, perRequest, total: Object.values(perRequest).reduce((sum, ms) => sum + ms, 0) };
  }

  await analyzeDirectory(db);
  const bare = await startBare(installation, project, page);
  try {
    const subjects = {
      switchyard: {
        url: `${installation.url}/api/v4/${path}?${query}`,
        headers: { 'PRIVATE-TOKEN': token },
      },
      bare: { url: bare.url },
    };
    const [one, other] = await Promise.all([bodyOf(subjects.switchyard), bodyOf(subjects.bare)]);
    if (digestOf(one) !== digestOf(other)) throw new Error('the two replies differ');
    report.note(`${name}: ${one.byteLength} bytes, the same from both; ${rounds} rounds of ${roundSeconds} s each`);
    const parts = {
      switchyard: [
        ...services.map(([part, pid]) => ({ name: part, pids: async () => [pid] })),
        { name: 'postgres', pids: () => backends(ours) },
      ],
      bare: [
        { name: 'process', pids: async () => [bare.pid] },
        { name: 'postgres', pids: () => backends(`application_name = 'switchyard-bench-bare'`) },
      ],
    };
    for (const subject of Object.values(subjects)) {
      const endAt = performance.now() + maxWarmUpSeconds * 1_000;
      for (let requests = 0; requests < warmUpRequests && performance.now() < endAt; ) {
        requests += (await load({ ...subject, connections, seconds: warmUpSeconds })).requests;
      }
    }
    const found = { switchyard: [], bare: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const subject of ['switchyard', 'bare']) {
        found[subject].push(await measure(subjects[subject], parts[subject]));
      }
    }
    for (const subject of ['bare', 'switchyard']) {
      const cpu = { unit: 'ms' };
      report.figure(
        `${name}: CPU per request, ${subject}`,
        found[subject].map(({ total }) => total),
        cpu,
      );
      for (const { name: part } of parts[subject]) {
        report.figure(
          `    ${part}`,
          found[subject].map(({ perRequest }) => perRequest[part]),
          cpu,
        );
      }
    }
    report.figure(
      `${name}: ratio round by round`,
      found.switchyard.map(({ total }, round) => total / found.bare[round].total),
      { target },
    );
  } finally {
    bare.stop();
  }
}

/** CPU per list request against a bare process (design D4). */
export async function list(installation, report) {
  const people = await seedPeople(installation, 'list');
  const project = await seedProject(installation, { path: 'listed', people });
  const db = await installation.connect('switchyard_merge_requests');
  await seedMergeRequests(db, { project, people, count: mergeRequests });
  const shared = { db, project, token: people.token };
  const page = { kind: 'merge_requests', perPage: 20 };
  await compareWithBare(installation, report, shared, {
    ...page,
    name: 'list, first page',
    paging: 'offset',
    query: 'per_page=20',
    target: 3,
  });
  await compareWithBare(installation, report, shared, {
    ...page,
    name: 'list, first page, keyset (no count)',
    paging: 'keyset',
    query: 'per_page=20&pagination=keyset',
  });
  await db.end();
}
