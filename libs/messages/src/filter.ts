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

/** A reaction of a filter: none, any, or the one named; undefined without a filter. */
export function reactionMatch(filter: TitleFilter | undefined): 'none' | 'any' | { name: string } | undefined {
  const match = titleMatch(filter);
  return typeof match === 'object' ? { name: match.titles[0] ?? '' } : match;
}

/** Titles of a filter: none, any, or all of those listed; undefined without a filter. */
export function titleMatch(
  filter: TitleFilter | undefined,
): 'none' | 'any' | { titles: readonly string[] } | undefined {
  if (filter?.kind === Title.KIND_NONE) return 'none';
  if (filter?.kind === Title.KIND_ANY) return 'any';
  return filter?.kind === Title.KIND_TITLES ? { titles: filter.titles } : undefined;
}
