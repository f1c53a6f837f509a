import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

const components = 100_000;
const reports = 4;
/** Milliseconds from the request until the export has ended, and MiB of the process that makes it. */
const timeTarget = 60_000;
const memoryTarget = 256;

/** A report with a part of the components, of which a tenth is in the next one as well; each depends on two others. */
function reportOf(part) {
  const size = components / reports;
  const [from, to] = [part * size, Math.min(components, (part + 1) * size + (part + 1 < reports ? size / 10 : 0))];
  const list = Array.from({ length: to - from }, (_, at) => {
    const id = from + at;
    const purl = `pkg:npm/%40bench/package-${id}@1.${id % 100}.0`;
    return {
      type: 'library',
      'bom-ref': purl,
      group: '@bench',
      name: `package-${id}`,
      version: `1.${id % 100}.0`,
      description: `The package ${id} of a benchmark, which does what a package of its size usually does.`,
      purl,
      licenses: [{ license: { id: id % 3 === 0 ? 'MIT' : 'Apache-2.0' } }],
      hashes: [{ alg: 'SHA-512', content: id.toString(16).padStart(128, '0') }],
    };
  });
  const dependencies = list.map((one, at) => ({
    ref: one.purl,
    dependsOn: [list[(at * 7 + 1) % list.length].purl, list[(at * 13 + 5) % list.length].purl],
  }));
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.5', components: list, dependencies });
}

/** Most memory that a process has had, MiB. */
const peakOf = (pid) => Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1_024;

/** An export of 100,000 components from four reports: time, and memory of the process that makes it. */
export async function sbom(installation, report) {
  const { api, url, rootToken } = installation;
  const { body: project } = await api('POST', '/projects', { name: 'sbom', initialize_with_readme: true });
  const { body: pipeline } = await api('POST', `/projects/${project.id}/pipeline?ref=main`);
  for (let part = 0; part < reports; part += 1) {
    const form = new FormData();
    form.append('file', new Blob([gzipSync(reportOf(part))]), `report-${part}.cdx.json`);
    const address = `${url}/api/v4/projects/${project.id}/pipelines/${pipeline.id}/artifacts`;
    const reply = await fetch(address, { method: 'POST', headers: { 'PRIVATE-TOKEN': rootToken }, body: form });
    if (reply.status !== 201) throw new Error(`report ${part}: ${reply.status} ${await reply.text()}`);
  }
  const startedAt = performance.now();
  const { body: made } = await api('POST', `/pipelines/${pipeline.id}/dependency_list_exports`);
  let one = made;
  while (!one.has_finished) {
    await sleep(250);
    one = (await api('GET', `/dependency_list_exports/${made.id}`)).body;
  }
  const took = performance.now() - startedAt;
  if (one.status !== 'finished') throw new Error(one.problem);
  const { body: list } = await api('GET', `/dependency_list_exports/${made.id}/download`);
  if (list.components.length !== components) throw new Error(`${list.components.length} components`);
  report.figure('sbom: 100,000 components exported', [took], { unit: 'ms', digits: 0, target: timeTarget });
  const peak = peakOf(installation.pidOf('imports-exports'));
  report.figure('sbom: most memory of imports-exports', [peak], { unit: 'MiB', digits: 0, target: memoryTarget });
}
