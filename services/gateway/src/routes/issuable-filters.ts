import { unauthorized } from '@switchyard/errors';
import {
  TitleFilter_Kind as Title,
  type TitleFilter,
  UserFilter_Kind as User,
  type UserFilter,
} from '@switchyard/protos/rpc/v1/filter';
import type { z } from 'zod';
import { mutuallyExclusive, type Relation } from '../http/check-parameters';
import { csv, csvOrNoneAny, dateTime, idOrNoneAny, integer, manyOf, text, textOrNoneAny } from '../http/params';

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;
type NoneOrAny = 'None' | 'Any';

/** What both lists of issues and of merge requests can leave out (G-1-6). */
export const sharedExclusions = {
  labels: csvOrNoneAny().optional(),
  milestone: textOrNoneAny().optional(),
  author_id: integer().optional(),
  author_username: csv().optional(),
  assignee_id: idOrNoneAny().optional(),
  assignee_username: csv().optional(),
};

/** What both are narrowed by. */
export const sharedFilters = {
  labels: csvOrNoneAny().optional(),
  milestone: textOrNoneAny().optional(),
  author_id: integer().optional(),
  author_username: text().optional(),
  assignee_id: idOrNoneAny().optional(),
  assignee_username: csv().optional(),
  search: text().optional(),
  in: manyOf('title', 'description').optional(),
  created_after: dateTime().optional(),
  created_before: dateTime().optional(),
  updated_after: dateTime().optional(),
  updated_before: dateTime().optional(),
};

/** Rules of both: filters of which a request gives one alone, `more` of them, and the limit on searches (G-4.2-9). */
export const sharedRules = (...more: Relation[]) => ({
  relations: [
    mutuallyExclusive('author_id', 'author_username'),
    mutuallyExclusive('assignee_id', 'assignee_username'),
    ...more,
  ],
  limitWith: { parameter: 'search', limit: 'search' },
});

const noUsers: UserFilter = { kind: User.KIND_UNSPECIFIED, ids: [], usernames: [] };

/** Users by id or by name; a single text may be `None` or `Any` as well. */
export function userFilter(
  id: number | NoneOrAny | undefined,
  names: string | readonly string[] | undefined,
): UserFilter {
  const word = id ?? names;
  if (word === 'None') return { ...noUsers, kind: User.KIND_NONE };
  if (word === 'Any') return { ...noUsers, kind: User.KIND_ANY };
  const usernames = [names ?? []].flat().filter((name) => name !== '');
  if (id === undefined && usernames.length === 0) return noUsers;
  return { kind: User.KIND_USERS, ids: typeof id === 'number' ? [id] : [], usernames };
}

/** Several users by id or by name, or `None` or `Any`. */
export const usersFilter = (
  ids: readonly number[] | NoneOrAny | undefined,
  names: readonly string[] | NoneOrAny | undefined,
): UserFilter =>
  typeof ids === 'object' && ids.length > 0
    ? { kind: User.KIND_USERS, ids: [...new Set(ids)], usernames: [] }
    : userFilter(undefined, typeof ids === 'string' ? ids : names);

/** One user by name, whatever the name is. */
export const userNamed = (id: number | undefined, name: string | undefined): UserFilter =>
  userFilter(id, name === undefined ? undefined : [name]);

/** Labels, a milestone or a reaction by title. */
export function titleFilter(given: readonly string[] | string | undefined): TitleFilter {
  if (given === 'None') return { kind: Title.KIND_NONE, titles: [] };
  if (given === 'Any') return { kind: Title.KIND_ANY, titles: [] };
  const titles = [given ?? []].flat().filter((title) => title !== '');
  return { kind: titles.length === 0 ? Title.KIND_UNSPECIFIED : Title.KIND_TITLES, titles };
}

/** The shared exclusions as they travel, but for milestones. */
export const sharedExclusion = (not: Values<typeof sharedExclusions>) => ({
  labels: titleFilter(not.labels),
  author: userFilter(not.author_id, not.author_username),
  assignee: userFilter(not.assignee_id, not.assignee_username),
});

/**
 * The shared filters as they travel, but for milestones; without a scope, or with `all`, lists hold those of all users.
 */
export function sharedFilter(params: Values<typeof sharedFilters>, scope: string | undefined) {
  const fields = params.in === undefined || params.in.length === 0 ? ['title', 'description'] : params.in;
  return {
    scope: scope === undefined || scope === 'all' ? '' : scope.replaceAll('-', '_'),
    author: userNamed(params.author_id, params.author_username),
    assignee: userFilter(params.assignee_id, params.assignee_username),
    labels: titleFilter(params.labels),
    search: params.search,
    searchTitle: fields.includes('title'),
    searchDescription: fields.includes('description'),
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
  };
}

/** The scope of a list over the whole instance: one's own by default, and `all` alone without a token. */
export function globalScope(scope: string | undefined, userId: number): string {
  const wanted = scope ?? 'created_by_me';
  if (userId === 0 && wanted !== 'all') throw unauthorized();
  return wanted;
}
