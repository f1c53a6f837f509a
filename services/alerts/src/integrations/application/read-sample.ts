import { nestsDeeperThan } from '@switchyard/json';
import { maxPayloadDepth, parseJson } from '../../payloads';
import type { ReadSample } from '../domain/http-integration-change';

/**
 * Samples have the limits of payloads: size, nesting, a JSON object.
 * @param limit largest payload, bytes
 */
export const sampleReader =
  (limit: number): ReadSample =>
  (text) => {
    const bytes = Buffer.from(text);
    if (bytes.length > limit) return { problem: `is too large (maximum is ${limit} bytes)` };
    // Checked before parsing: the parser recurses.
    if (nestsDeeperThan(maxPayloadDepth, bytes)) return { problem: 'is nested too deeply' };
    try {
      const value = parseJson(text);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isObject ? { value } : { problem: 'must be a JSON object' };
    } catch {
      return { problem: 'must be valid JSON' };
    }
  };
