import { textOf } from './payload-value';
import { type AlertSeverity, alertSeverities } from './reported-alert';

/** Severity of a payload without one, or with an unknown one. */
const severityByDefault: AlertSeverity = 'critical';

const word = (value: unknown): string => textOf(value)?.trim().toLowerCase() ?? '';

/** Severity of a custom payload: its six words, whatever their case; `unknown` stays `unknown` (G-4.12-10). */
export const customSeverity = (value: unknown): AlertSeverity =>
  alertSeverities.find((severity) => severity === word(value)) ?? severityByDefault;

/** Words of the metrics format by severity (api.md section 2, G-4.12-10). */
const metricsWords: Readonly<Partial<Record<AlertSeverity, readonly string[]>>> = {
  critical: ['critical', 's1', 'p1', 'emergency', 'fatal'],
  high: ['high', 's2', 'p2', 'major', 'page'],
  medium: ['medium', 's3', 'p3', 'error', 'alert'],
  low: ['low', 's4', 'p4', 'warn', 'warning', 'minor'],
  info: ['info', 's5', 'p5', 'debug', 'information', 'notice'],
};

const severityOfWord = new Map(
  Object.entries(metricsWords).flatMap(([severity, words]) =>
    words.map((one) => [one, severity as AlertSeverity] as const),
  ),
);

/** Severity of an item of a metrics payload, whatever the case of its word. */
export const metricsSeverity = (value: unknown): AlertSeverity => severityOfWord.get(word(value)) ?? severityByDefault;
