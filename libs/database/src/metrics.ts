import { metrics } from '@switchyard/telemetry';
import { Histogram } from 'prom-client';
import { onStatement } from './statements';

let measuring = false;

/**
 * Gives every statement of this process to `switchyard_sql_statement_seconds`, by its name (`other` for one without).
 */
export function measureStatements(): void {
  if (measuring) return;
  measuring = true;
  const durations = new Histogram({
    name: 'switchyard_sql_statement_seconds',
    help: 'Duration of SQL statements by name and outcome; its count is the number of statements',
    labelNames: ['name', 'outcome'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 15],
    registers: [metrics],
  });
  onStatement(({ name, milliseconds, failed }) => {
    durations.observe({ name: name ?? 'other', outcome: failed ? 'error' : 'ok' }, milliseconds / 1_000);
  });
}
