import { createRequire } from 'node:module';
import { simulateProject } from './simulated-project.mjs';
import { compiledMachine, loads, policies } from './train-policy.mjs';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Forecasts of the first day know little: they are not counted. */
const learning = day;
/** Runs and departures that a forecast looks back on, as in the service. */
const lookedBackOn = 200;
/** Cars of the train whose forecast is timed, and the CPU that may take. */
const longTrain = 100;
const cpuTargetMs = 150;

/** What a forecast is made from, kept up to date while a train is simulated. */
function observed(simulated) {
  const started = new Map();
  const runs = [];
  const left = [];
  const landedAt = new Map();
  return {
    landedAt,
    inputNow: (seed) => {
      const now = simulated.clock.now();
      const newest = left.slice(-lookedBackOn);
      const landed = newest.filter((reason) => reason === 'merged').length;
      return {
        train: simulated.train(),
        ages: new Map([...started].map(([id, { at }]) => [id, now - at])),
        runs: runs.slice(-lookedBackOn),
        left: { landed, failed: newest.length - landed },
        seed,
      };
    },
    opened({ carId }) {
      const build = simulated.train().cars.find(({ id }) => id === carId)?.build;
      if (build === undefined) return;
      started.set(build.pipelineId, { at: simulated.clock.now(), rerun: build.reruns > 0 });
    },
    noticed(event, at) {
      if (event.kind === 'merged') landedAt.set(event.carId, at);
      if (event.kind === 'merged') left.push('merged');
      if (event.kind === 'removed') left.push(event.reason);
      const run = event.kind === 'judged' ? started.get(event.pipelineId) : undefined;
      if (run === undefined) return;
      runs.push({ lasted: at - run.at, verdict: event.verdict, rerun: run.rerun });
      started.delete(event.pipelineId);
    },
  };
}

function finished(generator) {
  for (;;) {
    const next = generator.next();
    if (next.done) return next.value;
  }
}

/**
 * Forecasts the train of a simulated project every `everyHours` hours, and compares with what comes. Cars that are removed do not
 * count. @returns shares, in percent, of the landings by the median and by the 90th percentile, and their number
 */
export function calibrate(machine, load, policy, { days, seed, everyHours = 2 }) {
  const everyMs = everyHours * hour;
  const forecasts = [];
  let seen;
  const watch = (simulated) => {
    seen = observed(simulated);
    const look = () => {
      const now = simulated.clock.now();
      const { cars } = finished(machine.forecastTrain(seen.inputNow(seed)));
      if (now >= learning) forecasts.push(...cars.map((car) => ({ ...car, now })));
      if (now + everyMs < (days - 1) * day) simulated.clock.plan(now + everyMs, look);
    };
    simulated.clock.plan(everyMs, look);
    return seen;
  };
  simulateProject(machine, load, policy, { days, seed, watch });
  const landed = forecasts.flatMap(({ carId, now, median = Infinity, latest = Infinity }) => {
    const at = seen.landedAt.get(carId);
    return at === undefined ? [] : [{ byMedian: at <= now + median, byLatest: at <= now + latest }];
  });
  const share = (name) => (100 * landed.filter((one) => one[name]).length) / landed.length;
  return { byMedian: share('byMedian'), byLatest: share('byLatest'), landings: landed.length };
}

/** A forecast of a train of which nothing is tested yet, with 200 runs behind it: CPU in ms. */
export function timeForecast(machine, cars) {
  const { emptyTrain, forecastTrain, newCar, normal, seededRandom } = machine;
  const random = seededRandom(1);
  const runs = Array.from({ length: lookedBackOn }, () => ({
    lasted: 30 * minute * Math.exp(0.5 * normal(random)),
    verdict: 'green',
    rerun: false,
  }));
  const train = {
    ...emptyTrain(),
    base: 'base',
    cars: Array.from({ length: cars }, (_, at) => newCar(at + 1, at + 1)),
  };
  const before = process.cpuUsage();
  finished(forecastTrain({ train, ages: new Map(), runs, left: { failed: 10, landed: 190 }, seed: 1 }));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const require = createRequire(import.meta.url);
const service = (name) => `../services/${name}/dist`;

/** The compiled domain, with forecasts. */
function compiledForecasts() {
  const { forecastTrain } = require(`${service('merge-requests')}/merge-trains/domain/forecast.js`);
  const { newCar } = require(`${service('merge-requests')}/merge-trains/domain/merge-train.js`);
  return { ...compiledMachine(), forecastTrain, newCar };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether what is forecast of a train comes true, and what a forecast costs. */
export async function forecast(report) {
  const machine = compiledForecasts();
  report.note('forecasts of simulated trains, every other hour of 8 days, 2 seeds');
  const cases = [
    ['8/h, 5 % culprits, no flakes', 'with batches, 20 slots'],
    ['8/h, 5 % culprits, 2 % flakes', 'with batches, 20 slots'],
    ['8/h, 5 % culprits, 2 % flakes', 'with batches, 5 slots'],
  ];
  for (const [load, policy] of cases) {
    const results = [1, 2].map((seed) => calibrate(machine, loads[load], policies[policy], { days: 8, seed }));
    const name = `forecast, ${load}; ${policy}`;
    const options = { unit: '%', digits: 1 };
    report.figure(`${name}: landings by the 90th percentile`, [mean(results.map(({ byLatest }) => byLatest))], {
      ...options,
      atLeast: 85,
      target: 95,
    });
    report.figure(`${name}: landings by the median`, [mean(results.map(({ byMedian }) => byMedian))], options);
  }
  timeForecast(machine, longTrain);
  const rounds = Array.from({ length: 7 }, () => timeForecast(machine, longTrain));
  report.figure(`forecast of ${longTrain} cars: CPU`, rounds, { unit: 'ms', digits: 0, target: cpuTargetMs });
}
