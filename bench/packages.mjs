import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../libs/machine/src/ports.mjs';
import { percentile, readAll } from './boarding.mjs';
import { commandOf, processTree, roleOf } from './cpu.mjs';
import { compareSizes, cursorAfter } from './growth.mjs';
import { temporaryFolder } from './installation.mjs';
import { compareWithBare } from './list.mjs';
import { viewerOf } from './notes.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const fileSize = 2 * 2 ** 30;
const npmSize = 450 * 2 ** 20;
const rounds = 3;
const upTarget = 120;
const downTarget = 250;
const growthTarget = 64;
const othersTarget = 1.5;
const restSeconds = 8;
const sampleMs = 100;
const sizes = [1_000, 100_000];
const perPage = 20;
const versions = 2_000;
const metadataMs = 100;
const metadataRounds = 30;
const metadataWarmUp = 10;

const mebibytes = (bytes) => bytes / 2 ** 20;
const megabytesPerSecond = ({ size, ms }) => size / 1_000 / ms;

/** A process of `transfer-process.mjs`. */
async function startRole(role, given = {}) {
  const child = fork(fileURLToPath(new URL('transfer-process.mjs', import.meta.url)), {
    env: { ...process.env, ROLE: role, GIVEN: JSON.stringify(given) },
  });
  await new Promise((settle, reject) => {
    child.once('message', settle);
    child.once('exit', (code) => reject(new Error(`the process ${role} ended with ${code}`)));
  });
  return {
    stop: () => child.kill(),
    /** One transfer; fails unless it has the status. */
    async transfer(request, status) {
      const answered = new Promise((settle) => child.once('message', settle));
      child.send(request);
      const reply = await answered;
      if (reply.status !== status) throw new Error(`${request.method} ${request.url}: ${reply.status} ${reply.text}`);
      return reply;
    },
  };
}

/** Bytes of memory that a process has for itself: neither files nor what it shares. */
function memoryOf(pid) {
  try {
    return Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/**
 * Watches how much each process of an installation grows while `work` runs, in bytes: the most of any, its name, and the
 * most by what the process is.
 */
export async function watchGrowth({ launcherPid }, work) {
  const before = new Map(processTree(launcherPid).map((pid) => [pid, memoryOf(pid)]));
  const roles = new Map([...before.keys()].map((pid) => [pid, roleOf(pid)]));
  const byRole = new Map();
  let most = { growth: 0, pid: launcherPid };
  let working = true;
  const watching = (async () => {
    while (working) {
      for (const [pid, was] of before) {
        const growth = memoryOf(pid) - was;
        if (growth > most.growth) most = { growth, pid };
        byRole.set(roles.get(pid), Math.max(byRole.get(roles.get(pid)) ?? 0, growth));
      }
      await sleep(sampleMs);
    }
  })();
  const result = await work().finally(() => {
    working = false;
  });
  await watching;
  return { result, growth: most.growth, name: commandOf(most.pid).split('/').slice(-3).join('/'), byRole };
}

/** Files of 2 GiB up and down, npm's document of a large tarball, and what others notice of them. */
export async function transfers(installation, report) {
  const { url, rootToken } = installation;
  const people = await seedPeople(installation, 'transfers');
  const project = await seedProject(installation, { path: 'transferred', people });
  const folder = temporaryFolder('hops');
  const ports = new Set();
  const [proxyPort, storePort] = [await freePort(ports), await freePort(ports)];
  const store = await startRole('store', { port: storePort, file: join(folder.path, 'file') });
  const proxy = await startRole('proxy', { port: proxyPort, target: `http://127.0.0.1:${storePort}` });
  const client = await startRole('client');
  const agent = new http.Agent({ keepAlive: true });
  const at = `${url}/api/v4/projects/${project.id}`;
  const headers = { 'PRIVATE-TOKEN': rootToken };
  const subjects = [
    { name: 'project', url: at, token: people.token },
    { name: 'issues', url: `${at}/issues?per_page=20`, token: people.token },
    { name: 'packages', url: `${at}/packages?per_page=20`, token: people.token },
  ];
  const readFor = (seconds) => {
    const end = performance.now() + seconds * 1_000;
    return readAll(subjects, agent, () => performance.now() < end);
  };
  const p90 = (reads) => percentile([...reads.values()].flat(), 0.9);

  /** One transfer with others around: how fast, how much processes grow, and how long others take. */
  async function measured(request, status) {
    let transferring = true;
    const reading = readAll(subjects, agent, () => transferring);
    const watched = await watchGrowth(installation, () => client.transfer(request, status)).finally(() => {
      transferring = false;
    });
    return { ...watched, p90: p90(await reading) };
  }

  try {
    await readFor(restSeconds);
    const kinds = {
      up: (round, name) => [
        { method: 'PUT', url: `${at}/packages/generic/large/1.${round}/${name}`, headers, size: fileSize },
        201,
      ],
      down: (round, name) => [{ method: 'GET', url: `${at}/packages/generic/large/1.${round}/${name}`, headers }, 200],
    };
    const bare = {
      up: [{ method: 'PUT', url: `http://127.0.0.1:${proxyPort}/`, size: fileSize }, 201],
      down: [{ method: 'GET', url: `http://127.0.0.1:${proxyPort}/` }, 200],
    };
    const found = { up: [], down: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (const kind of ['up', 'down']) {
        const calm = p90(await readFor(restSeconds));
        const hops = await client.transfer(...bare[kind]);
        const alone = await client.transfer(...kinds[kind](round, 'alone'));
        const one = await measured(...kinds[kind](round, 'watched'));
        found[kind].push({ alone, hops, calm, ...one });
      }
    }
    for (const kind of ['up', 'down']) {
      const all = found[kind];
      const name = `packages: 2 GiB ${kind}`;
      const rate = { unit: 'MB/s', digits: 0 };
      report.figure(
        name,
        all.map(({ alone }) => megabytesPerSecond({ size: fileSize, ms: alone.ms })),
        { ...rate, atLeast: kind === 'up' ? upTarget : downTarget },
      );
      report.figure(
        '    two Node processes and no more',
        all.map(({ hops }) => megabytesPerSecond({ size: fileSize, ms: hops.ms })),
        rate,
      );
      report.figure(
        '    against these',
        all.map(({ alone, hops }) => hops.ms / alone.ms),
        { unit: 'times' },
      );
      report.figure(
        '    while others read',
        all.map(({ result }) => megabytesPerSecond({ size: fileSize, ms: result.ms })),
        rate,
      );
      report.figure(
        '    growth of a process, the most',
        all.map(({ growth }) => mebibytes(growth)),
        { unit: 'MiB', digits: 0, target: growthTarget },
      );
      report.note(`    it is ${all.map(({ name: of }) => of).join(', ')}`);
      report.figure(
        "    others' p90, before",
        all.map(({ calm }) => calm),
        { unit: 'ms', digits: 1 },
      );
      report.figure(
        '        meanwhile, against before',
        all.map(({ calm, p90: meanwhile }) => meanwhile / calm),
        { unit: 'times', target: othersTarget },
      );
    }
    const npm = { name: 'large', version: '1.0.0', size: npmSize };
    const published = await measured({ method: 'PUT', url: `${at}/packages/npm/large`, headers, npm }, 200);
    report.figure(
      'packages: npm publish of 450 MiB',
      [megabytesPerSecond({ size: npmSize, ms: published.result.ms })],
      {
        unit: 'MB/s',
        digits: 0,
      },
    );
    report.figure('    growth of a process, the most', [mebibytes(published.growth)], {
      unit: 'MiB',
      digits: 0,
      target: growthTarget,
    });
  } finally {
    agent.destroy();
    for (const one of [client, proxy, store]) one.stop();
    folder.remove();
  }
}

/** Pipelines of a project by SQL; the ids are one range, which begins with the one that is returned. */
async function seedPipelines(db, { project, people, count }) {
  const { rows } = await db.query(
    `insert into pipelines (iid, project_id, sha, ref, source, status, user_id)
    select i, $1, encode(sha256(('built' || i)::bytea), 'hex'), 'main', 'push', 'success', ($2::bigint[])[1 + i % cardinality($2)]
    from generate_series(1, $3::bigint) as i returning id::int`,
    [project.id, people.others, count],
  );
  await db.query('vacuum (analyze) pipelines');
  return Math.min(...rows.map(({ id }) => id));
}

/**
 * Packages of a project by SQL: versions of a thousand names, every tenth with a tag, every fourth of a pipeline.
 *
 * @param {object} given
 * @param {number} given.firstPipeline of as many as there are packages of pipelines
 */
async function seedPackages(db, { project, people, count, firstPipeline }) {
  await db.query('begin');
  await db.query(
    `with made as (
      insert into packages (project_id, format, name, version, status, creator_id, created_at, last_downloaded_at)
      select $1, (array['npm', 'maven', 'pypi', 'generic'])[1 + i % 4], 'library-' || i % 1000, '1.' || i / 1000 || '.' || i, case when i % 50 = 0 then 'deprecated' else 'default' end,
        $2, at, case when i % 3 = 0 then at + interval '1 day' end
      from (select i, timestamptz '2024-01-01 00:00:00.123Z' + i * interval '37.5 seconds' as at from generate_series(1, $3::bigint) as i) as one
      returning id, format, name, version)
    , tagged as (
      insert into package_tags (project_id, format, package_name, name, package_id)
      select $1, format, name, 'tag-' || version, id from made where id % 10 = 0)
    insert into package_pipelines (package_id, pipeline_id)
      select id, $4 + row_number() over (order by id) - 1 from made where id % 4 = 0`,
    [project.id, people.developer, count, firstPipeline],
  );
  await db.query('commit');
  // What autovacuum would do a minute later.
  await db.query('vacuum (analyze) packages, package_tags, package_pipelines');
  await db.query('checkpoint');
}

/** CPU of a page of a project's 100,000 packages against a bare process; its pages against those of 1,000. */
async function lists(installation, report, db, others) {
  const people = await seedPeople(installation, 'packages');
  const watched = [];
  for (const size of sizes) {
    const project = await seedProject(installation, { path: `packages-${size}`, people });
    const given = { project, people, count: size };
    const firstPipeline = await seedPipelines(others, { ...given, count: size / 4 + 1 });
    await seedPackages(db, { ...given, firstPipeline });
    watched.push({ size, project, path: `projects/${project.id}/packages` });
  }
  const { project, path } = watched.at(-1);
  const shared = { db, project, token: people.token };
  const { rows: newest } = await db.query(
    `select l.pipeline_id::int as id from package_pipelines l where l.package_id in (
      select id from packages where project_id = $1 order by created_at desc, id desc limit $2)`,
    [project.id, perPage],
  );
  await compareWithBare(installation, report, shared, {
    name: 'packages, first page of 100,000',
    kind: 'packages',
    path,
    owner: 'packages',
    others: ['merge-requests'],
    given: {
      viewer: viewerOf(people),
      pipelineIds: newest.map(({ id }) => id),
      mergeRequestsUrl: installation.databaseUrl('switchyard_merge_requests'),
    },
    paging: 'offset',
    perPage,
    query: `per_page=${perPage}&sort=desc`,
    target: 3,
  });
  const middleOf = async (one) => {
    const { rows } = await db.query(
      'select created_at::text, id::text from packages where project_id = $1 order by created_at desc, id desc offset $2 limit 1',
      [one.project.id, one.size / 2],
    );
    return cursorAfter(rows[0]);
  };
  const pages = {
    'first page': async () => 'per_page=20&sort=desc',
    'by version': async () => 'per_page=20&order_by=version',
    'one name': async () => 'per_page=20&package_name=library-777',
    'keyset page in the middle': async (one) => `per_page=20&sort=desc&pagination=keyset&cursor=${await middleOf(one)}`,
  };
  for (const [name, queryOf] of Object.entries(pages)) {
    const subjects = [];
    for (const one of watched)
      subjects.push({ size: one.size, url: `${installation.url}/api/v4/${one.path}?${await queryOf(one)}` });
    await compareSizes(installation, report, db, {
      name: `packages, ${name}`,
      subjects,
      headers: { 'PRIVATE-TOKEN': people.token },
      services: ['gateway', 'groups-admin', 'packages', 'merge-requests'],
    });
  }
}

/** npm's metadata of a package with 2,000 versions, as npm asks for it. */
async function metadata(installation, report, db) {
  const people = await seedPeople(installation, 'npm');
  const project = await seedProject(installation, { path: 'npm-versions', people });
  await db.query(
    `insert into packages (project_id, format, name, version, metadata)
    select $1, 'npm', 'many', '1.0.' || i, jsonb_build_object(
      'manifest', own || jsonb_build_object('description', repeat('What it is for. ', 10), 'scripts', jsonb_build_object('test', 'jest'),
        'repository', jsonb_build_object('type', 'git', 'url', 'https://forge.example/acme/many.git'), 'keywords', '["one", "two"]'::jsonb),
      'short', own,
      'dist', jsonb_build_object('shasum', encode(sha256(i::text::bytea), 'hex'), 'integrity', 'sha512-' || encode(sha512(i::text::bytea), 'base64'), 'fileCount', i, 'unpackedSize', i * 1000))
    from generate_series(1, $2::bigint) i, lateral (select jsonb_build_object('name', 'many', 'version', '1.0.' || i, 'main', 'index.js',
      'dependencies', (select jsonb_object_agg('dependency-' || d, '^' || i || '.0.' || d) from generate_series(1, 12) d)) as own) one`,
    [project.id, versions],
  );
  await db.query('vacuum (analyze) packages');
  const url = `${installation.url}/api/v4/projects/${project.id}/packages/npm/many`;
  const agent = new http.Agent({ keepAlive: true });
  const ask = (headers) =>
    new Promise((settle, reject) => {
      const sentAt = performance.now();
      const given = { 'PRIVATE-TOKEN': people.token, 'Accept-Encoding': 'gzip', ...headers };
      http
        .get(url, { agent, headers: given }, async (response) => {
          let bytes = 0;
          for await (const chunk of response) bytes += chunk.length;
          const { etag, 'content-encoding': coding } = response.headers;
          settle({ status: response.statusCode, bytes, etag, coding, ms: performance.now() - sentAt });
        })
        .on('error', reject);
    });
  const forms = { whole: {}, abbreviated: { Accept: 'application/vnd.npm.install-v1+json; q=1.0, */*; q=0.1' } };
  try {
    for (const [form, headers] of Object.entries(forms)) {
      const taken = { 200: [], 304: [] };
      for (let round = 0; round < metadataWarmUp + metadataRounds; round += 1) {
        const first = await ask(headers);
        const again = await ask({ ...headers, 'If-None-Match': first.etag });
        if (first.status !== 200 || first.coding !== 'gzip' || again.status !== 304)
          throw new Error(`npm metadata: ${first.status} ${first.coding}, ${again.status}`);
        if (round === 0) report.note(`npm metadata, ${form}: ${first.bytes} bytes compressed`);
        if (round < metadataWarmUp) continue;
        taken[200].push(first.ms);
        taken[304].push(again.ms);
      }
      const unit = { unit: 'ms', target: metadataMs };
      report.figure(`packages: npm metadata of ${versions} versions, ${form}`, taken[200], unit);
      report.figure('    to who has it already (304)', taken[304], unit);
    }
  } finally {
    agent.destroy();
  }
}

/** Packages: large files, lists and npm's metadata. */
export async function packages(installation, report) {
  const db = await installation.connect('switchyard_packages');
  const others = await installation.connect('switchyard_merge_requests');
  try {
    await lists(installation, report, db, others);
    await metadata(installation, report, db);
  } finally {
    await others.end();
    await db.end();
  }
}
