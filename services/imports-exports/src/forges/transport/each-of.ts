import { type ForgePage, ForgeProblem } from '../domain/forge';

/** What has a list of its own, such as an issue with its comments. */
export interface Owner {
  /** Its place among the others, from 1. */
  readonly key: number;
}

/** Most that the place of a stage can be. */
const maxPlace = 2 ** 31 - 1;

/**
 * A page of the list of all, of a forge that lists by owner alone: a place in it is an owner, and a place in its list. Owners
 * whose lists are empty are passed over, some at a time.
 * @param place 1 for the beginning
 * @param perOwner places in the list of one owner, more than it has
 * @param owners some of them from a key on, in their order; none at the end
 * @param read a page of the list of an owner from a place on, from 0; with `next` unless it is the last
 */
export async function pageOfEach<T, O extends Owner>(
  place: number,
  perOwner: number,
  owners: (from: number) => Promise<readonly O[]>,
  read: (owner: O, at: number) => Promise<ForgePage<T>>,
): Promise<ForgePage<T>> {
  const placeOf = ({ key }: Owner, inList: number): number => {
    const next = key * perOwner + inList;
    if (inList >= perOwner || next > maxPlace)
      throw new ForgeProblem('refused', 'The forge has a list that is too long');
    return next;
  };
  const [from, at] = place === 1 ? [1, 0] : [Math.floor(place / perOwner), place % perOwner];
  const asked = await owners(from);
  let fetched = 0;
  for (const owner of asked) {
    const found = await read(owner, owner.key === from ? at : 0);
    fetched += found.fetched;
    if (!found.isLast) return { ...found, fetched, next: placeOf(owner, found.next ?? 0) };
    if (found.items.length > 0) return { ...found, fetched, isLast: false, next: placeOf({ key: owner.key + 1 }, 0) };
  }
  const last = asked.at(-1);
  if (last === undefined) return { fetched, items: [], isLast: true };
  return { fetched, items: [], isLast: false, next: placeOf({ key: last.key + 1 }, 0) };
}
