import {
  TitleFilter_Kind as Title,
  type TitleFilter,
  UserFilter_Kind as User,
  type UserFilter,
} from '@switchyard/protos/rpc/v1/filter';

/** Users a filter asks for: nobody, somebody, or every one of those named; undefined when it was not given. */
export function userMatch(
  filter: UserFilter | undefined,
): 'none' | 'any' | { ids: readonly number[]; usernames: readonly string[] } | undefined {
  if (filter?.kind === User.KIND_NONE) return 'none';
  if (filter?.kind === User.KIND_ANY) return 'any';
  return filter?.kind === User.KIND_USERS ? { ids: filter.ids, usernames: filter.usernames } : undefined;
}

/** Titles a filter asks for: none, some, or every one of those below; undefined when it was not given. */
export function titleMatch(
  filter: TitleFilter | undefined,
): 'none' | 'any' | { titles: readonly string[] } | undefined {
  if (filter?.kind === Title.KIND_NONE) return 'none';
  if (filter?.kind === Title.KIND_ANY) return 'any';
  return filter?.kind === Title.KIND_TITLES ? { titles: filter.titles } : undefined;
}
