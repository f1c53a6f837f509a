import { setTimeout as sleep } from 'node:timers/promises';
import { commit, openRepository } from './git.mjs';
import { compareWithBare } from './list.mjs';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';

const sizes = [
  { files: 1_000, targetMs: 25 },
  { files: 50_000, targetMs: 100 },
];
const measuredCars = 40;
const warmUpCars = 10;
const throughCars = 100;
const parallelCars = 20;
const throughTargetSeconds = 15;
const listTarget = 3;
const addedAtOnce = 4;
/** Between two landings that are measured: what the first one left to be done in the background is not the second one's. */
const restMs = 100;
const pollMs = 5;
const watchMs = 1;
/** How often the CI that takes no time polls: its requests cost the system as well. */
const ciPollMs = 50;
const timeoutMs = 120_000;
const perFolder = 50;

const pathOf = (at) =>
  `src/part-${Math.floor(at / perFolder / 40)}/folder-${Math.floor(at / perFolder)}/file-${at}.txt`;
const contentOf = (at) => Array.from({ length: 12 }, (_, line) => `line ${line} of file ${at}\n`).join('');

/** Works on `items`, at most `width` at a time, in their order. */
async function inParallel(items, width, work) {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

async function until(what, condition, everyMs = pollMs) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not after ${timeoutMs / 1_000} s`);
    await sleep(everyMs);
  }
}

/** A project with trains, its repository and merge requests whose heads were tested, each changing two files and adding one. */
async function prepare(installation, people, { path, files, cars }) {
  const { api } = installation;
  const project = await seedProject(installation, { path, people });
  await api('PUT', `/projects/${project.id}`, {
    merge_pipelines_enabled: true,
    merge_trains_enabled: true,
    merge_train_parallel_cars: parallelCars,
    merge_train_required_statuses: ['ci'],
  });
  const developer = { token: people.token };
  const call = (method, rest, body, options) =>
    api(method, `/projects/${project.id}${rest}`, body, { ...developer, ...options });
  const repository = openRepository(installation, { token: people.token, path: project.path });
  const branches = Array.from({ length: cars }, (_, at) => `feature-${at}`);
  const spread = Math.floor(files / cars);
  repository.import([
    commit('main', 'Start', Object.fromEntries(Array.from({ length: files }, (_, at) => [pathOf(at), contentOf(at)]))),
    ...branches.map((branch, at) => {
      const one = at * spread;
      const other = one + Math.floor(spread / 2);
      const changes = {
        [pathOf(one)]: `${contentOf(one)}one more\n`,
        [pathOf(other)]: `first\n${contentOf(other)}`,
        [`own/${at}.txt`]: `${branch}\n`,
      };
      return commit(branch, `Change ${at}`, changes, 'refs/heads/main');
    }),
  ]);
  await repository.push('main');
  await repository.push('--all');
  const made = [];
  for (const branch of branches) {
    const { body } = await call('POST', '/merge_requests', {
      source_branch: branch,
      target_branch: 'main',
      title: branch,
    });
    made.push({ iid: body.iid, sha: body.sha, branch });
  }
  await inParallel(made, addedAtOnce, ({ sha, branch }) =>
    call('POST', `/statuses/${sha}`, { state: 'success', name: 'ci', ref: branch }),
  );
  await until('every merge request is checked', async () => {
    const { headers } = await call('GET', '/merge_requests?state=opened&per_page=1');
    const { rows } = await installation.inspect.query(
      `select count(*)::int as left from merge_requests where project_id = $1 and state = 'opened' and merge_status <> 'can_be_merged'`,
      [project.id],
    );
    return headers !== undefined && rows[0].left === 0;
  });
  return { project, call, made, repository };
}

const addToTrain = (call, cars) =>
  inParallel(cars, addedAtOnce, ({ iid }) => call('POST', `/merge_trains/merge_requests/${iid}`, {}));

/** Cars whose pipeline waits for a CI, in queue order. */
const waitingCars = async (call) =>
  (await call('GET', '/pipelines?source=merge_request_event&status=pending&order_by=id&sort=asc&per_page=100')).body;

const report = (call, { id, sha }) =>
  call('POST', `/statuses/${sha}`, { state: 'success', name: 'ci', pipeline_id: id });

/** Our own share of a landing: from the last status to a target branch that has moved and a merge request that is merged. */
async function landings(installation, people, output, { files, targetMs }) {
  const { call, made, repository, project } = await prepare(installation, people, {
    path: `train-${files}`,
    files,
    cars: warmUpCars + measuredCars,
  });
  const isMerged = async (project, iid) => {
    const { rows } = await installation.inspect.query({
      name: 'state',
      text: 'select state from merge_requests where project_id = $1 and iid = $2',
      values: [project.id, iid],
    });
    return rows[0].state === 'merged';
  };
  const fromReply = [];
  const fromSending = [];
  try {
    await addToTrain(call, made);
    for (let landed = 0; landed < made.length; landed += 1) {
      const { body: cars } = await call('GET', '/merge_trains?scope=active&sort=asc&per_page=1');
      const { iid } = cars[0].merge_request;
      const ref = `refs/merge-requests/${iid}/train`;
      const pipeline = await until(`pipeline of !${iid}`, async () =>
        (await waitingCars(call)).find((one) => one.ref === ref),
      );
      await sleep(restMs);
      const sentAt = performance.now();
      await report(call, pipeline);
      const takenAt = performance.now();
      // Polling the API would slow down what is measured: the row is watched, then the API is called once.
      await until(`!${iid} is merged`, () => isMerged(project, iid), watchMs);
      const { body: merged } = await call('GET', `/merge_requests/${iid}`);
      const mergedAt = performance.now();
      if (merged.state !== 'merged') throw new Error(`!${iid} is ${merged.state}`);
      const { body: branch } = await call('GET', '/repository/branches/main');
      if (branch.commit.id !== pipeline.sha) throw new Error(`main is ${branch.commit.id}, tested was ${pipeline.sha}`);
      if (landed < warmUpCars) continue;
      fromReply.push(mergedAt - takenAt);
      fromSending.push(mergedAt - sentAt);
    }
  } finally {
    repository.remove();
  }
  const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];
  const unit = { unit: 'ms', digits: 0 };
  output.figure(`train, ${files} files: last status taken until merged, p50`, fromReply, { ...unit, target: targetMs });
  output.figure(`train, ${files} files: the same, p99`, [percentile(fromReply, 0.99)], unit);
  output.figure(`train, ${files} files: last status sent until merged, p50`, fromSending, unit);
  return project;
}

/** A hundred cars through a train, as fast as a CI that takes no time lets them. */
async function through(installation, people, output, { files }) {
  const { call, made, repository, project } = await prepare(installation, people, {
    path: `through-${files}`,
    files,
    cars: throughCars,
  });
  try {
    const startedAt = performance.now();
    let running = true;
    const ci = (async () => {
      const reported = new Set();
      while (running) {
        for (const pipeline of await waitingCars(call)) {
          if (reported.has(pipeline.id)) continue;
          reported.add(pipeline.id);
          // One that was superseded since it was listed.
          await report(call, pipeline).catch(() => undefined);
        }
        await sleep(ciPollMs);
      }
      return reported.size;
    })();
    await addToTrain(call, made);
    const addedAt = performance.now();
    const landed = async () => {
      const { rows } = await installation.inspect.query(
        `select count(*)::int as merged from merge_requests where project_id = $1 and state = 'merged'`,
        [project.id],
      );
      return rows[0].merged === throughCars;
    };
    await until('every car has landed', landed, ciPollMs).finally(() => {
      running = false;
    });
    const { headers } = await call('GET', '/merge_requests?state=merged&per_page=1');
    if (Number(headers.get('x-total')) !== throughCars) throw new Error('the API does not know of every landing');
    const seconds = (performance.now() - startedAt) / 1_000;
    const tested = await ci;
    output.figure(`train, ${files} files: ${throughCars} cars, ${parallelCars} at a time, instant CI`, [seconds], {
      unit: 's',
      digits: 1,
      target: throughTargetSeconds,
    });
    output.figure('    of which until all had boarded', [(addedAt - startedAt) / 1_000], { unit: 's', digits: 1 });
    output.figure('    pipelines tested', [tested], { digits: 0 });
  } finally {
    repository.remove();
  }
}

/** A hundred entries of a train, all in one page, against a bare process. They have landed: a train would not leave others alone. */
async function listOfCars(installation, people, output) {
  const project = await seedProject(installation, { path: 'train-list', people });
  const db = installation.inspect;
  await seedMergeRequests(db, { project, people, count: throughCars });
  await db.query(
    `with train as (insert into merge_trains (project_id, target_branch) values ($1, 'main') returning id),
      made as (
        insert into pipelines (iid, project_id, sha, ref, source, status, user_id, merge_request_id)
        select iid, $1, encode(substr(sha256(('car' || iid)::bytea), 1, 20), 'hex'), 'refs/merge-requests/' || iid || '/train',
          'merge_request_event', 'success', author_id, id
        from merge_requests where project_id = $1 returning id, sha, merge_request_id, user_id)
    insert into merge_train_cars (train_id, project_id, target_branch, merge_request_id, user_id, status, source_sha, squash,
      remove_source_branch, sha, pipeline_id, merged_at, duration)
    select train.id, $1, 'main', merge_request_id, user_id, 'merged', sha, false, true, sha, made.id, now(), 61 from made, train`,
    [project.id],
  );
  await db.query('vacuum (analyze) merge_train_cars, pipelines');
  await compareWithBare(
    installation,
    output,
    { db, project, token: people.token },
    {
      name: `train, list of ${throughCars} cars`,
      kind: 'merge_trains',
      paging: 'offset',
      perPage: throughCars,
      query: `per_page=${throughCars}`,
      target: listTarget,
    },
  );
}

/** Merge trains: our own share of landing a car, and a hundred cars as fast as they go (D8). */
export async function train(installation, output) {
  const people = await seedPeople(installation, 'train');
  const inspect = await installation.connect('switchyard_merge_requests');
  const inspected = { ...installation, inspect };
  try {
    for (const size of sizes) await landings(inspected, people, output, size);
    await through(inspected, people, output, sizes.at(-1));
    await listOfCars(inspected, people, output);
  } finally {
    await inspect.end();
  }
}
