import { AppError, badRequest } from '@switchyard/errors';
import { cursorOf } from '../domain/change-body';
import { mayRead } from '../domain/change-rights';
import type { FeedPage, FeedScope } from '../domain/feed';
import type { ChangeList, ReadRights } from './change.ports';

/** Who reads. */
export interface FeedReader {
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
}

/** Changes that one page looks at, for those that the reader may have. */
const lookedAt = 200;
/** Changes of one page at the most. */
export const pageSize = 100;

/** Digits that a position can have. */
const maxDigits = 16;

/** The position of a cursor; undefined for none. @throws AppError bad_request */
export function positionOf(cursor: string): number | undefined {
  if (cursor === '') return undefined;
  if (!/^\d+$/.test(cursor) || cursor.length > maxDigits || !Number.isSafeInteger(Number(cursor)))
    throw badRequest('after is not a cursor of this feed');
  return Number(cursor);
}

/** Reads pages of the feed; see `readChanges`. */
export type ReadChanges = (
  scope: FeedScope,
  after: number | undefined,
  limit: number,
  reader: FeedReader,
) => Promise<FeedPage>;

const idsOf = (ids: readonly number[]): number[] => [...new Set(ids)].filter((id) => id > 0);

/**
 * Reads a page of a feed by three statements: what comes next, the rights of the reader where it happened, and the bodies
 * of what they may read. They are asked about anew for each page, so that a right that is lost ends what is shown.
 * @throws AppError gone for a cursor of what is no longer kept, bad_request for one from the future
 */
export const readChanges =
  ({ list, rights }: { list: ChangeList; rights: ReadRights }): ReadChanges =>
  async (scope, after, limit, reader) => {
    const found = await list.stretch(scope, after, lookedAt);
    if (after !== undefined && after < found.prunedThrough)
      throw new AppError(
        'gone',
        `The changes after this cursor are no longer kept; go on with after=${cursorOf(found.prunedThrough)}`,
      );
    if (after !== undefined && after > found.head) throw badRequest('after is not a cursor of this feed');
    const known = await rights(reader, {
      projects: idsOf(found.changes.map(({ projectId }) => projectId)),
      groups: idsOf(found.changes.flatMap(({ projectId, groupId }) => (projectId === 0 ? [groupId] : []))),
    });
    const readable = found.changes.filter((change) => mayRead(change, known));
    const shown = readable.slice(0, limit);
    const isCut = readable.length > shown.length;
    const isFull = found.changes.length === lookedAt;
    const last = isCut ? shown.at(-1) : isFull ? found.changes.at(-1) : undefined;
    return {
      changes: await list.bodies(shown.map(({ position }) => position)),
      cursor: last?.position ?? found.head,
      more: isCut || isFull,
    };
  };
