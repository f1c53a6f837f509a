/** A change of a set: `all` replaces it, then `added` are added and `removed` are removed. */
export interface SetChange<T> {
  readonly all?: readonly T[] | undefined;
  readonly added?: readonly T[] | undefined;
  readonly removed?: readonly T[] | undefined;
}

/** A set after a change, in its order. What is both added and removed is removed. */
export function changedSet<T>(present: readonly T[], { all, added = [], removed = [] }: SetChange<T>): T[] {
  const removedOnes = new Set(removed);
  return [...new Set([...(all ?? present), ...added])].filter((one) => !removedOnes.has(one));
}

/**
 * Two changes as one, the later after the former.
 * @param keyOf equal for equal members
 */
export function bothChanges<T>(
  former: SetChange<T>,
  later: SetChange<T>,
  keyOf: (one: T) => unknown = (one) => one,
): SetChange<T> & { readonly added: readonly T[]; readonly removed: readonly T[] } {
  if (later.all !== undefined) return { all: later.all, added: later.added ?? [], removed: later.removed ?? [] };
  const lacking = (from: readonly T[], removedOnes: readonly T[]): T[] => {
    const keys = new Set(removedOnes.map(keyOf));
    return from.filter((one) => !keys.has(keyOf(one)));
  };
  const { added = [], removed = [] } = later;
  return {
    all: former.all && lacking(former.all, removed),
    added: [...lacking(former.added ?? [], removed), ...added],
    removed: [...lacking(former.removed ?? [], added), ...removed],
  };
}
