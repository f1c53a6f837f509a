import { isObject } from './payload-value';

/** Attributes of an alert that a mapping can find elsewhere in a payload (G-4.12-15). */
export const mappedFields = [
  'title',
  'description',
  'start_time',
  'end_time',
  'service',
  'monitoring_tool',
  'hosts',
  'severity',
  'fingerprint',
  'environment_name',
] as const;

/** An attribute that can be mapped. */
export type MappedField = (typeof mappedFields)[number];

/** The path of a value in a payload: keys of objects and indexes of arrays. */
export type PayloadPath = readonly (string | number)[];

/** The path of one attribute. */
export interface AttributeMapping {
  readonly field: MappedField;
  readonly path: PayloadPath;
  /** Used when the first path leads nowhere; only `title` has one. */
  readonly fallbackPath: PayloadPath | undefined;
}

/** The value at a path; undefined when it leads nowhere. */
export function valueAt(payload: unknown, path: PayloadPath): unknown {
  let value = payload;
  for (const step of path) {
    if (!Array.isArray(value) && !isObject(value)) return undefined;
    if (!Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
