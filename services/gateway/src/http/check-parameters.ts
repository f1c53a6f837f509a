import { invalid, invalidParams } from '@switchyard/errors';
import { z } from 'zod';
import { acceptsNull, isForAdministrators } from './params';
import type { RawParameters } from './read-parameters';

const nameOf = (path: readonly PropertyKey[]): string =>
  path.map((part, index) => (index === 0 ? String(part) : `[${String(part)}]`)).join('');

/** Every problem of a failed parse as `name text`, in the order of the schema (G-7-2). */
const problemsOf = (error: z.ZodError): string[] =>
  error.issues.map((issue) => `${nameOf(issue.path)} ${issue.message}`.trim());

/** What a problem says where it is the only one, with a text of its own. */
const aloneOf = ({ issues }: z.ZodError): string | undefined =>
  issues
    .flatMap((issue) => (issue.code === 'custom' ? [issue.params?.alone] : []))
    .find((alone): alone is string => typeof alone === 'string');

const schemas = new WeakMap<z.ZodRawShape, z.ZodObject>();

/**
 * Gives raw parameters their types; unknown ones are dropped (G-1-3), and those for administrators where the caller is
 * none.
 */
export function checkParameters<T extends z.ZodRawShape>(
  shape: T,
  raw: RawParameters,
  relations: readonly Relation[] = [],
  isAdministrator = true,
  path: PathParameters = {},
): { value: z.infer<z.ZodObject<T>> | undefined; problems: string[]; alone: string | undefined } {
  let schema = schemas.get(shape);
  if (schema === undefined) {
    schema = z.object(shape);
    schemas.set(shape, schema);
  }
  const sent = Object.fromEntries(
    Object.keys(shape)
      .filter((name) => Object.hasOwn(raw, name) && (raw[name] !== null || acceptsNull(shape[name])))
      .filter((name) => isAdministrator || !isForAdministrators(shape[name]))
      .map((name) => [name, raw[name]]),
  );
  const parsed = schema.safeParse(sent);
  const problems = parsed.success ? [] : problemsOf(parsed.error);
  for (const relation of relations) {
    const found = relation(sent, path);
    if (found !== undefined) problems.push(found);
  }
  return {
    value: parsed.success ? (parsed.data as z.infer<z.ZodObject<T>>) : undefined,
    problems,
    alone: parsed.success ? undefined : aloneOf(parsed.error),
  };
}

/** What the document says of a relation. */
export interface RelationRule {
  readonly kind: 'mutually exclusive' | 'at least one' | 'exactly one';
  readonly names: readonly string[];
}

/** Parameters of a path as they were sent. */
type PathParameters = Readonly<Record<string, unknown>>;

/** A rule over several parameters, those of the path among them: the text of its breach, or nothing. */
export interface Relation {
  (sent: RawParameters, path: PathParameters): string | undefined;
  readonly rule?: RelationRule;
  /** True when JSON Schema cannot state it: the descriptions of the operation and its parameters do. */
  readonly inWords?: boolean;
}

const relation = (
  kind: RelationRule['kind'],
  names: readonly string[],
  breach: (found: readonly string[]) => string | undefined,
): Relation => Object.assign((sent: RawParameters) => breach(present(sent, names)), { rule: { kind, names } });

const present = (sent: RawParameters, names: readonly string[]): string[] =>
  names.filter((name) => Object.hasOwn(sent, name));

const exclusive = (found: readonly string[]): string | undefined =>
  found.length > 1 ? `${found.join(', ')} are mutually exclusive` : undefined;

/** At most one of the parameters may be sent. */
export const mutuallyExclusive = (...names: string[]): Relation => relation('mutually exclusive', names, exclusive);

/** At least one must be sent. */
export const atLeastOne = (...names: string[]): Relation =>
  relation('at least one', names, (found) =>
    found.length === 0 ? `${names.join(', ')} are missing, at least one parameter must be provided` : undefined,
  );

/** A rule that JSON Schema cannot state, such as one about the current time, or about the path. */
export const inWords = (breach: (sent: RawParameters, path: PathParameters) => string | undefined): Relation =>
  Object.assign((sent: RawParameters, path: PathParameters) => breach(sent, path), { inWords: true });

/** Exactly one must be sent. */
export const exactlyOne = (...names: string[]): Relation =>
  relation('exactly one', names, (found) =>
    found.length === 0 ? `${names.join(', ')} are missing, exactly one parameter must be provided` : exclusive(found),
  );

/**
 * Refuses with every problem at once.
 * @param alone what the refusal says instead, where there is one problem
 */
export function refuseProblems(problems: readonly string[], alone: string | undefined): void {
  if (problems.length === 1 && alone !== undefined) throw invalid(alone);
  if (problems.length > 0) throw invalidParams(...problems);
}
