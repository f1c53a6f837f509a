import { boolean, date, dateTime, documented, integer, manyOf, oneOf, text } from '../../http/params';
import { atMost, oneLine } from '../field-facts';

const sorts = [
  'created_asc',
  'created_desc',
  'expires_asc',
  'expires_desc',
  'last_used_asc',
  'last_used_desc',
  'name_asc',
  'name_desc',
] as const;

/** Column of each word of `sort`; ids descending without one. */
export const tokenOrderOf = (sort: (typeof sorts)[number] | undefined) => {
  if (sort === undefined) return { orderBy: 'id', descending: true };
  const columns = { created: 'created_at', expires: 'expires_at', last_used: 'last_used_at', name: 'name' };
  const at = sort.lastIndexOf('_');
  return {
    orderBy: columns[sort.slice(0, at) as keyof typeof columns],
    descending: sort.slice(at + 1) === 'desc',
  };
};

/** State of a token, as a filter. */
export const tokenState = () => oneOf('active', 'inactive').optional();

/** Filters of lists of tokens (G-4.5-5). */
export const tokenFilters = {
  revoked: boolean().optional(),
  state: tokenState(),
  search: text().optional(),
  created_after: dateTime().optional(),
  created_before: dateTime().optional(),
  last_used_after: dateTime().optional(),
  last_used_before: dateTime().optional(),
  expires_after: date().optional(),
  expires_before: date().optional(),
  sort: oneOf(...sorts).optional(),
};

/** The filters as they travel. */
export const wireFilters = (params: {
  revoked?: boolean | undefined;
  state?: string | undefined;
  search?: string | undefined;
  created_after?: Date | undefined;
  created_before?: Date | undefined;
  last_used_after?: Date | undefined;
  last_used_before?: Date | undefined;
  expires_after?: string | undefined;
  expires_before?: string | undefined;
}) => ({
  revoked: params.revoked,
  state: params.state ?? '',
  search: params.search ?? '',
  createdAfter: params.created_after,
  createdBefore: params.created_before,
  lastUsedAfter: params.last_used_after,
  lastUsedBefore: params.last_used_before,
  expiresAfter: params.expires_after ?? '',
  expiresBefore: params.expires_before ?? '',
});

/** What a new token with these scopes is made of. */
export const newToken = (scopes: readonly string[]) => ({
  name: documented(text(), oneLine),
  description: documented(text(), atMost(255)).optional(),
  scopes: documented(manyOf(...scopes), { minItems: 1 }),
  expires_at: date().optional(),
});

/** The same as it travels. */
export const wireToken = (params: {
  name: string;
  description?: string | undefined;
  scopes: string[];
  expires_at?: string | undefined;
}) => ({
  name: params.name,
  description: params.description ?? '',
  scopes: params.scopes,
  expiresAt: params.expires_at ?? '',
});

/** The token in a path. */
export const tokenPath = { token_id: integer() };
