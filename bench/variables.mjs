import { createRequire } from 'node:module';
import { seedPeople, seedProject } from './seed.mjs';

const count = 1_000;
const valueLength = 200;
const rounds = 12;
const warmUp = 4;
const atOnce = 4;
const targetMs = 50;

/** Decrypts values with the ring of the services, as a reply does; ms of each round. */
function decryptions() {
  const { deriveKey, keyring } = createRequire(import.meta.url)('@switchyard/secrets');
  const ring = keyring([deriveKey('key material of the benchmark itself', 'benchmark')]);
  const sealed = Array.from({ length: count }, (_, at) => ring.encrypt(`variable ${at}`, 'v'.repeat(valueLength)));
  return Array.from({ length: warmUp + rounds }, () => {
    const since = performance.now();
    for (const [at, value] of sealed.entries()) ring.decrypt(`variable ${at}`, value);
    return performance.now() - since;
  }).slice(warmUp);
}

/** 1,000 variables of a project: decrypted, and read by an outside CI for a pipeline. */
export async function variables(installation, report) {
  const { api } = installation;
  report.figure(`variables: ${count} of ${valueLength} characters decrypted`, decryptions(), {
    unit: 'ms',
    target: targetMs,
  });
  const people = await seedPeople(installation, 'variables');
  const project = await seedProject(installation, { path: 'configured', people });
  const numbers = Array.from({ length: count }, (_, at) => at);
  const make = async () => {
    for (let at = numbers.shift(); at !== undefined; at = numbers.shift()) {
      const variable = { key: `VARIABLE_${at}`, value: 'v'.repeat(valueLength) };
      await api('POST', `/projects/${project.id}/variables`, variable);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, make));
  const actions = [{ action: 'create', file_path: 'a', content: 'a' }];
  await api('POST', `/projects/${project.id}/repository/commits`, { branch: 'main', commit_message: 'First', actions });
  const { body: pipeline } = await api('POST', `/projects/${project.id}/pipeline`, { ref: 'main' });
  const taken = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    const since = performance.now();
    const { body } = await api('GET', `/projects/${project.id}/pipelines/${pipeline.id}/ci_variables`);
    if (body.length !== count) throw new Error(`${body.length} variables of ${count}`);
    if (round >= warmUp) taken.push(performance.now() - since);
  }
  report.figure(`variables: a pipeline with ${count} read by an outside CI`, taken, { unit: 'ms' });
}
