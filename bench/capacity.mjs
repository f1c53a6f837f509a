import http from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuByRole, processTree, proportionalMemory, residentMemory, roleOf } from './cpu.mjs';
import { startInstallation, temporaryFolder } from './installation.mjs';
import { seedMergeRequests, seedPeople, seedProject } from './seed.mjs';
import { offer } from './send.mjs';

/** Requests a second, one after the other, until too few are answered in time. */
const rates = [10, 20, 40, 80, 160, 320];
const seconds = 20;
const warmUp = { rate: 20, seconds: 15 };
const restMs = 10_000;
/** Milliseconds in which an answer is of use. */
const within = 10_000;
/** Of what is offered, the least that is answered in time at a rate that the installation bears. */
const borne = 0.9;
const mebibyte = 2 ** 20;

/** What the requests are about, and an endless row of them: of twenty, fourteen read. */
async function mixOf(installation) {
  const { api, url, rootToken: token } = installation;
  const people = await seedPeople(installation, 'capacity');
  const listed = await seedProject(installation, { path: 'capacity-listed', people });
  const db = await installation.connect('switchyard_merge_requests');
  await seedMergeRequests(db, { project: listed, people, count: 1_000 });
  await db.end();
  const made = { name: 'capacity', path: 'capacity', initialize_with_readme: true };
  const { body: project } = await api('POST', '/projects', made);
  const { body: issue } = await api('POST', `/projects/${project.id}/issues`, { title: 'Discussed' });
  const { body: source } = await api('POST', `/projects/${project.id}/alert_management/http_integrations`, {
    name: 'capacity',
    active: true,
  });
  const file = `/projects/${project.id}/packages/generic/capacity/1.0/file.txt`;
  const upload = { method: 'PUT', headers: { 'PRIVATE-TOKEN': token }, body: 'x'.repeat(10_000) };
  const { status } = await fetch(`${url}/api/v4${file}`, upload);
  if (status !== 201) throw new Error(`${file}: ${status}`);

  const authorization = { Authorization: `Bearer ${source.token}` };

  const at = `/projects/${project.id}`;
  let count = 0;
  const reads = [
    ...Array(4).fill(`/projects/${listed.id}/merge_requests?per_page=20`),
    `/projects/${listed.id}/merge_requests/17`,
    ...Array(2).fill(`${at}/issues?per_page=20`),
    `${at}/issues/${issue.iid}/notes`,
    at,
    `/projects?per_page=20`,
    `${at}/repository/tree`,
    `${at}/repository/files/README.md?ref=main`,
    `${at}/packages`,
    file,
  ].map((path) => () => ({ method: 'GET', path }));
  const writes = [
    ...Array(2).fill(() => ({ method: 'POST', path: `${at}/issues`, body: { title: `Issue ${count}` } })),
    ...Array(2).fill(() => ({
      method: 'POST',
      path: `${at}/issues/${issue.iid}/notes`,
      body: { body: `Note ${count}` },
    })),
    () => ({ method: 'POST', path: `${at}/repository/branches`, body: { branch: `branch-${count}`, ref: 'main' } }),
    () => ({ method: 'POST', url: source.url, authorization, body: { title: `Alert ${count % 50}` } }),
  ];
  const requests = [...reads, ...writes];
  return () => {
    count += 1;
    // Seven has no divisor in common with their number: every one has its turn, and writes do not come in a row.
    const { path, ...request } = requests[(count * 7) % requests.length]();
    return { token, url: `${url}/api/v4${path}`, ...request };
  };
}

/** Memory by role, bytes: resident, and of PostgreSQL's processes, which share most of it, proportional. */
function memoryByRole(launcherPid) {
  const found = new Map();
  for (const pid of processTree(launcherPid)) {
    const role = roleOf(pid);
    const bytes = role === 'postgres' ? proportionalMemory(pid) : residentMemory(pid);
    found.set(role, (found.get(role) ?? 0) + bytes);
  }
  return found;
}

const table = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |`);

/** How many mixed requests an installation bears, and what of the machine each service takes for them. */
export async function capacity(report) {
  const folder = temporaryFolder('capacity');
  const agent = new http.Agent({ keepAlive: true });
  let installation;
  try {
    installation = await startInstallation({ data: join(folder.path, 'data') });
    const { launcherPid } = installation;
    const subject = { agent, within, next: await mixOf(installation) };
    await sleep(restMs);
    const atRest = memoryByRole(launcherPid);
    await offer(subject, warmUp.rate, warmUp.seconds);
    const measured = [];
    for (const rate of rates) {
      const before = cpuByRole(launcherPid);
      const result = await offer(subject, rate, seconds);
      const after = cpuByRole(launcherPid);
      const { good, offered, latencies, refused, late, failed } = result;
      const cpu = new Map(
        [...after].map(([role, used]) => [role, (used - (before.get(role) ?? 0)) / Math.max(good, 1)]),
      );
      const of = (part) => latencies[Math.floor(latencies.length * part)] ?? Number.NaN;
      measured.push({ rate, result, cpu, p50: of(0.5), p99: of(0.99), memory: memoryByRole(launcherPid) });
      report.figure(`capacity at ${rate}/s: answered in time`, [result.perSecond], { unit: '/s', digits: 1 });
      report.figure('    half of them within', [of(0.5)], { unit: 'ms', digits: 0 });
      report.figure('    99 of 100 within', [of(0.99)], { unit: 'ms', digits: 0 });
      report.figure('    refused early', [refused], { digits: 0 });
      report.figure('    late or failed', [late + failed], { digits: 0 });
      if (good < offered * borne) break;
    }
    const roles = [...atRest.keys()].filter((role) => role !== 'other' && role !== 'launcher').sort();
    const bytes = (memory, role) => ((memory.get(role) ?? 0) / mebibyte).toFixed(0);
    for (const line of [
      ...table(
        ['offered', 'answered in time', 'half within', '99 of 100 within', 'refused early', 'cores'],
        measured.map(({ rate, result, cpu, p50, p99 }) => [
          `${rate}/s`,
          `${result.perSecond.toFixed(1)}/s`,
          `${p50.toFixed(0)} ms`,
          `${p99.toFixed(0)} ms`,
          result.refused,
          (([...cpu.values()].reduce((sum, one) => sum + one, 0) * result.good) / seconds / 1_000).toFixed(2),
        ]),
      ),
      '',
      ...table(
        [
          'service',
          'MiB at rest',
          ...measured.flatMap(({ rate }) => [`MiB at ${rate}/s`, `CPU s per 1,000 at ${rate}/s`]),
        ],
        roles.map((role) => [
          role,
          bytes(atRest, role),
          ...measured.flatMap(({ memory, cpu }) => [bytes(memory, role), (cpu.get(role) ?? 0).toFixed(2)]),
        ]),
      ),
    ])
      report.note(line);
  } finally {
    agent.destroy();
    await installation?.stop();
    folder.remove();
  }
}
