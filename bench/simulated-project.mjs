const minute = 60_000;
const day = 24 * 60 * minute;

/** Median of a pipeline's run, and the spread of its logarithm. */
const runMedian = 30 * minute;
const runSigma = 0.5;
/** How long a user whose merge request was removed without a fault needs to see it and add it again. */
const babysitting = 45 * minute;
/** The cars that are in the train at the end have a quarter more time to land. */
const overtime = 1.25;

/** A number from 0 to 2^32 that looks random, from some integers. */
function mixed(...keys) {
  let state = 0x9e3779b9;
  for (const key of keys) {
    state = Math.imul(state ^ key, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return state >>> 0;
}

/**
 * The merge requests of some days: Poisson arrivals, and culprits among them. How the nth pipeline with one of them at
 * its tip runs is drawn from the seed, the merge request and n, so that every policy meets the same world.
 */
function drawn({ seededRandom, normal }, { perHour, culprits, flakes }, days, seed) {
  const random = seededRandom(mixed(seed));
  const requests = [];
  for (let at = 0; ; ) {
    at += (-Math.log(1 - random()) / perHour) * 60 * minute;
    if (at >= days * day) break;
    requests.push({ at, culprit: random() < culprits });
  }
  const runOf = (request, nth) => {
    const own = seededRandom(mixed(seed, request + 1, nth));
    return { lasts: Math.exp(runSigma * normal(own)) * runMedian, flakes: own() < flakes };
  };
  return { requests, runOf };
}

const share = (part, whole) => (whole === 0 ? 0 : (100 * part) / whole);
const quantile = (sorted, at) => (sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? NaN) / minute;

/** Turnarounds of a user who knows the culprits and has slots for all: one run each, landed in queue order. */
export function simulateOracle(machine, load, { days, seed }) {
  const { requests, runOf } = drawn(machine, load, days, seed);
  let last = 0;
  const turnarounds = requests.flatMap(({ at, culprit }, request) => {
    if (culprit) return [];
    last = Math.max(last, at + runOf(request, 0).lasts);
    return [last - at];
  });
  turnarounds.sort((a, b) => a - b);
  return { p50: quantile(turnarounds, 0.5), p95: quantile(turnarounds, 0.95) };
}

/**
 * Runs the machine of merge trains under a load.
 * @param machine the compiled domain of merge trains
 * @param load `perHour`, shares of `culprits` and `flakes`
 * @param policy `slots`, `retries`, `batchSize`, and `evictFirst`: a car that fails is removed, whatever is ahead
 * @param given `days`, `seed`, and `watch(simulated)`, which is given the simulated train before it starts, and may
 *   return `opened`, `ended` and `noticed`
 */
export function simulateProject(machine, load, policy, { days, seed, watch = () => ({}) }) {
  const { requests, runOf } = drawn(machine, load, days, seed);
  const requestOf = new Map();
  const attempts = new Map();
  const turnarounds = [];
  const counts = { innocents: 0, culpritsLanded: 0, stops: 0 };
  let watched = {};

  const add = (request) => {
    const carId = requestOf.size + 1;
    requestOf.set(carId, request);
    simulated.give({ kind: 'added', carId, mergeRequestId: request + 1, first: false });
  };
  const removed = (carId, at) => {
    const request = requestOf.get(carId);
    if (requests[request].culprit) return;
    counts.innocents += 1;
    simulated.clock.plan(at + babysitting, () => add(request));
  };
  const merged = (carId, at) => {
    const { at: since, culprit } = requests[requestOf.get(carId)];
    if (culprit) counts.culpritsLanded += 1;
    turnarounds.push(at - since);
  };

  const world = {
    isCulprit: (carId) => requests[requestOf.get(carId)].culprit,
    runOf(test) {
      const request = test.carId === undefined ? -1 : requestOf.get(test.carId);
      const nth = attempts.get(request) ?? 0;
      attempts.set(request, nth + 1);
      const { lasts, flakes } = runOf(request, nth);
      const run = { lasts, failedNames: test.hasCulprit || flakes ? ['test'] : [] };
      watched.opened?.(test, run);
      return run;
    },
    signalOf: (carId, failedNames) =>
      policy.evictFirst && failedNames.length > 0 ? { kind: 'removed', carId, reason: 'pipeline_failed' } : undefined,
    notice(event, at) {
      if (event.kind === 'merged') merged(event.carId, at);
      if (event.kind === 'removed') removed(event.carId, at);
      if (event.kind === 'state_changed' && event.targetFailing) counts.stops += 1;
      watched.noticed?.(event, at);
    },
  };
  const { slots, retries, batchSize } = policy;
  const empty = machine.emptyTrain({ parallel: slots, retries, batchSize });
  const simulated = machine.simulateTrain({ ...empty, base: 'base' }, world);
  watched = watch(simulated);

  for (const [request, { at }] of requests.entries()) simulated.clock.plan(at, () => add(request));
  for (;;) {
    const next = simulated.clock.nextAt();
    if (next === undefined || next > days * day * overtime) break;
    simulated.clock.advance();
  }
  turnarounds.sort((a, b) => a - b);
  const good = requests.filter(({ culprit }) => !culprit).length;
  return {
    landed: share(turnarounds.length, good),
    innocents: share(counts.innocents, good),
    p50: quantile(turnarounds, 0.5),
    p95: quantile(turnarounds, 0.95),
    buildsPerLanding: simulated.opened() / turnarounds.length,
    culpritsLanded: counts.culpritsLanded,
    stops: counts.stops,
  };
}
