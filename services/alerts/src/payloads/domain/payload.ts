import { type PayloadRules, readCustomPayload } from './payload-custom';
import { isMetricsPayload, readMetricsPayload } from './payload-metrics';
import { isObject } from './payload-value';
import type { ReadPayload } from './reported-alert';

/** Objects and arrays within each other in a payload (G-8-3). */
export const maxPayloadDepth = 100;

/**
 * Reads a payload in the format that its content shows, whatever its address (G-4.12-3). Undefined for JSON that is no
 * payload: not an object, or in the metrics format without an array `alerts`.
 * @param payload result of `parseJson`
 * @param text the payload as received
 */
export function readPayload(payload: unknown, text: string, rules: PayloadRules): ReadPayload | undefined {
  if (!isObject(payload)) return undefined;
  if (!isMetricsPayload(payload)) {
    return { format: 'custom', items: [{ kind: 'reported', alert: readCustomPayload(payload, text, rules) }] };
  }
  const items = readMetricsPayload(payload, text, rules);
  return items === undefined ? undefined : { format: 'metrics', items };
}
