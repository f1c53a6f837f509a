import { type ForgePage, ForgeProblem } from '../domain/forge';

/** Pages, and items, of comments and of events that forgea gives by the numbers of pages: of what lies behind it says 422. */
const maxPage = 300;
const maxItems = 30_000;

/** Whether forgea numbers the page of comments, or of events, behind this one. @param size items of a page */
export const isNumbered = (page: number, size: number): boolean => page < maxPage && (page + 1) * size <= maxItems;

/** Comments of one second that a cursor names: further ones are read twice, and written once. */
const maxSeen = 200;

/** A comment, as far as its place in a list depends on it. */
interface Comment {
  readonly foreignId: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Where a list goes on in the order of changes. */
interface Place {
  /** Comments that are older were read in the order in which they were written. */
  readonly from: number;
  /** What changed before was read; in milliseconds, as `from`. */
  readonly since: number;
  /** Page of what changed since then. */
  readonly page: number;
  /** Comments that were read of those that were written in the second `from`. */
  readonly border: readonly number[];
  /** Comments that were read of those that changed in the second `since`. */
  readonly seen: readonly number[];
}

/** What a list of comments is asked for with. */
type Query =
  | { readonly sort: 'created'; readonly direction: 'asc'; readonly page: number; readonly after?: string }
  | { readonly sort: 'updated'; readonly direction: 'asc'; readonly page: number; readonly since: string };

const prefix = 'changed:';

const cursorOf = ({ from, since, page, border, seen }: Place): string =>
  `${prefix}${[[from, since, page], border, seen].map((numbers) => numbers.join('.')).join(' ')}`;

function placeOf(cursor: string): Place {
  const numbersOf = (part = ''): number[] => (part === '' ? [] : part.split('.').map(Number));
  const [place, border, seen] = cursor.slice(prefix.length).split(' ').map(numbersOf);
  const [from = 0, since = 0, page = 1] = place ?? [];
  return { from, since, page, border: border ?? [], seen: seen ?? [] };
}

/** The cursor by which a list begins with what changed since then; empty for all of it. */
export const changesFrom = (since: Date | undefined): string =>
  since === undefined ? '' : cursorOf({ from: 0, since: since.getTime(), page: 1, border: [], seen: [] });

/** A date as forgea takes it: its dates are whole seconds. */
export const wholeSecond = (date: Date): string => date.toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * A page of comments. They come as they were written, as far as forgea numbers pages; from there on as they were changed,
 * always from the last change that was read on, so that no page is deep. What was read already is left out.
 * @param cursor of the page before
 */
export async function commentsPage<T extends Comment>(
  { page, size, cursor }: { readonly page: number; readonly size: number; readonly cursor: string },
  ask: (query: Query) => Promise<ForgePage<T>>,
): Promise<ForgePage<T>> {
  if (!cursor.startsWith(prefix)) {
    const asked = { sort: 'created', direction: 'asc', page } as const;
    const found = await ask(cursor === '' ? asked : { ...asked, after: cursor });
    if (found.isLast || found.cursor !== undefined || isNumbered(page, size)) return found;
    const from = Math.max(...found.items.map(({ createdAt }) => createdAt.getTime()));
    if (!Number.isFinite(from)) throw new ForgeProblem('refused', 'The forge has a page of comments without any');
    const border = found.items
      .filter(({ createdAt }) => createdAt.getTime() === from)
      .map(({ foreignId }) => foreignId);
    return { ...found, cursor: cursorOf({ from, since: from, page: 1, border, seen: [] }) };
  }
  const place = placeOf(cursor);
  const since = wholeSecond(new Date(place.since));
  const { pages: _, ...found } = await ask({ sort: 'updated', direction: 'asc', page: place.page, since });
  const isNew = ({ foreignId, createdAt }: T): boolean =>
    createdAt.getTime() >= place.from && ![...place.border, ...place.seen].includes(foreignId);
  const items = found.items.filter(isNew);
  const kept = { ...found, items, fetched: found.fetched - (found.items.length - items.length) };
  if (found.isLast) return kept;
  const last = Math.max(place.since, ...found.items.map(({ updatedAt }) => updatedAt.getTime()));
  const ofLast = found.items.filter(({ updatedAt }) => updatedAt.getTime() === last).map(({ foreignId }) => foreignId);
  const goesOn = last > place.since;
  const seen = goesOn ? ofLast : [...new Set([...place.seen, ...ofLast])].slice(-maxSeen);
  if (!goesOn && place.page >= maxPage)
    throw new ForgeProblem('refused', 'The forge has too many comments that changed in one second');
  return { ...kept, cursor: cursorOf({ ...place, since: last, page: goesOn ? 1 : place.page + 1, seen }) };
}
