import { WrittenNumber } from '../json-bytes';

/** True for a value of JSON that has a text form of its own. */
export const isScalar = (value: unknown): value is string | number | boolean | WrittenNumber =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  value instanceof WrittenNumber;

/** A number of JSON as digits with a fraction or an exponent at the most; other values stay. */
export const writtenNumber = (value: unknown): unknown =>
  typeof value === 'number' || value instanceof WrittenNumber ? String(Number(value)) : value;

/**
 * Digits of a whole number of JSON: `1.0` and `1e3` are whole, and digits that a number does not hold stay what they
 * are.
 */
export function wholeNumber(value: unknown): unknown {
  if (!(value instanceof WrittenNumber)) return writtenNumber(value);
  const whole = /^(-?\d+)(?:\.0+)?$/.exec(value.written)?.[1];
  // Up to fifteen digits are exact.
  return whole ?? (value.written.length <= 15 ? writtenNumber(value) : undefined);
}

/** True for an object of JSON. */
export const isHash = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);
