import { createHash } from 'node:crypto';

/** What an import wrote of an object: a digest of each field by its name. */
export type ImportedFields = Readonly<Record<string, string>>;

/** Characters of a digest: 132 bits. */
const digestLength = 22;

/** Ids as the one form of a set of them. */
export const ascending = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b);

/** Digests of fields; sets are to be given in one order, as {@link ascending} has them. */
export const importedFields = (values: Readonly<Record<string, unknown>>): ImportedFields =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      createHash('sha256')
        .update(JSON.stringify(value) ?? '')
        .digest('base64url')
        .slice(0, digestLength),
    ]),
  );

/**
 * The fields that a refresh of an import overwrites: those that changed at the forge since, and that still have here what
 * the import wrote (ADR 73).
 * @param wrote what the import wrote; a field that it does not name stays
 */
export const fieldsToTake = (
  wrote: ImportedFields,
  ours: ImportedFields,
  theirs: ImportedFields,
): ReadonlySet<string> =>
  new Set(Object.keys(theirs).filter((name) => theirs[name] !== wrote[name] && ours[name] === wrote[name]));
