import { setTimeout as sleep } from 'node:timers/promises';
import { commit, openRepository } from './git.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const mergeRequests = 200;
const files = 1_000;
const rounds = 6;
const targetMs = 1_000;
const pollMs = 5;
const timeoutMs = 60_000;

/** Two hundred open merge requests: how long after a push to their target branch until each has been checked again. */
export async function recheck(installation, report) {
  const people = await seedPeople(installation, 'recheck');
  const project = await seedProject(installation, { path: 'rechecked', people });
  const db = await installation.connect('switchyard_merge_requests');
  const repository = openRepository(installation, { token: people.token, path: project.path });
  try {
    const shared = (line) => `first\n${line}\nlast\n`;
    const tree = Object.fromEntries(
      Array.from({ length: files }, (_, at) => [`src/part-${at % 40}/file-${at}.txt`, `file ${at}\n`.repeat(20)]),
    );
    const branches = Array.from({ length: mergeRequests }, (_, at) => `feature-${at}`);
    // Half of them change a line that every second push changes as well.
    const conflicts = (at) => at % 2 === 1;
    repository.import([
      commit('main', 'Start', { ...tree, 'shared.txt': shared('nothing') }),
      ...branches.map((branch, at) =>
        commit(
          branch,
          `Change ${at}`,
          conflicts(at) ? { 'shared.txt': shared(branch) } : { [`own/${at}.txt`]: branch },
          'refs/heads/main',
        ),
      ),
    ]);
    await repository.push('main');
    await repository.push('--all');
    for (const [at, branch] of branches.entries()) {
      await installation.api(
        'POST',
        `/projects/${project.id}/merge_requests`,
        { source_branch: branch, target_branch: 'main', title: `Change ${at}` },
        { token: people.token },
      );
    }

    const unchecked = async (target) => {
      const { rows } = await db.query(
        `select count(*)::int as left from merge_requests where project_id = $1 and state = 'opened'
          and (target_sha <> $2 or merge_status not in ('can_be_merged', 'cannot_be_merged'))`,
        [project.id, target],
      );
      return rows[0].left;
    };
    const allChecked = async (target) => {
      const deadline = performance.now() + timeoutMs;
      while ((await unchecked(target)) > 0) {
        if (performance.now() > deadline)
          throw new Error(`${await unchecked(target)} merge requests were never checked`);
        await sleep(pollMs);
      }
      return performance.now();
    };
    await allChecked(repository.git(['rev-parse', 'main']));

    const found = [];
    const pushes = [];
    for (let round = 0; round < rounds; round += 1) {
      const changed = round % 2 === 0;
      repository.import([
        commit(
          'main',
          `Push ${round}`,
          { 'shared.txt': shared(changed ? `push ${round}` : 'nothing') },
          'refs/heads/main^0',
        ),
      ]);
      const tip = repository.git(['rev-parse', 'main']);
      const startedAt = performance.now();
      const returnedAt = await repository.push('main');
      const checkedAt = await allChecked(tip);
      pushes.push(returnedAt - startedAt);
      found.push(checkedAt - returnedAt);

      const pages = await Promise.all(
        [1, 2].map((page) =>
          installation.api('GET', `/projects/${project.id}/merge_requests?state=opened&per_page=100&page=${page}`),
        ),
      );
      for (const { source_branch: branch, has_conflicts: has } of pages.flatMap(({ body }) => body)) {
        if (has !== (changed && conflicts(branches.indexOf(branch))))
          throw new Error(`${branch}: has_conflicts is ${has}`);
      }
    }
    report.figure(`recheck: the push itself`, pushes, { unit: 'ms', digits: 0 });
    report.figure(`recheck: push returned until ${mergeRequests} merge requests are checked`, found, {
      unit: 'ms',
      digits: 0,
      target: targetMs,
    });
  } finally {
    repository.remove();
    await db.end();
  }
}
