import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { commit, openRepository } from './git.mjs';
import { seedPeople, seedProject } from './seed.mjs';
import { send } from './send.mjs';

const boardings = 300;
/** Merge requests of the other project that land one after another, before the flood and while it lasts. */
const bystanders = 40;
const parallelCars = 20;
const withinSeconds = 15;
const readsWithin = 2;
/** A reader that looks as often as this, whether it is answered or not, milliseconds. */
const readEveryMs = 50;
const restSeconds = 10;
const preparedAtOnce = 8;
const pollMs = 20;
const timeoutMs = 180_000;
const files = 1_000;

/** Works on `items`, at most `width` at a time, in their order. */
async function inParallel(items, width, work) {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

export const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];

async function until(what, condition) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not after ${timeoutMs / 1_000} s`);
    await sleep(pollMs);
  }
}

/** A project with trains, and merge requests whose heads have been tested and whose mergeability is known. */
async function prepare(installation, db, people, { path, count }) {
  const project = await seedProject(installation, { path, people });
  await installation.api('PUT', `/projects/${project.id}`, {
    merge_pipelines_enabled: true,
    merge_trains_enabled: true,
    merge_train_parallel_cars: parallelCars,
    merge_train_required_statuses: ['ci'],
  });
  const call = (method, rest, body) =>
    installation.api(method, `/projects/${project.id}${rest}`, body, { token: people.token });
  const repository = openRepository(installation, { token: people.token, path: project.path });
  const tree = Object.fromEntries(
    Array.from({ length: files }, (_, at) => [`src/part-${at % 40}/file-${at}.txt`, `file ${at}\n`.repeat(20)]),
  );
  const branches = Array.from({ length: count }, (_, at) => `feature-${at}`);
  repository.import([
    commit('main', 'Start', tree),
    ...branches.map((branch, at) =>
      commit(branch, `Change ${at}`, { [`own/${at}.txt`]: `${branch}\n` }, 'refs/heads/main'),
    ),
  ]);
  await repository.push('main');
  await repository.push('--all');
  const made = [];
  await inParallel(branches, preparedAtOnce, async (branch) => {
    const { body } = await call('POST', '/merge_requests', {
      source_branch: branch,
      target_branch: 'main',
      title: branch,
    });
    await call('POST', `/statuses/${body.sha}`, { state: 'success', name: 'ci', ref: branch });
    made.push({ iid: body.iid, sha: body.sha });
  });
  await until(`the merge requests of ${path} are checked`, async () => {
    const { rows } = await db.query(
      `select count(*)::int as left from merge_requests where project_id = $1 and state = 'opened' and merge_status <> 'can_be_merged'`,
      [project.id],
    );
    return rows[0].left === 0;
  });
  return { project, call, made, repository };
}

/** Lands merge requests one by one until `goesOn` is false; milliseconds of boarding, and from boarding to landing. */
async function landOneByOne({ project, call, made }, db, goesOn) {
  const boarding = [];
  const landing = [];
  while (goesOn() && made.length > 0) {
    const { iid } = made.shift();
    const sentAt = performance.now();
    await call('POST', `/merge_trains/merge_requests/${iid}`, {});
    boarding.push(performance.now() - sentAt);
    const pipeline = await until(`pipeline of !${iid}`, async () => {
      const { rows } = await db.query(
        `select p.id, p.sha from pipelines p where p.project_id = $1 and p.ref = $2 and p.status = 'pending' order by id desc limit 1`,
        [project.id, `refs/merge-requests/${iid}/train`],
      );
      return rows[0];
    });
    await call('POST', `/statuses/${pipeline.sha}`, { state: 'success', name: 'ci', pipeline_id: pipeline.id });
    await until(`!${iid} is merged`, async () => {
      const { rows } = await db.query('select state from merge_requests where project_id = $1 and iid = $2', [
        project.id,
        iid,
      ]);
      return rows[0].state === 'merged';
    });
    landing.push(performance.now() - sentAt);
  }
  return { boarding, landing };
}

/** Reads at a fixed pace until `goesOn` is false; milliseconds by what is read. */
export async function readAll(subjects, agent, goesOn) {
  const found = new Map(subjects.map(({ name }) => [name, []]));
  const failures = [];
  const awaited = [];
  for (let at = 0; goesOn(); at += 1) {
    const { name, ...request } = subjects[at % subjects.length];
    awaited.push(
      send(agent, { method: 'GET', ...request }).then(({ status, ms }) => {
        if (status === 200) found.get(name).push(ms);
        else failures.push(status);
      }),
    );
    await sleep(readEveryMs);
  }
  await Promise.all(awaited);
  if (failures.length > 0) throw new Error(`${failures.length} reads failed, first with ${failures[0]}`);
  return found;
}

const counted = (values) => {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => a - b).map(([value, count]) => `${count} x ${value}`);
};

/** Merge requests that are all put on one train at once by one user, and what others notice of it. */
export async function boarding(installation, report) {
  const db = await installation.connect('switchyard_merge_requests');
  const [flooding, other] = [await seedPeople(installation, 'flood'), await seedPeople(installation, 'bystander')];
  const flood = await prepare(installation, db, flooding, { path: 'flooded', count: boardings });
  const calm = await prepare(installation, db, other, { path: 'calm', count: bystanders });
  const agent = new http.Agent({ keepAlive: true });
  const at = ({ project }, rest) => `${installation.url}/api/v4/projects/${project.id}${rest}`;
  const subjects = [
    { name: 'list of merge requests', url: at(calm, '/merge_requests?per_page=20'), token: other.token },
    { name: 'one merge request', url: at(calm, '/merge_requests/1'), token: other.token },
    { name: 'list of cars', url: at(calm, '/merge_trains?per_page=20'), token: other.token },
    { name: 'list of cars of the flooded train', url: at(flood, '/merge_trains?per_page=20'), token: flooding.token },
    { name: 'projects', url: `${installation.url}/api/v4/projects?per_page=20`, token: other.token },
  ];
  const board = ({ iid, sha }) =>
    send(agent, {
      method: 'POST',
      url: at(flood, `/merge_trains/merge_requests/${iid}`),
      token: flooding.token,
      body: { sha },
    });
  /** Everybody else, until `goesOn` is false. */
  const observe = async (goesOn) => {
    const [reads, cars] = await Promise.all([readAll(subjects, agent, goesOn), landOneByOne(calm, db, goesOn)]);
    return { reads: [...reads.values()].flat(), byName: reads, ...cars };
  };
  try {
    await observe(
      (
        (end) => () =>
          performance.now() < end
      )(performance.now() + 3_000),
    );
    const before = await observe(
      (
        (end) => () =>
          performance.now() < end
      )(performance.now() + restSeconds * 1_000),
    );

    let flooded = true;
    const startedAt = performance.now();
    const watching = observe(() => flooded);
    const answers = await Promise.all(flood.made.map(board)).finally(() => {
      flooded = false;
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const during = await watching;

    const statuses = counted(answers.map(({ status }) => status));
    report.note(`  ${boardings} boardings at once: ${statuses.join(', ')}`);
    for (const { text } of answers.filter(({ status }) => status === 500).slice(0, 3)) report.note(`  500: ${text}`);
    report.figure(`boarding, ${boardings} at once: until all are answered`, [seconds], {
      unit: 's',
      digits: 1,
      target: withinSeconds,
    });
    const failed = answers.filter(({ status }) => status !== 201).length;
    report.figure('    not answered with 201', [failed], { digits: 0, target: 0 });
    report.figure(
      '    answers, p50',
      [
        percentile(
          answers.map(({ ms }) => ms),
          0.5,
        ),
      ],
      { unit: 'ms', digits: 0 },
    );
    const compare = (name, values, share, target) => {
      const [calmly, flooding] = [values(before), values(during)].map((given) => percentile(given, share));
      report.figure(`    ${name}, before`, [calmly], { unit: 'ms', digits: 1 });
      report.figure('        during, in ms', [flooding], { unit: 'ms', digits: 1 });
      report.figure('        during, against before', [flooding / calmly], {
        unit: 'times',
        ...(target ? { target } : {}),
      });
    };
    compare('reads p95', ({ reads }) => reads, 0.95, readsWithin);
    for (const { name } of subjects) compare(`${name} p95`, ({ byName }) => byName.get(name), 0.95);
    report.note(`  another train landed ${before.landing.length} before, ${during.landing.length} during`);
    compare('boarding another train, p95', (one) => one.boarding, 0.95, readsWithin);
    compare('another train, from boarding to landing, p95', (one) => one.landing, 0.95, readsWithin);

    const again = await Promise.all(flood.made.slice(0, 20).map(board));
    report.note(`  the same boardings again: ${counted(again.map(({ status }) => status)).join(', ')}`);
    report.figure(
      '    20 of them again, not answered with 201',
      [again.filter(({ status }) => status !== 201).length],
      {
        digits: 0,
        target: 0,
      },
    );
  } finally {
    agent.destroy();
    flood.repository.remove();
    calm.repository.remove();
    await db.end();
  }
}
