import { metrics } from '@switchyard/telemetry';
import { Counter } from 'prom-client';

const published = new Counter({
  name: 'switchyard_events_published_total',
  help: 'Events handed to the bus',
  registers: [metrics],
});

const consumed = new Counter({
  name: 'switchyard_events_consumed_total',
  help: 'Events received, by type and outcome (handled, duplicate, ignored, dead)',
  labelNames: ['type', 'outcome'],
  registers: [metrics],
});

export const countPublished = (events: number): void => published.inc(events);

export const countConsumed = (type: string, outcome: 'handled' | 'duplicate' | 'ignored' | 'dead'): void =>
  consumed.inc({ type, outcome });
