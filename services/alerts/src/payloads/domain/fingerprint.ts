import { writeJson } from './exact-json';
import { flat, isObject, type JsonObject, own, textOf } from './payload-value';

/**
 * The text whose SHA-1 is a given fingerprint (G-4.12-7): a text as it is, the items of an array joined, an object with
 * sorted keys. Undefined for null, false, blank and empty values.
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

/** Properties that do not identify an alert (api.md section 2). */
const volatileProperties = ['start_time', 'end_time', 'hosts'];

/** Values of `status` that distinguish the two messages of one alert. */
const statuses = new Set(['firing', 'resolved']);

/**
 * The text whose SHA-1 is the automatic fingerprint of a custom payload: all except start_time, end_time and hosts,
 * also at mapped paths, and except a `status` of `firing` or `resolved`, since the end of an alert must have the same
 * fingerprint. Undefined when nothing is left.
 * @param mapped paths of start, end and hosts
 */
export function automaticFingerprintText(
  payload: JsonObject,
  mapped: readonly (readonly (string | number)[])[],
): string | undefined {
  let rest: JsonObject = Object.fromEntries(
    Object.entries(payload).filter(([name]) => !volatileProperties.includes(name)),
  );
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
 * JSON with the keys of every object in order. A line per leaf with its path would turn a megabyte into gigabytes, when
 * a long key is above many leaves.
 */
const sortedText = (value: unknown): string => writeJson(value, (object) => Object.keys(object).sort());
