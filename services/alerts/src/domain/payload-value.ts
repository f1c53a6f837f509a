import type { AlertAttribute } from './reported-alert';

/** A JSON object as it was parsed; integers that numbers do not hold are `bigint`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object; arrays are none. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Property of an object's own; undefined when it has none, whatever its prototype has. */
export const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Object under a property; an empty one when there is something else. */
export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = own(object, name);
  return isObject(value) ? value : {};
}

/** Text without what PostgreSQL cannot store: NUL and lone surrogates become U+FFFD. */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');

/** The first `length` characters; a character is a code point, as PostgreSQL counts them. */
export const truncated = (text: string, length: number): string =>
  text.length <= length ? text : [...text.slice(0, 2 * length)].slice(0, length).join('');

/**
 * A value as text of at most `length` characters: texts, numbers and booleans. Undefined for everything else and for blank texts,
 * so that a default applies.
 */
export function textOf(value: unknown, length = Number.POSITIVE_INFINITY): string | undefined {
  if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return undefined;
  const text = storable(truncated(String(value), length));
  return text.trim() === '' ? undefined : text;
}

/** The first of `values` that is a text. */
export function firstText(values: readonly unknown[], length?: number): string | undefined {
  for (const value of values) {
    const text = textOf(value, length);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Years a moment may lie in: Go writes "never" as year 1. */
const firstMoment = Date.UTC(1970, 0, 1);
const lastMoment = Date.UTC(9999, 11, 31);

const isoForm =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)? ?(Z|z|UTC|[+-]\d{2}:?\d{2})?$/;
const withZone = /\b(?:GMT|UTC|[+-]\d{4})$/;

/** Smallest number that is read as milliseconds since 1970, a time in 1973; smaller ones are seconds. */
const leastMilliseconds = 1e11;

/**
 * A moment: ISO 8601 (UTC unless it says otherwise, fractions cut at milliseconds), the forms of RFC 2822, milliseconds or seconds since 1970
 * (G-4.12-10). Undefined for everything else and outside 1970 to 9999: year 1 is how Go says "never".
 */
export function timeOf(value: unknown): Date | undefined {
  const milliseconds =
    typeof value === 'number' ? ofNumber(value) : typeof value === 'string' ? ofText(value.trim()) : Number.NaN;
  return milliseconds >= firstMoment && milliseconds <= lastMoment ? new Date(Math.trunc(milliseconds)) : undefined;
}

const ofNumber = (value: number): number => (value < leastMilliseconds ? value * 1_000 : value);

function ofText(text: string): number {
  if (/^\d{9,14}(?:\.\d{1,9})?$/.test(text)) return ofNumber(Number(text));
  const found = isoForm.exec(text);
  if (found === null) return text.length <= 64 && withZone.test(text) ? Date.parse(text) : Number.NaN;
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
    found;
  // JavaScript takes 30 February for a day of March.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day)) return Number.NaN;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
  // A leap second is the second after it, to JavaScript no second at all.
  const told = second === '60' ? '59' : second;
  return Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${told}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`,
  );
}

/** Characters that the names of hosts have together (G-4.12-9). */
const hostsLength = 255;

/** Hosts: one text, or texts in arrays; 255 characters together, the one at the border cut. */
export function hostsOf(value: unknown): string[] {
  const hosts: string[] = [];
  let left = hostsLength;
  for (const one of flat(value)) {
    const host = left > 0 ? textOf(one, left) : undefined;
    if (host === undefined) continue;
    hosts.push(host);
    left -= [...host].length;
  }
  return hosts;
}

/** The values of nested arrays, in their order. */
export const flat = (value: unknown): unknown[] =>
  Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value];

const mostAttributes = 100;
const nameLength = 255;
const valueLength = 1_000;

/** Adds what `value` says to `attributes`, nested names joined by `/`; stops at the hundredth. */
export function addAttributes(attributes: AlertAttribute[], name: string, value: unknown): void {
  if (attributes.length >= mostAttributes) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      addAttributes(attributes, truncated(name === '' ? key : `${name}/${key}`, nameLength), one);
      if (attributes.length >= mostAttributes) return;
    }
    return;
  }
  const text = textOf(value, valueLength);
  if (text !== undefined) attributes.push({ name: storable(truncated(name, nameLength)), value: text });
}
