import { type ForgeEvent, type ForgePage, ForgeProblem } from '../domain/forge';
import { isNumbered } from './forgea-comments';

/** Issues and pull requests whose events a page asks for, one after the other. */
const maxOwners = 20;

/** An issue or a pull request that has events. */
export interface EventOwner {
  readonly number: number;
  readonly pull_request?: unknown;
  readonly created_at: Date;
}

/** What events are asked for with. */
interface EventLists {
  /** The list of the repository, the newest first, without what is older than is wanted. */
  readonly ofAll: (cursor: string) => Promise<ForgePage<ForgeEvent>>;
  /** Issues and pull requests, the oldest first. */
  readonly owners: (page: number, size: number, cursor: string) => Promise<ForgePage<EventOwner>>;
  /** @param isWanted whether an event, as the forge sends it, is read */
  readonly ofOne: (
    owner: EventOwner,
    page: number,
    isWanted: (event: unknown) => boolean,
  ) => Promise<ForgePage<ForgeEvent>>;
}

/** Where events go on behind those that forgea numbers. */
interface Place {
  /** Events that are newer were read; milliseconds, infinite where it is not known. */
  readonly from: number;
  /** Page of owners, and from 0 the owner in it. */
  readonly ownersPage: number;
  readonly at: number;
  /** Page of the events of the owner. */
  readonly page: number;
  /** Ids of the last page that forgea numbers. */
  readonly border: readonly number[];
  /** Names the page of owners in the forge's own words; empty where it has none. */
  readonly owners: string;
}

const prefix = 'each:';

const cursorOf = ({ from, ownersPage, at, page, border, owners }: Place): string =>
  `${prefix}${[from, ownersPage, at, page, border.join('.'), owners].join(' ')}`;

function placeOf(cursor: string): Place {
  const [from, ownersPage, at, page, border = '', owners = ''] = cursor.slice(prefix.length).split(' ');
  return {
    ...{ from: Number(from), ownersPage: Number(ownersPage), at: Number(at), page: Number(page), owners },
    border: border === '' ? [] : border.split('.').map(Number),
  };
}

/**
 * A page of events. They come from the newest one on, as far as forgea numbers pages; from there on those of each issue
 * and pull request, the oldest first, up to those that were made after the last event that was read. What was read already
 * is left out. The events of an issue that is gone by then are named as failed.
 * @param cursor of the page before
 * @param since events that are older are left out
 */
export async function eventsPage(
  asked: { readonly page: number; readonly size: number; readonly cursor: string; readonly since: Date | undefined },
  { ofAll, owners, ofOne }: EventLists,
): Promise<ForgePage<ForgeEvent>> {
  const { page, size, cursor, since } = asked;
  if (!cursor.startsWith(prefix)) {
    const found = await ofAll(cursor);
    // At the limit a full page may be the last one without being the end of the list.
    const isEnd = found.isLast && found.fetched < size;
    if (isEnd || found.cursor !== undefined || isNumbered(page, size)) return found;
    const border = found.items.map(({ key }) => Number(key));
    // The newest one of the page, not the oldest: events that a repository was given later may have earlier dates.
    const times = found.items.map(({ createdAt }) => createdAt.getTime());
    const from = times.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...times);
    const begin = { from, ownersPage: 1, at: 0, page: 1, border, owners: '' };
    return { ...found, isLast: false, cursor: cursorOf(begin) };
  }
  const place = placeOf(cursor);
  const isWanted = (event: unknown): boolean => {
    const { id, created_at: createdAt } = (event ?? {}) as { id?: unknown; created_at?: unknown };
    const time = Date.parse(String(createdAt));
    // One whose date cannot be read is none that is too new or too old.
    const isOutside = time > place.from || (since !== undefined && time < since.getTime());
    return !isOutside && !place.border.includes(Number(id));
  };
  const some = await owners(place.ownersPage, Math.min(size, maxOwners), place.owners);
  const items: ForgeEvent[] = [];
  const unread: string[] = [];
  const failed: { item: string; reason: string }[] = [];
  let fetched = 0;
  const until = (next: Partial<Place> | undefined): ForgePage<ForgeEvent> => {
    const goesOn = next === undefined ? {} : { cursor: cursorOf({ ...place, ...next }) };
    return { fetched, items, unread, failed, isLast: next === undefined, ...goesOn };
  };
  for (let at = place.at; at < some.items.length; at += 1) {
    const owner = some.items[at] as EventOwner;
    if (owner.created_at.getTime() > place.from) return until(undefined);
    if (items.length >= size) return until({ at, page: 1 });
    const ofOwner = at === place.at ? place.page : 1;
    try {
      const found = await ofOne(owner, ofOwner, isWanted);
      fetched += found.fetched;
      items.push(...found.items);
      unread.push(...(found.unread ?? []));
      if (!found.isLast) return until({ at, page: ofOwner + 1 });
    } catch (error) {
      if (!(error instanceof ForgeProblem && error.kind === 'not_found')) throw error;
      failed.push({ item: `#${owner.number}`, reason: error.message });
    }
  }
  if (some.isLast) return until(undefined);
  return until({ ownersPage: place.ownersPage + 1, at: 0, page: 1, owners: some.cursor ?? '' });
}
