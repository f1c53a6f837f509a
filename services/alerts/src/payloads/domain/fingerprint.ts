import { writeJson } from './exact-json';
import { flat, isObject, type JsonObject, own, textOf } from './payload-value';

/**
 * The text of which the SHA-1 of a given fingerprint is taken (G-4.12-7): a text as it is, the items of an array joined, an object
 * flattened and sorted. Undefined for what says nothing: null, blank, false, empty.
 */
export function fingerprintText(value: unknown): string | undefined {
  if (value === false) return undefined;
  if (Array.isArray(value)) {
    const joined = flat(value)
      .map((one) => (isObject(one) ? sortedText(one) : one === null ? '' : String(one)))
      .join('');
    return joined.trim() === '' ? undefined : joined;
  }
  if (isObject(value)) return Object.keys(value).length === 0 ? undefined : sortedText(value);
  return textOf(value) === undefined ? undefined : String(value);
}

/** Properties that do not tell two occurrences apart (api.md section 2). */
const passing = ['start_time', 'end_time', 'hosts'];

/** Values of `status` by which senders tell the two messages of one alert apart. */
const statuses = new Set(['firing', 'resolved']);

/**
 * The text of which the automatic fingerprint of a custom payload is taken: all of it but start_time, end_time and hosts, wherever a
 * mapping finds them, and but for a `status` of `firing` or `resolved`, without which no end would find its alert.
 * Undefined when nothing is left.
 * @param mapped paths that stand for start, end and hosts
 */
export function automaticFingerprintText(
  payload: JsonObject,
  mapped: readonly (readonly (string | number)[])[],
): string | undefined {
  let rest: JsonObject = Object.fromEntries(Object.entries(payload).filter(([name]) => !passing.includes(name)));
  if (statuses.has(textOf(own(rest, 'status'))?.trim().toLowerCase() ?? ''))
    rest = without(rest, ['status']) as JsonObject;
  for (const path of mapped) rest = without(rest, path) as JsonObject;
  return Object.keys(rest).length === 0 ? undefined : sortedText(rest);
}

function without(value: unknown, [first, ...more]: readonly (string | number)[]): unknown {
  if (first === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, first)) return value;
  if (Array.isArray(value)) {
    const copy = [...value];
    copy[Number(first)] = more.length === 0 ? null : without(copy[Number(first)], more);
    return copy;
  }
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.entries(object).flatMap(([name, one]) =>
      name !== String(first) ? [[name, one]] : more.length === 0 ? [] : [[name, without(one, more)]],
    ),
  );
}

/**
 * JSON with the keys of every object in order. Not a line per leaf with its path: a long key above many leaves would make
 * gigabytes of a megabyte.
 */
const sortedText = (value: unknown): string => writeJson(value, (object) => Object.keys(object).sort());
