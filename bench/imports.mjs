import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuByRole } from './cpu.mjs';
import { forgeProject } from './forge-project.mjs';
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

/** Lists that two stages ask for: reviews are those of the pull requests that changed. */
const stagesOf = { pulls: 2 };

/** Waits until an import has ended; `during` is called at each look. */
async function ended({ api }, id, during = () => undefined) {
  for (;;) {
    await sleep(500);
    // 503 while the process that died starts again.
    const { status, body: one } = await api('GET', `/projects/${id}/import`, undefined, { expected: [200, 503] });
    if (status === 503) continue;
    during(one);
    if (one.import_status === 'finished') return one;
    if (one.import_status === 'failed') throw new Error(one.import_error);
  }
}

/** Imports from a forge. Settles with the import. */
async function importFrom(installation, forge, name, during) {
  const { body: begun } = await installation.api('POST', '/import/forgea', {
    ...{ personal_access_token: forge.token, repo_id: 1, target_namespace: 'root', new_name: name },
    forgea_hostname: forge.url,
  });
  return ended(installation, begun.id, during);
}

/** Seconds of each stage and of CPU in them by what uses it, as far as looks at an import tell. */
function stageClock(launcherPid) {
  const stages = new Map();
  let before = { at: performance.now(), cpu: cpuByRole(launcherPid) };
  return {
    look({ progress }) {
      const now = { at: performance.now(), cpu: cpuByRole(launcherPid) };
      const running = progress.stages.find(({ status }) => status === 'started')?.name;
      if (running !== undefined) {
        const { seconds, cpu } = stages.get(running) ?? { seconds: 0, cpu: {} };
        for (const [role, used] of now.cpu) cpu[role] = (cpu[role] ?? 0) + (used - (before.cpu.get(role) ?? 0)) / 1_000;
        stages.set(running, { seconds: seconds + (now.at - before.at) / 1_000, cpu });
      }
      before = now;
    },
    stages,
  };
}

const rounded = (cpu) =>
  Object.entries(cpu)
    .filter(([, seconds]) => seconds >= 0.05)
    .map(([role, seconds]) => `${role} ${seconds.toFixed(1)}`)
    .join(', ');

function check({ stats, failed_relations: failed }, { expected }) {
  if (failed.length > 0) throw new Error(`left out: ${JSON.stringify(failed[0])}`);
  for (const [item, count] of Object.entries(expected))
    if (stats.imported[item] !== count) throw new Error(`${stats.imported[item]} of ${count} ${item}s`);
}

/** Pages of lists that a forge was asked for; the look for the highest numbers is none. */
const pagesOf = (requests) =>
  requests.map(({ url }) => url).filter((url) => /[?&]page=/.test(url) && !/sort=created&direction=desc/.test(url));

/** An import of a large project: time, memory and CPU of each process; a refresh without news, and what an interrupted one repeats. */
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
    const open = async (counts) => {
      const repositories = join(folder.path, `forge-${forges.length}`);
      const contents = forgeProject(repositories, counts);
      const forge = await startFakeForge(contents, repositories);
      forges.push(forge);
      return { forge, contents };
    };
    const whole = await open(counts);
    const before = cpuByRole(installation.launcherPid);
    const clock = stageClock(installation.launcherPid);
    const since = performance.now();
    const { result, byRole } = await watchGrowth(installation, () =>
      importFrom(installation, whole.forge, 'imported', clock.look),
    );
    const minutes = (performance.now() - since) / 60_000;
    check(result, whole.contents);
    report.note(`imports: ${JSON.stringify(result.stats.imported)}`);
    const { issues, pulls, comments } = counts;
    report.figure(`imports: ${issues} issues, ${pulls} pull requests, ${comments} comments`, [minutes], {
      ...{ unit: 'min', target: minutesTarget },
    });
    for (const [stage, { seconds, cpu }] of clock.stages) {
      report.figure(`    stage ${stage}`, [seconds], { unit: 's', digits: 1 });
      report.note(`      CPU, seconds: ${rounded(cpu)}`);
    }
    for (const [role, growth] of byRole)
      report.figure(`    growth of ${role}`, [growth / 2 ** 20], { unit: 'MiB', digits: 0, target: growthTarget });
    for (const [role, used] of cpuByRole(installation.launcherPid))
      report.figure(`    CPU of ${role}`, [(used - (before.get(role) ?? 0)) / 1_000], { unit: 's', digits: 1 });

    const asked = whole.forge.requests.length;
    const refreshedAt = performance.now();
    await installation.api('POST', `/projects/${result.id}/import/refresh`, {
      personal_access_token: whole.forge.token,
    });
    const refreshed = await ended(installation, result.id);
    const seconds = (performance.now() - refreshedAt) / 1_000;
    if (refreshed.failed_relations.length > 0) throw new Error(JSON.stringify(refreshed.failed_relations[0]));
    const pages = new Map();
    for (const url of pagesOf(whole.forge.requests.slice(asked))) {
      const name = /\/repos\/octo\/things\/([^?]+)/.exec(url)?.[1] ?? url;
      pages.set(name, (pages.get(name) ?? 0) + 1);
    }
    report.note(`imports: a refresh without news asks for ${JSON.stringify(Object.fromEntries(pages))}`);
    report.figure('imports: a refresh without news', [seconds], { unit: 's', digits: 1 });
    report.figure(
      '    pages that it asks for of a stage, the most',
      [Math.max(...[...pages].map(([name, count]) => count / (stagesOf[name] ?? 1)))],
      { digits: 0, target: 1 },
    );

    const some = await open(interrupted);
    let killed = false;
    const again = await importFrom(installation, some.forge, 'interrupted', ({ stats }) => {
      if (killed || stats.fetched.note === 0) return;
      killed = true;
      process.kill(installation.pidOf('imports-exports'), 'SIGKILL');
    });
    if (!killed) throw new Error('the import ended before its process could die');
    check(again, some.contents);
    const askedFor = pagesOf(some.forge.requests);
    report.figure('imports: pages that an interrupted one asks for again', [askedFor.length - new Set(askedFor).size], {
      ...{ digits: 0, target: 1 },
    });
  } finally {
    await installation?.stop();
    await Promise.all(forges.map((one) => one.close()));
    folder.remove();
  }
}
