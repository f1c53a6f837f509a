import type { AlertAttribute } from './reported-alert';

/** A parsed JSON object; integers beyond the range of numbers are `bigint`. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, not for an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An own property of an object; undefined when it has none, whatever its prototype has. */
export const own = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** The object in a property; an empty one when the property is no object. */
export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = own(object, name);
  return isObject(value) ? value : {};
}

/** A text that PostgreSQL can store: NUL and lone surrogates become U+FFFD. */
export const storable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\uFFFD');

/** The first `length` characters; a character is a code point, as PostgreSQL counts them. */
export const truncated = (text: string, length: number): string =>
  text.length <= length ? text : [...text.slice(0, 2 * length)].slice(0, length).join('');

/**
 * A text, number or boolean as text of at most `length` characters. Undefined for other values and blank texts, so that
 * a default applies.
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

/** Characters of all names of hosts together (G-4.12-9). */
const hostsLength = 255;

/** Hosts: one text, or texts in arrays; 255 characters together, the last one cut. */
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

const maxAttributes = 100;
const nameLength = 255;
const valueLength = 1_000;

/** Adds the attributes in `value`, nested names joined by `/`; stops at the hundredth. */
export function addAttributes(attributes: AlertAttribute[], name: string, value: unknown): void {
  if (attributes.length >= maxAttributes) return;
  if (typeof value === 'object' && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      addAttributes(attributes, truncated(name === '' ? key : `${name}/${key}`, nameLength), one);
      if (attributes.length >= maxAttributes) return;
    }
    return;
  }
  const text = textOf(value, valueLength);
  if (text !== undefined) attributes.push({ name: storable(truncated(name, nameLength)), value: text });
}
