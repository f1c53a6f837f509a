import {
  TitleFilter_Kind as Title,
  type TitleFilter,
  UserFilter_Kind as User,
  type UserFilter,
} from '@switchyard/protos/rpc/v1/filter';

/** Users of a filter: none, any, or all of those named; undefined without a filter. */
export function userMatch(
  filter: UserFilter | undefined,
): 'none' | 'any' | { ids: readonly number[]; usernames: readonly string[] } | undefined {
  if (filter?.kind === User.KIND_NONE) return 'none';
  if (filter?.kind === User.KIND_ANY) return 'any';
  return filter?.kind === User.KIND_USERS ? { ids: filter.ids, usernames: filter.usernames } : undefined;
}

/** Titles of a filter: none, any, or all of those listed; undefined without a filter. */
export function titleMatch(
  filter: TitleFilter | undefined,
): 'none' | 'any' | { titles: readonly string[] } | undefined {
  if (filter?.kind === Title.KIND_NONE) return 'none';
  if (filter?.kind === Title.KIND_ANY) return 'any';
  return filter?.kind === Title.KIND_TITLES ? { titles: filter.titles } : undefined;
}
