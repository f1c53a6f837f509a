import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processCpu, roleOf } from './cpu.mjs';
import { commit, environment } from './git.mjs';
import { root, startInstallation, temporaryFolder } from './installation.mjs';
import { watchGrowth } from './packages.mjs';

const require = createRequire(import.meta.url);

/** Part of the project that is imported: 1 is the whole of it. */
const scale = Number(process.env.BENCH_IMPORTS_SCALE ?? 1);
const counts = { issues: 10_000 * scale, pulls: 5_000 * scale, comments: 60_000 * scale };
/** What is imported once more, and whose process dies in the middle of the comments. */
const interrupted = { issues: 500, pulls: 250, comments: 3_000 };
const minutesTarget = 20 * scale;
const growthTarget = 128;

const people = 50;
const at = (minutes) => new Date(Date.UTC(2020, 0, 1) + minutes * 60_000).toISOString();
const person = (number) => ({ login: `person-${number % people}`, id: 1 + (number % people) });
const words = 'What was seen, what was expected, and what to do about it, as people write it in an issue. ';

/** A project at forgea: every third number is a pull request, and every comment is on one of both. */
function contentsOf({ issues, pulls, comments }) {
  const total = issues + pulls;
  const isPull = (number) => number % 3 === 0 && number / 3 <= pulls;
  const address = (number) => `https://forge.example/octo/things/${isPull(number) ? 'pull' : 'issues'}/${number}`;
  const dated = (minutes) => ({ created_at: at(minutes), updated_at: at(minutes + 5) });
  const issue = (number) => ({
    ...{ number, title: `Number ${number} does not do what it should`, body: words.repeat(1 + (number % 10)) },
    ...{ state: number % 2 === 0 ? 'closed' : 'open', closed_at: number % 2 === 0 ? at(number + 60) : null },
    ...{ user: person(number), assignees: [person(number + 1)], locked: false, html_url: address(number) },
    ...{ labels: [{ name: `label-${number % 40}` }], milestone: { number: 1 + (number % 20) }, ...dated(number) },
    ...(isPull(number) ? { pull_request: {} } : {}),
  });
  const comment = (id) => {
    const number = 1 + ((id * 7) % total);
    const url = `${address(number)}#issuecomment-${id}`;
    return {
      ...{ id, body: words.repeat(1 + (id % 5)), user: person(id), html_url: url, ...dated(total + id) },
      issue_url: `https://api.forge.example/repos/octo/things/issues/${number}`,
    };
  };
  const list = (length, one) => Array.from({ length }, (_, index) => one(index + 1));
  const onIssues = list(comments, comment).filter(({ html_url: url }) => url.includes('/issues/')).length;
  return {
    lists: {
      labels: list(40, (id) => ({ id, name: `label-${id - 1}`, color: 'd9534f', description: null })),
      milestones: list(20, (number) => ({
        ...{ number, title: `v${number}`, description: null, state: 'open', due_on: null, ...dated(number) },
      })),
      issues: list(total, issue),
      'issues/comments': list(comments, comment),
    },
    users: Object.fromEntries(list(people, (id) => [person(id).login, { ...person(id), email: null }])),
    expected: { issue: total - Math.min(pulls, Math.floor(total / 3)), note: onIssues },
  };
}

/** The folder below which the repository of the forge lies. */
function repositoryIn(folder) {
  const path = join(folder, 'forge', 'octo', 'things.git');
  const git = (args, input) => execFileSync('git', args, { input, env: environment, stdio: 'pipe' });
  git(['init', '--quiet', '--bare', '--initial-branch=main', path]);
  git(['-C', path, 'fast-import', '--quiet'], commit('main', 'One', { 'README.md': 'Things\n' }));
  return join(folder, 'forge');
}

/** CPU of every process so far by what it is, milliseconds. */
function usedByRole(pid) {
  const used = new Map();
  for (const one of processCpu(pid)) used.set(roleOf(one.pid), (used.get(roleOf(one.pid)) ?? 0) + one.milliseconds);
  return used;
}

/** Imports from a forge; `during` is called at each look. Settles with the import. */
async function importFrom({ api }, forge, name, during = () => undefined) {
  const { body: begun } = await api('POST', '/import/forgea', {
    ...{ personal_access_token: forge.token, repo_id: 1, target_namespace: 'root', new_name: name },
    forgea_hostname: forge.url,
  });
  for (;;) {
    await sleep(500);
    // 503 while the process that died starts again.
    const { status, body: one } = await api('GET', `/projects/${begun.id}/import`, undefined, { expected: [200, 503] });
    if (status === 503) continue;
    during(one);
    if (one.import_status === 'finished') return one;
    if (one.import_status === 'failed') throw new Error(one.import_error);
  }
}

function check({ stats }, { expected }) {
  for (const [item, count] of Object.entries(expected))
    if (stats.imported[item] !== count) throw new Error(`${stats.imported[item]} of ${count} ${item}s`);
}

/** An import of a large project: time, memory of each process, CPU by process; and what an interrupted one repeats. */
export async function imports(report) {
  const folder = temporaryFolder('imports');
  const forges = [];
  let installation;
  try {
    installation = await startInstallation({
      data: join(folder.path, 'data'),
      env: { SWITCHYARD_OUTBOUND_ALLOWED: '127.0.0.1' },
    });
    const { startFakeForge } = require(`${root}/libs/testkit/dist/forge/index.js`);
    const repositories = repositoryIn(folder.path);
    const open = async (counts) => {
      const contents = contentsOf(counts);
      const forge = await startFakeForge(contents, repositories);
      forges.push(forge);
      return { forge, contents };
    };
    const whole = await open(counts);
    const before = usedByRole(installation.launcherPid);
    const since = performance.now();
    const { result, growth, name } = await watchGrowth(installation, () =>
      importFrom(installation, whole.forge, 'imported'),
    );
    const minutes = (performance.now() - since) / 60_000;
    check(result, whole.contents);
    report.note(`imports: ${JSON.stringify(result.stats.imported)}`);
    const { issues, pulls, comments } = counts;
    report.figure(`imports: ${issues} issues, ${pulls} pull requests, ${comments} comments`, [minutes], {
      ...{ unit: 'min', target: minutesTarget },
    });
    report.figure(`    growth of ${name}, the most of all processes`, [growth / 2 ** 20], {
      ...{ unit: 'MiB', digits: 0, target: growthTarget },
    });
    for (const [role, used] of usedByRole(installation.launcherPid))
      report.figure(`    CPU of ${role}`, [(used - (before.get(role) ?? 0)) / 1_000], { unit: 's', digits: 1 });

    const some = await open(interrupted);
    let killed = false;
    const again = await importFrom(installation, some.forge, 'interrupted', ({ stats }) => {
      if (killed || stats.fetched.note === 0) return;
      killed = true;
      process.kill(installation.pidOf('imports-exports'), 'SIGKILL');
    });
    if (!killed) throw new Error('the import ended before its process could die');
    check(again, some.contents);
    const pages = some.forge.requests.map(({ url }) => url).filter((url) => /[?&]page=/.test(url));
    report.figure('imports: pages that an interrupted one asks for again', [pages.length - new Set(pages).size], {
      ...{ digits: 0, target: 1 },
    });
  } finally {
    await installation?.stop();
    await Promise.all(forges.map((one) => one.close()));
    folder.remove();
  }
}
