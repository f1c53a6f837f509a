import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endProcessesOf } from '../../libs/machine/src/leftovers.mjs';
import { CommandFailure, run } from './commands.mjs';
import { VARIABLES } from './environment.mjs';
import { LaunchFailure } from './failure.mjs';
import { onParentDeath } from './parent.mjs';
import { createProgress } from './progress.mjs';
import { prepareSources } from './steps/sources.mjs';
import { makeTestFolder } from './steps/test-folder.mjs';
import { checkToolchain } from './steps/toolchain.mjs';

const INTERRUPTED = 130;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** What runs beside the suite: its tests, which Jest reads as regular expressions, and what it demands. */
const RUNS = {
  faults: { tests: ['/test/faults/'] },
  // What runs over PostgreSQL and Kafka, and the image.
  containers: {
    tests: ['\\.int\\.test\\.ts$', '/kafka\\.e2e\\.test\\.ts$', '/test/containers/'],
    demand: demandEngine,
  },
  cluster: { tests: ['/test/cluster/'], demand: demandCluster },
};
const kind = Object.keys(RUNS).find((name) => process.argv.includes(`--${name}`));
// Paths narrow the run to test files that match, for work on a part: `npm test -- libs/rpc`.
const paths = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const progress = createProgress();
const ending = new AbortController();
// Everything a test makes lies in here, and every process it starts carries the name in its environment.
const folder = makeTestFolder({ large: kind === 'faults' });

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => ending.abort());
onParentDeath(() => ending.abort());
process.stdout.on('error', () => {});

const outcome = { passed: 0, failed: 0, skipped: [], failures: [] };
try {
  await progress.step('check Node.js and git', (note) => note(checkToolchain()));
  await prepareSources({ root, signal: ending.signal, step: progress.step, only: workspacesOf(paths) });
  await RUNS[kind]?.demand?.();
  if (kind === undefined && paths.length === 0) await check();
  ending.signal.throwIfAborted();
  await test();
} catch (error) {
  if (!ending.signal.aborted) {
    fail(error instanceof LaunchFailure ? `npm test: ${error.message}` : error.stack);
  }
} finally {
  const left = await endProcessesOf(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  // A process that outlives its test is a fault of the test; after an interruption it is expected.
  if (left.length > 0 && !ending.signal.aborted) {
    fail(`  ✗ ${left.length} processes outlived the tests:\n    ${left.join('\n    ')}`);
  }
}

if (ending.signal.aborted) {
  progress.say('interrupted');
  process.exit(INTERRUPTED);
}
// Said again where a reader looks first: of a long log often only the end is kept.
if (outcome.failures.length > 0) progress.say(['', 'failed:', ...outcome.failures].join('\n'));
if (outcome.skipped.length > 0)
  progress.say(['', 'skipped:', ...outcome.skipped.map((line) => `  ${line}`)].join('\n'));
const counts = [`${outcome.passed} passed`, `${outcome.failed} failed`];
if (outcome.skipped.length > 0) counts.push(`${outcome.skipped.length} skipped`);
progress.say(`\n${counts.join(', ')}`);
process.exit(outcome.failed === 0 && outcome.passed > 0 ? 0 : 1);

/**
 * The folders of the workspaces that the tests at some paths need built: those that hold them. Undefined for all, which the gateway's tests
 * need, since they start the other services, and those of deploy.
 */
function workspacesOf(files) {
  const folders = files.map((file) => /^(?:services\/(?!gateway\b)|libs\/)[a-z-]+(?=\/|$)/.exec(file)?.[0]);
  const known = folders.every((folder) => folder !== undefined && existsSync(join(root, folder, 'package.json')));
  return known && folders.length > 0 ? [...new Set(folders)] : undefined;
}

async function demandEngine() {
  const { IMAGES, containerEngine } = (await import('../../libs/testkit/jest/containers.cjs')).default;
  await progress.step('container engine and its images', async (note) => {
    const engine = await containerEngine();
    if (!engine.usable) throw new LaunchFailure(engine.reason);
    note(Object.values(IMAGES).join(', '));
  });
}

async function demandCluster() {
  if (!process.env.KUBECONFIG) throw new LaunchFailure('KUBECONFIG must name the cluster');
  const answer = async (file, args) => {
    try {
      return (await run(file, args, { signal: ending.signal })).trim();
    } catch (error) {
      throw new LaunchFailure(`${error.message}: ${error.output?.trim().split('\n').at(-1)}`);
    }
  };
  await progress.step('cluster and helm', async (note) => {
    const helm = await answer(process.env.HELM || 'helm', ['version', '--short']);
    const server = await answer('kubectl', ['get', '--raw', '/version']);
    note(`Kubernetes ${JSON.parse(server).gitVersion}, Helm ${helm}`);
  });
}

/** The checks that are no Jest tests; each counts as one. */
async function check() {
  const bin = (name) => join(root, 'node_modules', '.bin', name);
  const checks = [
    ['format and lint', bin('biome'), ['check', '.', '--colors=off', '--diagnostic-level=error'], root],
    ['lint of the protos', bin('buf'), ['lint'], join(root, 'protos')],
    [
      'directions of imports',
      bin('depcruise'),
      ['--config', '.dependency-cruiser.cjs', 'services', 'libs', 'protos'],
      root,
    ],
    ['unused files and packages', bin('knip'), ['--no-progress', '--treat-config-hints-as-errors'], root],
    ['rules of OpenAPI documents', process.execPath, [join('deploy', 'openapi', 'lint.mjs')], root],
    ['types of the tests', bin('tsc'), ['-p', 'deploy/test/tsconfig.json'], root],
  ];
  await Promise.all(
    checks.map(async ([title, file, args, cwd]) => {
      try {
        await progress.step(title, () => run(file, args, { cwd, signal: ending.signal }));
        outcome.passed++;
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        if (!ending.signal.aborted) fail(`${title}\n${error.output}`);
      }
    }),
  );
}

async function test() {
  const result = join(folder, 'result.json');
  const args = [
    join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    // Before the options, the last of which would take them for its own.
    ...(paths.length === 0 ? (RUNS[kind]?.tests ?? []) : paths),
    '--ci',
    `--reporters=${join(root, 'deploy', 'local', 'jest-reporter.cjs')}`,
    `--cacheDirectory=${join(root, 'node_modules', '.cache', 'jest')}`,
    // This replaces what the configuration says.
    '--testPathIgnorePatterns=/node_modules/',
    '--testPathIgnorePatterns=/dist/',
    ...Object.keys(RUNS).flatMap((name) => (name === kind ? [] : `--testPathIgnorePatterns=/test/${name}/`)),
  ];
  try {
    await run(process.execPath, args, {
      cwd: root,
      env: { ...testEnvironment(), TEST_RESULT_FILE: result },
      signal: ending.signal,
      onOutput: (text) => process.stdout.write(text),
    });
  } catch (error) {
    // What failed is in the result; without one, Jest itself did not run.
    if (!(error instanceof CommandFailure)) throw error;
    if (!existsSync(result)) throw new LaunchFailure(error.message);
  }
  const { passed, failed, skipped, failures } = JSON.parse(readFileSync(result, 'utf8'));
  outcome.passed += passed;
  outcome.failed += failed;
  outcome.skipped.push(...skipped);
  outcome.failures.push(...failures);
}

function fail(message) {
  outcome.failed++;
  outcome.failures.push(message);
  progress.say(message);
}

/** Tests choose their own servers and folders; the operator's settings of an installation are not theirs. */
function testEnvironment() {
  const servers = ['KAFKA_BROKERS', 'TEST_KAFKA_BROKERS', 'TEST_DATABASE_URL'];
  const own = new Set(VARIABLES.filter((name) => !servers.includes(name)));
  const containers = kind === 'containers';
  if (containers) for (const name of servers) own.add(name);
  const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.has(name)));
  return { ...kept, ...(containers ? { REQUIRE_CONTAINERS: '1' } : {}), TMPDIR: folder };
}
