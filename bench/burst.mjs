import http from 'node:http';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';
import { offer, send } from './send.mjs';

const rounds = 2;
const warmUpSeconds = 2;
const bestSeconds = 4;
const overloadSeconds = 10;
const overload = 4;
/** Milliseconds in which an answer is of use to its client. */
const readWithin = 10_000;
const writeWithin = 30_000;
/** Requests under way at a time that keep a service busy, and are not too many for it. */
const readers = 16;
const writers = 8;
const goodputAtLeast = 0.8;

/** Answers per second with as many requests under way as keep the service busy. */
async function saturate(subject, seconds) {
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;
  const failures = [];
  let answered = 0;
  await Promise.all(
    Array.from({ length: subject.clients }, async () => {
      while (performance.now() < endAt) {
        const { status } = await send(subject.agent, subject.next());
        if (status >= 200 && status < 300) answered += 1;
        else failures.push(status);
      }
    }),
  );
  if (failures.length > 0) throw new Error(`${subject.name}: ${failures.length} failed, first with ${failures[0]}`);
  return answered / ((performance.now() - startedAt) / 1_000);
}

/** What is still done at four times the load that keeps a service busy, for reads and writes (docs/adr/0017-room-for-requests.md). */
export async function burst(installation, report) {
  const people = await seedPeople(installation, 'burst');
  const listed = await seedProject(installation, { path: 'burst-listed', people });
  const db = await installation.connect('switchyard_merge_requests');
  await seedMergeRequests(db, { project: listed, people, count: 1_000 });
  await db.end();
  const { body: written } = await installation.api('POST', '/projects', {
    name: 'burst-written',
    path: 'burst-written',
    initialize_with_readme: true,
  });
  const agent = new http.Agent({ keepAlive: true });
  const at = (project, path) => `${installation.url}/api/v4/projects/${project.id}/${path}`;
  const token = installation.rootToken;
  let made = 0;
  const making = (path, body) => () => {
    made += 1;
    return { method: 'POST', url: at(written, path), token, body: body(made) };
  };
  const read = { clients: readers, within: readWithin, agent };
  const write = { clients: writers, within: writeWithin, agent };
  const subjects = [
    {
      ...read,
      name: 'list of merge requests',
      next: () => ({ method: 'GET', url: at(listed, 'merge_requests?per_page=20'), token: people.token }),
    },
    { ...write, name: 'new issues', next: making('issues', (number) => ({ title: `Issue ${number}` })) },
    {
      ...write,
      name: 'new branches',
      next: making('repository/branches', (number) => ({ branch: `branch-${number}`, ref: 'main' })),
    },
  ];
  try {
    for (const subject of subjects) {
      await saturate(subject, warmUpSeconds);
      const best = [];
      const offered = [];
      for (let round = 0; round < rounds; round += 1) {
        best.push(await saturate(subject, bestSeconds));
        offered.push(await offer(subject, best.at(-1) * overload, overloadSeconds));
      }
      const of = (key) => offered.map((one) => one[key]);
      report.figure(`burst, ${subject.name}: the most that is answered`, best, { unit: '/s', digits: 0 });
      report.figure(
        `    of it at ${overload} times that load, in time`,
        offered.map(({ perSecond }, round) => perSecond / best[round]),
        {
          atLeast: goodputAtLeast,
        },
      );
      report.figure('    offered', of('offered'), { digits: 0 });
      report.figure('    refused early', of('refused'), { digits: 0 });
      report.figure('    answered too late', of('late'), { digits: 0 });
      report.figure('    failed otherwise, most of a round', [Math.max(...of('failed'))], { digits: 0, target: 0 });
    }
  } finally {
    agent.destroy();
  }
}
