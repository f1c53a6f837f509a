import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { measureEventLoopLag, neverSampled } from './event-loop-lag';
import { currentTraceId } from './trace-id';

/** The process's Prometheus registry, served at `/metrics`. */
export const metrics = new Registry();
collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: neverSampled });
measureEventLoopLag(metrics);

/** Traces are named in histograms where there are traces. */
const enableExemplars = Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT);

/** The trace by which a value is found, for the histogram. */
function exemplar(): Record<string, string> {
  const trace_id = enableExemplars ? currentTraceId() : undefined;
  return trace_id === undefined ? {} : { trace_id };
}

/**
 * The same metrics in the format of OpenMetrics, which alone has exemplars. prom-client renames counters in their own
 * object while it writes this format, so it is given objects that lean on them.
 */
class OpenMetrics extends Registry {
  override getMetricsAsArray() {
    return metrics.getMetricsAsArray().map((one) => Object.create(one));
  }
}
const withExemplars = new OpenMetrics();
withExemplars.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);

/**
 * The metrics as a scraper takes them: OpenMetrics where it asks for that and there are traces to name.
 * @param accept its header
 */
export async function scrape(accept = ''): Promise<{ readonly type: string; readonly text: string }> {
  const from = enableExemplars && accept.includes('application/openmetrics-text') ? withExemplars : metrics;
  return { type: from.contentType, text: await from.metrics() };
}

/** Seconds; buckets from 2 ms to 10 s. */
function durations<T extends string>(name: string, help: string, labelNames: T[]): Histogram<T> {
  const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
  // prom-client takes exemplars in registries of OpenMetrics alone, unless a histogram is registered later.
  const made = new Histogram({ name, help, labelNames, buckets, enableExemplars, registers: [] });
  metrics.registerMetric(made);
  return made;
}

const rpcDuration = durations('switchyard_rpc_duration_seconds', 'Duration of gRPC calls by side, method and outcome', [
  'side',
  'method',
  'outcome',
]);

const httpDuration = durations(
  'switchyard_http_request_duration_seconds',
  'Duration of public HTTP requests by method, route and status',
  ['method', 'route', 'status'],
);

const useCaseDuration = durations('switchyard_use_case_duration_seconds', 'Duration of use cases by name and outcome', [
  'use_case',
  'outcome',
]);

/** Starts timing one call; call the result once with its outcome. */
export function observeRpc(side: 'client' | 'server', method: string): (outcome: string) => void {
  const end = rpcDuration.startTimer({ side, method }, exemplar());
  return (outcome) => void end({ outcome });
}

/**
 * Starts timing one public request; call the result once with the status of its reply. `route` is the pattern, never
 * the path.
 */
export function observeHttp(method: string, route: string): (status: number) => void {
  const end = httpDuration.startTimer({ method, route }, exemplar());
  return (status) => void end({ status: String(status) });
}

/** A counter without labels; what it returns counts one more. */
export function counter({ name, help }: { name: string; help: string }): () => void {
  const made = new Counter({ name, help, registers: [metrics] });
  return () => made.inc();
}

/** One value of a gauge with its labels. */
export interface Reading {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

const gauges = new Map<string, Set<() => Promise<readonly Reading[]>>>();

/**
 * A gauge that is read when it is scraped. A value that cannot be read (its database is away) is left out of that
 * scrape; the rest of `/metrics` is not affected. Several readers may share a name.
 * @returns what ends the reading
 */
export function gauge(
  { name, help, labels = [] }: { name: string; help: string; labels?: readonly string[] },
  read: () => Promise<readonly Reading[]>,
): () => void {
  let readers = gauges.get(name);
  if (readers === undefined) {
    const all = new Set<typeof read>();
    readers = all;
    gauges.set(name, all);
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [metrics],
      async collect() {
        const readings = await Promise.all([...all].map((one) => one().catch(() => [])));
        this.reset();
        // A gauge without labels is 0 after a reset, which would say that all is well.
        if (labels.length === 0 && readings.flat().length === 0) this.set(Number.NaN);
        for (const { labels: of = {}, value } of readings.flat()) this.set({ ...of }, value);
      },
    });
  }
  const joined = readers.add(read);
  return () => void joined.delete(read);
}

type UseCases = Record<string, (...args: never[]) => Promise<unknown>>;

/** Wraps every use case in a duration metric. */
export function observe<T extends UseCases>(service: string, useCases: T): T {
  return Object.fromEntries(
    Object.entries(useCases).map(([name, useCase]) => [
      name,
      async (...args: never[]) => {
        const end = useCaseDuration.startTimer({ use_case: `${service}.${name}` }, exemplar());
        try {
          const result = await useCase(...args);
          end({ outcome: 'ok' });
          return result;
        } catch (error) {
          end({ outcome: (error as { kind?: string }).kind ?? 'internal' });
          throw error;
        }
      },
    ]),
  ) as T;
}
