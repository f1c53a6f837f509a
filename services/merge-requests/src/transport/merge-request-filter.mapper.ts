import {
  type TitleFilter,
  TitleFilter_Kind,
  type UserFilter,
  UserFilter_Kind,
  type MergeRequestExclusion as WireExclusion,
  type MergeRequestFilter as WireFilter,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import type { MergeRequestState } from '../domain/merge-request';
import type { MergeRequestExclusion, MergeRequestFilter, TitleMatch, UserMatch } from '../domain/merge-request-filter';

function toUserMatch(filter: UserFilter | undefined): UserMatch | undefined {
  if (filter?.kind === UserFilter_Kind.KIND_NONE) return 'none';
  if (filter?.kind === UserFilter_Kind.KIND_ANY) return 'any';
  if (filter?.kind !== UserFilter_Kind.KIND_USERS) return undefined;
  return { ids: filter.ids, usernames: filter.usernames };
}

function toTitleMatch(filter: TitleFilter | undefined): TitleMatch | undefined {
  if (filter?.kind === TitleFilter_Kind.KIND_NONE) return 'none';
  if (filter?.kind === TitleFilter_Kind.KIND_ANY) return 'any';
  return filter?.kind === TitleFilter_Kind.KIND_TITLES ? { titles: filter.titles } : undefined;
}

/** Words of a search tried at the most; more would only cost. */
const maxWords = 20;

const toExclusion = (wire: WireExclusion): MergeRequestExclusion => ({
  labels: toTitleMatch(wire.labels),
  milestone: toTitleMatch(wire.milestone),
  author: toUserMatch(wire.author),
  assignee: toUserMatch(wire.assignee),
  reviewer: toUserMatch(wire.reviewer),
  sourceBranch: wire.sourceBranch || undefined,
  targetBranch: wire.targetBranch || undefined,
});

/** A filter as the domain has it. */
export function toMergeRequestFilter(wire: WireFilter | undefined): MergeRequestFilter {
  if (wire === undefined) return {};
  const words = wire.search.split(/\s+/).filter((word) => word !== '');
  return {
    state: (wire.state || undefined) as MergeRequestState | undefined,
    scope: (wire.scope || undefined) as MergeRequestFilter['scope'],
    iids: wire.iids.length > 0 ? wire.iids : undefined,
    sourceBranch: wire.sourceBranch || undefined,
    targetBranch: wire.targetBranch || undefined,
    author: toUserMatch(wire.author),
    assignee: toUserMatch(wire.assignee),
    reviewer: toUserMatch(wire.reviewer),
    mergeUser: toUserMatch(wire.mergeUser),
    labels: toTitleMatch(wire.labels),
    milestone: toTitleMatch(wire.milestone),
    search:
      words.length > 0
        ? { words: words.slice(0, maxWords), title: wire.searchTitle, description: wire.searchDescription }
        : undefined,
    createdAfter: wire.createdAfter,
    createdBefore: wire.createdBefore,
    updatedAfter: wire.updatedAfter,
    updatedBefore: wire.updatedBefore,
    draft: wire.draft,
    sourceProjectId: wire.sourceProjectId || undefined,
    nonArchived: wire.nonArchived || undefined,
    not: wire.not === undefined ? undefined : toExclusion(wire.not),
  };
}
