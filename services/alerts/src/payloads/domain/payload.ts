import { type PayloadRules, readCustomPayload } from './payload-custom';
import { isMetricsPayload, readMetricsPayload } from './payload-metrics';
import { isObject } from './payload-value';
import type { ReadPayload } from './reported-alert';

/** Nesting of JSON that is read (G-8-3). */
export const deepestPayload = 100;

/**
 * Reads a payload in the format that it has by itself, whatever address it came to (G-4.12-3). Undefined for JSON that is no payload: not
 * an object, or `alerts` of the metrics format not an array.
 * @param payload what `parseJson` read
 * @param text the payload as it came
 */
export function readPayload(payload: unknown, text: string, rules: PayloadRules): ReadPayload | undefined {
  if (!isObject(payload)) return undefined;
  if (!isMetricsPayload(payload)) {
    return { format: 'custom', items: [{ kind: 'reported', alert: readCustomPayload(payload, text, rules) }] };
  }
  const items = readMetricsPayload(payload, text, rules);
  return items === undefined ? undefined : { format: 'metrics', items };
}
