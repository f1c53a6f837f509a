import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Milliseconds between two samples. Each wakes the process, and an idle one is to sleep. */
const sampleEveryMs = 500;

/**
 * The longest time of a timer, milliseconds: what `collectDefaultMetrics` is given, whose own monitor wakes the process 100 times a second, and
 * can be slowed down but not left out.
 */
export const neverSampled = 2 ** 31 - 1;

const figures: Readonly<Record<string, { says: string; of: (histogram: IntervalHistogram) => number }>> = {
  min: { says: 'minimum', of: ({ min }) => min },
  max: { says: 'maximum', of: ({ max }) => max },
  mean: { says: 'mean', of: ({ mean }) => mean },
  p50: { says: '50th percentile', of: (histogram) => histogram.percentile(50) },
  p90: { says: '90th percentile', of: (histogram) => histogram.percentile(90) },
  p99: { says: '99th percentile', of: (histogram) => histogram.percentile(99) },
};

/**
 * Measures since the last scrape by how much timers were late, under the names that prom-client gives. Unlike prom-client's, the figures leave out
 * the time between two samples, so that an idle process shows 0.
 */
export function measureEventLoopLag(register: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: sampleEveryMs });
  histogram.enable();
  const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - sampleEveryMs / 1_000);
  const gauges = Object.entries(figures).map(([name, { says, of }]) => {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    register.removeSingleMetric(metric);
    return { gauge: new Gauge({ name: metric, help: `The ${says} of event loop delays, seconds`, registers: [] }), of };
  });
  const deviation = 'nodejs_eventloop_lag_stddev_seconds';
  register.removeSingleMetric(deviation);
  const stddev = new Gauge({
    name: deviation,
    help: 'The standard deviation of event loop delays, seconds',
    registers: [register],
    // The registry asks this gauge first. It sets all the others, since reading resets the samples that they share.
    collect() {
      const isEmpty = histogram.count === 0;
      stddev.set(isEmpty ? 0 : histogram.stddev / 1e9);
      for (const { gauge, of } of gauges) gauge.set(isEmpty ? 0 : lateness(of(histogram)));
      histogram.reset();
    },
  });
  for (const { gauge } of gauges) register.registerMetric(gauge);
}
