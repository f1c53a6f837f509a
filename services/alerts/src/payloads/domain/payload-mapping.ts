import { type AttributeMapping, type MappedField, mappedFields, valueAt } from './attribute-mapping';
import { parseTimestamp } from './payload-timestamp';

/** Types of values that a mapping may name. */
export const mappingTypes = ['STRING', 'DATETIME', 'ARRAY'] as const;

/** Type of the value that a mapping reads. */
export type MappingType = (typeof mappingTypes)[number];

/** The path of one attribute of an alert in payloads, as a project stores it. */
export interface PayloadMapping extends AttributeMapping {
  readonly type: MappingType;
  /** Name for users. */
  readonly label: string | undefined;
}

/** A mapping as a user wrote it. */
export interface WrittenMapping {
  readonly field: string;
  readonly path: readonly string[];
  readonly type: string;
  readonly label: string;
  readonly fallbackPath: readonly string[];
}

/** Keys of a path. */
const maxPathLength = 100;

/** Characters of a label. */
const maxLabelLength = 255;

/** The keys of custom payloads for the environment are accepted too (G-13-1). */
const otherNames: Record<string, MappedField> = {
  platform_environment_name: 'environment_name',
  gitlab_environment_name: 'environment_name',
};

function fieldOf(written: string): MappedField | undefined {
  const name = written.toLowerCase();
  return Object.hasOwn(otherNames, name) ? otherNames[name] : mappedFields.find((field) => field === name);
}

const typesOf: Partial<Record<MappedField, readonly MappingType[]>> = {
  start_time: ['DATETIME'],
  end_time: ['DATETIME'],
  hosts: ['STRING', 'ARRAY'],
  fingerprint: mappingTypes,
};

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** Go's zero time, which means "never": valid in a sample, though nothing is read from it. */
const isNever = (value: unknown): boolean => typeof value === 'string' && value.startsWith('0001-01-01');

const isOfType: Record<MappingType, (value: unknown) => boolean> = {
  STRING: isScalar,
  DATETIME: (value) => value === null || isNever(value) || parseTimestamp(value) !== undefined,
  ARRAY: (value) => value === null || Array.isArray(value),
};

/**
 * Reads a mapping; each path must exist in the sample payload.
 * @returns the mapping, and all its problems
 */
export function readMapping(
  written: readonly WrittenMapping[],
  sample: unknown,
): { mapping: PayloadMapping[]; problems: string[] } {
  const problems: string[] = [];
  const mapping: PayloadMapping[] = [];
  for (const one of written) {
    const found = problemsOf(one, sample);
    const field = fieldOf(one.field);
    if (field !== undefined && mapping.some((other) => other.field === field)) found.push('is mapped twice');
    problems.push(...found.map((text) => `${one.field.slice(0, 100)} ${text}`));
    if (field === undefined) continue;
    mapping.push({
      field,
      path: one.path,
      type: one.type.toUpperCase() as MappingType,
      label: one.label || undefined,
      fallbackPath: one.fallbackPath.length === 0 ? undefined : one.fallbackPath,
    });
  }
  return { mapping, problems };
}

function problemsOf({ field: written, path, type, label, fallbackPath }: WrittenMapping, sample: unknown): string[] {
  const problems: string[] = [];
  const field = fieldOf(written);
  if (field === undefined) problems.push('is no field that can be mapped');
  const known = mappingTypes.find((one) => one === type.toUpperCase());
  const allowed = (field && typesOf[field]) ?? ['STRING', 'DATETIME'];
  if (known === undefined) problems.push('has an unknown type');
  else if (field !== undefined && !allowed.includes(known)) problems.push(`must be of type ${allowed.join(' or ')}`);
  problems.push(...problemsOfPath('path', path, known, sample));
  if (fallbackPath.length > 0) {
    if (field === 'title') problems.push(...problemsOfPath('fallback path', fallbackPath, known, sample));
    else if (field !== undefined) problems.push('cannot have a fallback path');
  }
  if (label.length > maxLabelLength)
    problems.push(`has a label that is too long (maximum is ${maxLabelLength} characters)`);
  return problems;
}

function problemsOfPath(
  name: string,
  path: readonly string[],
  type: MappingType | undefined,
  sample: unknown,
): string[] {
  if (path.length === 0) return [`has no ${name}`];
  if (path.length > maxPathLength) return [`has a ${name} that is too long (maximum is ${maxPathLength} keys)`];
  // A missing sample is a problem of its own.
  if (sample === undefined) return [];
  const value = valueAt(sample, path);
  if (value === undefined) return [`has a ${name} that is not in the sample payload`];
  return type === undefined || isOfType[type](value) ? [] : [`has a ${name} to a value that is no ${type}`];
}
