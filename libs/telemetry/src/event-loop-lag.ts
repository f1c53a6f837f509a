import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Gauge, type Registry } from 'prom-client';

/** Milliseconds between two samples. Each one wakes the process, which should sleep when idle. */
const sampleEveryMs = 500;

/**
 * The longest time of a timer, milliseconds. `collectDefaultMetrics` gets it: its own monitor would wake the process
 * 100 times a second, and can be slowed down but not switched off.
 */
export const neverSampled = 2 ** 31 - 1;

const figures: Readonly<Record<string, { label: string; of: (histogram: IntervalHistogram) => number }>> = {
  min: { label: 'minimum', of: ({ min }) => min },
  max: { label: 'maximum', of: ({ max }) => max },
  mean: { label: 'mean', of: ({ mean }) => mean },
  p50: { label: '50th percentile', of: (histogram) => histogram.percentile(50) },
  p90: { label: '90th percentile', of: (histogram) => histogram.percentile(90) },
  p99: { label: '99th percentile', of: (histogram) => histogram.percentile(99) },
};

/**
 * Measures the delay of timers since the last scrape, under the names of prom-client. Unlike in prom-client, the time
 * between two samples does not count, so that an idle process shows 0.
 */
export function measureEventLoopLag(register: Registry): void {
  const histogram = monitorEventLoopDelay({ resolution: sampleEveryMs });
  histogram.enable();
  const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - sampleEveryMs / 1_000);
  const gauges = Object.entries(figures).map(([name, { label, of }]) => {
    const metric = `nodejs_eventloop_lag_${name}_seconds`;
    register.removeSingleMetric(metric);
    return {
      gauge: new Gauge({ name: metric, help: `The ${label} of event loop delays, seconds`, registers: [] }),
      of,
    };
  });
  const deviation = 'nodejs_eventloop_lag_stddev_seconds';
  register.removeSingleMetric(deviation);
  const stddev = new Gauge({
    name: deviation,
    help: 'The standard deviation of event loop delays, seconds',
    registers: [register],
    // The registry reads this gauge first. It sets all others, since reading resets the samples that they share.
    collect() {
      const isEmpty = histogram.count === 0;
      stddev.set(isEmpty ? 0 : histogram.stddev / 1e9);
      for (const { gauge, of } of gauges) gauge.set(isEmpty ? 0 : lateness(of(histogram)));
      histogram.reset();
    },
  });
  for (const { gauge } of gauges) register.registerMetric(gauge);
}
