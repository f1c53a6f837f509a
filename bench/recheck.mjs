import { execFileSync, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './installation.mjs';
import { seedPeople, seedProject } from './seed.mjs';

const mergeRequests = 200;
const files = 1_000;
const rounds = 6;
const targetMs = 1_000;
const pollMs = 5;
const patienceMs = 60_000;

const gitEnvironment = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
};

/** A commit for `git fast-import`: `contents` by path, on the branch's present tip or on `from`. */
function commit(branch, message, contents, from) {
  const who = 'Dana Developer <dana@example.com> 1700000000 +0000';
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  return [
    `commit refs/heads/${branch}\ncommitter ${who}\n${data(message)}`,
    from === undefined ? '' : `from ${from}\n`,
    ...Object.entries(contents).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`),
  ].join('');
}

/** Two hundred open merge requests: how long after a push to their target branch until each has been checked again. */
export async function recheck(installation, report) {
  const people = await seedPeople(installation, 'recheck');
  const project = await seedProject(installation, { path: 'rechecked', people });
  const db = await installation.connect('switchyard_merge_requests');
  const folder = temporaryFolder('repository');
  try {
    const git = (args, input) =>
      execFileSync('git', ['-C', folder.path, ...args], { input, env: gitEnvironment, stdio: 'pipe' });
    const remote = `${installation.url.replace('://', `://bench:${people.token}@`)}/${project.path}.git`;
    git(['init', '--quiet', '--bare']);

    const shared = (line) => `first\n${line}\nlast\n`;
    const tree = Object.fromEntries(
      Array.from({ length: files }, (_, at) => [`src/part-${at % 40}/file-${at}.txt`, `file ${at}\n`.repeat(20)]),
    );
    const branches = Array.from({ length: mergeRequests }, (_, at) => `feature-${at}`);
    // Half of them change a line that every second push changes as well.
    const conflicts = (at) => at % 2 === 1;
    git(
      ['fast-import', '--quiet'],
      [
        commit('main', 'Start', { ...tree, 'shared.txt': shared('nothing') }),
        ...branches.map((branch, at) =>
          commit(
            branch,
            `Change ${at}`,
            conflicts(at) ? { 'shared.txt': shared(branch) } : { [`own/${at}.txt`]: branch },
            'refs/heads/main',
          ),
        ),
      ].join(''),
    );
    git(['push', '--quiet', remote, 'main']);
    git(['push', '--quiet', remote, '--all']);
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
      const deadline = performance.now() + patienceMs;
      while ((await unchecked(target)) > 0) {
        if (performance.now() > deadline)
          throw new Error(`${await unchecked(target)} merge requests were never checked`);
        await sleep(pollMs);
      }
      return performance.now();
    };
    const push = () =>
      new Promise((settle, reject) => {
        const child = spawn('git', ['-C', folder.path, 'push', '--quiet', remote, 'main'], { env: gitEnvironment });
        let printed = '';
        child.stderr.on('data', (chunk) => {
          printed += chunk;
        });
        child.once('exit', (code) => (code === 0 ? settle(performance.now()) : reject(new Error(printed))));
      });
    await allChecked(git(['rev-parse', 'main']).toString().trim());

    const found = [];
    const pushes = [];
    for (let round = 0; round < rounds; round += 1) {
      const changed = round % 2 === 0;
      git(
        ['fast-import', '--quiet'],
        commit(
          'main',
          `Push ${round}`,
          { 'shared.txt': shared(changed ? `push ${round}` : 'nothing') },
          'refs/heads/main^0',
        ),
      );
      const tip = git(['rev-parse', 'main']).toString().trim();
      const startedAt = performance.now();
      const returnedAt = await push();
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
    folder.remove();
    await db.end();
  }
}
