import { AppError } from '@switchyard/errors';
import type { PageInfo, PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { documented, integer, oneOf, text } from './params';
import type { ListRule } from './route';

/** Most rows a page may hold; larger values are clamped (G-1-20). */
const maxPerPage = 100;

/** Rows of a page: clamped (G-1-20), but refused above the maximum of a list that is paged by cursor alone (G-4.17-1). */
const rowsOf = ({ keysetUpTo: max }: ListRule) =>
  max === undefined
    ? integer()
    : documented(integer({ min: 1, max }), { description: `Rows of a page, at most ${max}.` });

/** Parameters that every list takes in addition to its own (G-1-20, G-1-30). */
export const pageParameters = (list: ListRule) => ({
  ...(list.keysetUpTo === undefined ? { page: integer().default(1) } : {}),
  per_page: rowsOf(list).default(20),
  ...(list.keysetUpTo === undefined ? { pagination: oneOf('keyset', 'offset', 'legacy').optional() } : {}),
  cursor: text().optional(),
  ...(list.orderBy === undefined || list.orderBy.length === 0
    ? {}
    : { order_by: oneOf(...list.orderBy).default(list.orderBy[0] as string) }),
  ...(list.sort === undefined ? {} : { sort: oneOf('asc', 'desc').default(list.sort) }),
});

/** The requested page of a list, and the problems of the request (`per_page=0`). */
export function pageRequest(
  values: Record<string, unknown>,
  { keysetUpTo }: ListRule,
): { page: PageRequest; problems: string[] } {
  const perPage = values.per_page as number;
  return {
    page: {
      keyset: keysetUpTo !== undefined || values.pagination === 'keyset' || values.cursor !== undefined,
      page: Math.max(1, Math.min((values.page as number | undefined) ?? 1, 0xffff_ffff)),
      perPage: Math.min(Math.max(perPage, 1), maxPerPage),
      cursor: (values.cursor as string | undefined) ?? '',
      orderBy: (values.order_by as string | undefined) ?? '',
      descending: values.sort === 'desc',
    },
    problems:
      perPage < 0
        ? ['per_page does not have a valid value']
        : perPage === 0
          ? ['per_page has a value not allowed']
          : [],
  };
}

/** Largest `page * per_page` of offset paging (G-1-25). */
const maxOffset = 50_000;

/** Refuses an offset beyond the maximum, on the lists that hold to one. */
export function refuseDeepOffset(page: PageRequest, type: string): void {
  if (page.keyset || page.page * page.perPage <= maxOffset) return;
  throw new AppError('not_allowed', {
    error: `Offset pagination has a maximum allowed offset of ${maxOffset} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`,
  });
}

/** Pagination headers of a page (G-1-21 … G-1-23, G-1-31). `url` is the request's own, with the external host. */
export function pageHeaders(url: URL, info: PageInfo, list: ListRule, descending: boolean): Record<string, string> {
  const link = (changes: Record<string, string>, rel: string): string => {
    const target = new URL(url);
    for (const [name, value] of Object.entries(changes)) target.searchParams.set(name, value);
    return `<${target.href}>; rel="${rel}"`;
  };
  const perPage = String(info.perPage);
  if (info.keyset) {
    const parameters = list.keysetParameters ?? ((cursor: string) => ({ cursor }));
    return {
      'X-Per-Page': perPage,
      ...(info.nextCursor === ''
        ? {}
        : {
            'X-Next-Cursor': info.nextCursor,
            ...linkHeader([link({ per_page: perPage, ...parameters(info.nextCursor, descending) }, 'next')], []),
          }),
      ...(info.prevCursor === '' ? {} : { 'X-Prev-Cursor': info.prevCursor }),
    };
  }
  const at = (page: number, rel: string): string => link({ page: String(page), per_page: perPage }, rel);
  const totalPages = info.total === undefined ? undefined : Math.max(1, Math.ceil(info.total / info.perPage));
  const previous = info.page > 1 ? info.page - 1 : undefined;
  const next = info.hasNext ? info.page + 1 : undefined;
  return {
    'X-Page': String(info.page),
    'X-Per-Page': perPage,
    'X-Next-Page': next === undefined ? '' : String(next),
    'X-Prev-Page': previous === undefined ? '' : String(previous),
    ...(totalPages === undefined ? {} : { 'X-Total': String(info.total), 'X-Total-Pages': String(totalPages) }),
    ...linkHeader(
      [...(previous === undefined ? [] : [at(previous, 'prev')]), ...(next === undefined ? [] : [at(next, 'next')])],
      [at(1, 'first'), ...(totalPages === undefined ? [] : [at(totalPages, 'last')])],
    ),
  };
}

/** Longest `Link` header, bytes: clients commonly refuse replies whose headers pass 16 KiB in all. */
const maxLinkLength = 12 << 10;

/** The header, without its far ends or not at all where a long request address makes it too long. */
function linkHeader(near: string[], far: string[]): Record<string, string> {
  const header = [[...near, ...far], near]
    .map((links) => links.join(', '))
    .find((text) => text.length <= maxLinkLength);
  return header === undefined || header === '' ? {} : { Link: header };
}
