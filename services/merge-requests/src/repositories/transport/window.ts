import { badRequest } from '@switchyard/errors';
import type { PageRequest, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { page } from '@switchyard/rpc';

/** The part of a list that a page shows, for lists that git keeps and that have a place and no id. */
export interface Window {
  readonly offset: number;
  /** Rows of the page. */
  readonly limit: number;
}

const cursorOf = (offset: number): string => Buffer.from(JSON.stringify({ offset, _kd: 'n' })).toString('base64url');

function offsetOf(cursor: string): number {
  try {
    const { offset } = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as { offset?: unknown };
    if (typeof offset === 'number' && Number.isSafeInteger(offset) && offset >= 0) return offset;
  } catch {
    // Answered below, as any other cursor we did not write.
  }
  throw badRequest('cursor is invalid');
}

/** The window a list RPC asks for. @throws AppError bad_request on a cursor this service did not write */
export function windowOf(request: PageRequest | undefined): Window {
  const limit = request?.perPage || 20;
  if (request?.keyset === true) return { limit, offset: request.cursor === '' ? 0 : offsetOf(request.cursor) };
  return { limit, offset: ((request?.page || 1) - 1) * limit };
}

/** A page over a window. `total` where the list is counted. */
export function windowPage(
  values: readonly unknown[],
  request: PageRequest | undefined,
  { total, hasNext }: { total?: number | undefined; hasNext: boolean },
): RepresentationPage {
  const { offset, limit } = windowOf(request);
  const keyset = request?.keyset === true;
  return page(values, {
    keyset,
    page: request?.page || 1,
    perPage: limit,
    // Totals above 10,000 are not returned (G-1-23).
    total: keyset || total === undefined || total > 10_000 ? undefined : total,
    hasNext,
    nextCursor: keyset && hasNext ? cursorOf(offset + limit) : undefined,
  });
}

/** The window of a list that is in memory as a whole. */
export function sliced<T>(all: readonly T[], request: PageRequest | undefined) {
  const { offset, limit } = windowOf(request);
  return {
    items: all.slice(offset, offset + limit),
    place: { total: all.length, hasNext: offset + limit < all.length },
  };
}

/** A page of a list whose cursor is the public `page_token`: the name of the last item seen. */
export function tokenPage(
  values: readonly unknown[],
  request: PageRequest | undefined,
  { total, next }: { total: number; next: string | undefined },
): RepresentationPage {
  const keyset = request?.keyset === true;
  return page(values, {
    keyset,
    page: request?.page || 1,
    perPage: request?.perPage || 20,
    total: keyset || total > 10_000 ? undefined : total,
    hasNext: next !== undefined,
    nextCursor: keyset ? next : undefined,
  });
}

/** Where a list whose cursor is a name starts. */
export const placeOf = (request: PageRequest | undefined): { after?: string; offset: number; limit: number } => {
  const limit = request?.perPage || 20;
  if (request?.keyset === true)
    return request.cursor === '' ? { offset: 0, limit } : { after: request.cursor, offset: 0, limit };
  return { offset: ((request?.page || 1) - 1) * limit, limit };
};
