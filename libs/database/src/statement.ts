import sql, { empty, join, raw, Sql } from 'sql-template-tag';

export { empty, join, raw, Sql, sql };

/**
 * Different texts one process may keep prepared on each connection; beyond it statements run unprepared, so a list with
 * many filters cannot fill the server's memory.
 */
const maxNamedTexts = 500;

const preparedNames = new Map<string, string>();
let namesGiven = 0;
const names = new WeakMap<Sql, string>();

/**
 * Marks a hot statement to be prepared once per connection. The same name may carry different texts
 * (a list with other filters): each text gets a name of its own.
 */
export function named(name: string, query: Sql): Sql {
  names.set(query, name);
  return query;
}

const planned = new WeakSet<Sql>();

/**
 * Names a statement for the metrics, and has it planned for its values every time. A prepared one gets, after five
 * runs, one plan for all values, which for a search text cannot count on a trigram index.
 */
export function plannedEachTime(name: string, query: Sql): Sql {
  names.set(query, name);
  planned.add(query);
  return query;
}

/** Whether a statement is to be prepared under its name. */
export const isPrepared = (query: Sql): boolean => !planned.has(query);

/** The name of a statement in metrics; undefined for an unnamed one. */
export const nameOf = (query: Sql): string | undefined => names.get(query);

/** Name under which `text` is prepared, undefined when it is not to be prepared. */
export function preparedName(name: string | undefined, text: string): string | undefined {
  if (name === undefined) return undefined;
  const known = preparedNames.get(text);
  if (known !== undefined) return known;
  if (preparedNames.size >= maxNamedTexts) return undefined;
  // PostgreSQL cuts names at 63 bytes; the number distinguishes two texts of one name.
  const prepared = `${name.slice(0, 50)}_${namesGiven++}`;
  preparedNames.set(text, prepared);
  return prepared;
}

/**
 * Has `text` prepared again, on every connection, under another name than `prepared`: a migration has changed the
 * columns of its result, and PostgreSQL refuses the old one until the connection ends.
 */
export function prepareAgain(text: string, prepared: string): void {
  if (preparedNames.get(text) === prepared) preparedNames.delete(text);
}

/** A column's value; undefined for null. */
export const given = <T>(value: unknown): T | undefined => (value === null ? undefined : (value as T));
