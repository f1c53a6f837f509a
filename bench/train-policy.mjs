import { once } from 'node:events';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { simulateOracle, simulateProject } from './simulated-project.mjs';

const days = 14;
const seeds = [1, 2, 3, 4, 5];

/** Policies by the name they have in the table. */
export const policies = {
  'evict first, 20 slots': { slots: 20, retries: 0, batchSize: 1, evictFirst: true },
  'just blame, 20 slots': { slots: 20, retries: 0, batchSize: 1 },
  'with retry, 20 slots': { slots: 20, retries: 1, batchSize: 1 },
  'with batches, 20 slots': { slots: 20, retries: 1, batchSize: 4 },
  'evict first, 5 slots': { slots: 5, retries: 0, batchSize: 1, evictFirst: true },
  'just blame, 5 slots': { slots: 5, retries: 0, batchSize: 1 },
  'with batches, 5 slots': { slots: 5, retries: 1, batchSize: 4 },
};

/** Merge requests an hour, the share of them that fails by itself, and the share of pipelines that fail by chance. */
export const loads = {
  '8/h, 5 % culprits, no flakes': { perHour: 8, culprits: 0.05, flakes: 0 },
  '8/h, 5 % culprits, 2 % flakes': { perHour: 8, culprits: 0.05, flakes: 0.02 },
  '8/h, 10 % culprits, 5 % flakes': { perHour: 8, culprits: 0.1, flakes: 0.05 },
  '12/h, 5 % culprits, 2 % flakes': { perHour: 12, culprits: 0.05, flakes: 0.02 },
};

/** Left out: what takes more queue with every day, and so says nothing but that. */
const leftOut = {
  '8/h, 10 % culprits, 5 % flakes': ['with retry, 20 slots', 'with batches, 20 slots', 'evict first, 5 slots'],
  '12/h, 5 % culprits, 2 % flakes': ['evict first, 5 slots', 'just blame, 5 slots'],
};

/** Bars of issue and benchmark: `most` or `least` for the mean of the seeds. */
const bars = [
  { load: '8/h, 5 % culprits, no flakes', policy: 'just blame, 20 slots', figure: 'innocents', unit: '%', most: 0 },
  { load: '8/h, 5 % culprits, no flakes', policy: 'with batches, 20 slots', figure: 'innocents', unit: '%', most: 0 },
  {
    load: '8/h, 5 % culprits, no flakes',
    policy: 'with batches, 20 slots',
    figure: 'toOracle',
    unit: 'times',
    most: 1.25,
  },
  { load: '8/h, 5 % culprits, 2 % flakes', policy: 'with retry, 20 slots', figure: 'innocents', unit: '%', most: 0.5 },
  {
    load: '8/h, 5 % culprits, 2 % flakes',
    policy: 'with batches, 20 slots',
    figure: 'innocents',
    unit: '%',
    most: 0.5,
  },
  { load: '8/h, 5 % culprits, 2 % flakes', policy: 'with batches, 5 slots', figure: 'landed', unit: '%', least: 99.5 },
  { load: '8/h, 5 % culprits, 2 % flakes', policy: 'with batches, 5 slots', figure: 'p50', unit: 'min', most: 120 },
  {
    load: '8/h, 5 % culprits, 2 % flakes',
    policy: 'with batches, 5 slots',
    figure: 'buildsPerLanding',
    unit: '',
    most: 1.15,
  },
];

const require = createRequire(import.meta.url);
const service = (name) => `../services/${name}/dist`;

/** The domain of merge trains as it was compiled. */
export function compiledMachine() {
  const { emptyTrain } = require(`${service('merge-requests')}/merge-trains/domain/merge-train.js`);
  const { simulateTrain } = require(`${service('merge-requests')}/merge-trains/domain/simulated-train.js`);
  const { seededRandom, normal } = require(`${service('merge-requests')}/merge-trains/domain/random.js`);
  return { emptyTrain, simulateTrain, seededRandom, normal };
}

/** What a policy makes of a load; `p50` also as a multiple of what a user who knows the culprits would need. */
export function simulatePolicy(machine, load, policy, given) {
  const result = simulateProject(machine, load, policy, given);
  return { ...result, toOracle: result.p50 / simulateOracle(machine, load, given).p50 };
}

/** Does all tasks, each of which is a message to a worker of this file, on as many threads as there are cores. */
async function onAllCores(tasks) {
  const rest = tasks.map((task, at) => ({ task, at }));
  const results = [];
  async function work() {
    const worker = new Worker(new URL(import.meta.url), { workerData: 'train-policy' });
    try {
      for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
        const { task, at } = next;
        worker.postMessage(task);
        // An error of the worker is an `error` of its emitter, which `once` rejects with.
        [results[at]] = await once(worker, 'message');
      }
    } finally {
      await worker.terminate();
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return results;
}

if (!isMainThread && workerData === 'train-policy') {
  const machine = compiledMachine();
  parentPort.on('message', ({ load, policy, seed }) =>
    parentPort.postMessage(
      policy === undefined
        ? simulateOracle(machine, loads[load], { days, seed })
        : simulatePolicy(machine, loads[load], policies[policy], { days, seed }),
    ),
  );
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const columns = {
  landed: 1,
  innocents: 2,
  p50: 0,
  p95: 0,
  toOracle: 2,
  buildsPerLanding: 2,
  stops: 1,
};

function tableOf(load, found) {
  const cell = (result, name) => mean(result.map((one) => one[name])).toFixed(columns[name]);
  const rows = Object.entries(found).map(([name, results]) => [
    name,
    ...Object.keys(columns).map((column) => (results[0][column] === undefined ? '' : cell(results, column))),
  ]);
  const head = ['policy', 'landed %', 'innocents %', 'p50 min', 'p95 min', 'to oracle', 'builds/landing', 'stops'];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at].length)));
  const line = (row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join('  ');
  return [load, ...[head, ...rows].map((row) => `  ${line(row)}`)];
}

/** How justly, how fast and for how many builds the machine of merge trains lands what is added, by policy. */
export async function trainPolicy(report) {
  report.note(`merge trains in a simulated CI: ${days} days, ${seeds.length} seeds, runs of 30 minutes in the median`);
  const namesOf = (load) => [
    undefined,
    ...Object.keys(policies).filter((policy) => !(leftOut[load] ?? []).includes(policy)),
  ];
  const tasks = Object.keys(loads).flatMap((load) =>
    namesOf(load).flatMap((policy) => seeds.map((seed) => ({ load, policy, seed }))),
  );
  const results = await onAllCores(tasks);
  const resultsOf = (load, policy) => results.filter((_, at) => tasks[at].load === load && tasks[at].policy === policy);
  for (const load of Object.keys(loads)) {
    const found = Object.fromEntries(namesOf(load).map((policy) => [policy ?? 'oracle', resultsOf(load, policy)]));
    for (const line of tableOf(load, found)) report.note(line);
  }
  for (const { load, policy, figure, unit, most, least } of bars) {
    const value = mean(resultsOf(load, policy).map((result) => result[figure]));
    report.figure(`train-policy, ${load}; ${policy}: ${figure}`, [value], { unit, target: most, atLeast: least });
  }
  const wrong = results.reduce((sum, { culpritsLanded = 0 }) => sum + culpritsLanded, 0);
  report.figure('train-policy, culprits that landed', [wrong], { digits: 0, target: 0 });
}
