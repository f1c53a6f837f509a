import {
  type IssueTitleFilter,
  IssueTitleFilter_Kind,
  type IssueUserFilter,
  IssueUserFilter_Kind,
  type IssueWeightFilter,
  type IssueExclusion as WireExclusion,
  type IssueFilter as WireFilter,
} from '@switchyard/protos/collaboration/v1/issue';
import type { IssueState, IssueType } from '../domain/issue';
import type {
  DueMatch,
  IssueExclusion,
  IssueFilter,
  MilestoneMatch,
  ReactionMatch,
  TitleMatch,
  UserMatch,
  WeightMatch,
} from '../domain/issue-filter';

function toUserMatch(filter: IssueUserFilter | undefined): UserMatch | undefined {
  if (filter?.kind === IssueUserFilter_Kind.KIND_NONE) return 'none';
  if (filter?.kind === IssueUserFilter_Kind.KIND_ANY) return 'any';
  if (filter?.kind !== IssueUserFilter_Kind.KIND_USERS) return undefined;
  return { ids: filter.ids, usernames: filter.usernames };
}

function toTitleMatch(filter: IssueTitleFilter | undefined): TitleMatch | undefined {
  if (filter?.kind === IssueTitleFilter_Kind.KIND_NONE) return 'none';
  if (filter?.kind === IssueTitleFilter_Kind.KIND_ANY) return 'any';
  return filter?.kind === IssueTitleFilter_Kind.KIND_TITLES ? { titles: filter.titles } : undefined;
}

function toMilestoneMatch(filter: IssueTitleFilter | undefined): MilestoneMatch | undefined {
  if (filter?.kind === IssueTitleFilter_Kind.KIND_UPCOMING) return 'upcoming';
  return filter?.kind === IssueTitleFilter_Kind.KIND_STARTED ? 'started' : toTitleMatch(filter);
}

function toReactionMatch(filter: IssueTitleFilter | undefined): ReactionMatch | undefined {
  const match = toTitleMatch(filter);
  return typeof match === 'object' ? { name: match.titles[0] ?? '' } : match;
}

const toWeightMatch = (filter: IssueWeightFilter | undefined): WeightMatch | undefined =>
  filter === undefined ? undefined : filter.none ? 'none' : filter.any ? 'any' : filter.weight;

/** Words of a search tried at the most; more would only cost. */
const maxWords = 20;

const toExclusion = (wire: WireExclusion): IssueExclusion => ({
  labels: toTitleMatch(wire.labels),
  milestone: toMilestoneMatch(wire.milestone),
  author: toUserMatch(wire.author),
  assignee: toUserMatch(wire.assignee),
  iids: wire.iids.length > 0 ? wire.iids : undefined,
  weight: toWeightMatch(wire.weight),
  reaction: toReactionMatch(wire.reaction),
});

/** A filter as the domain has it. */
export function toIssueFilter(wire: WireFilter | undefined): IssueFilter {
  if (wire === undefined) return {};
  const words = wire.search.split(/\s+/).filter((word) => word !== '');
  return {
    state: (wire.state || undefined) as IssueState | undefined,
    scope: (wire.scope || undefined) as IssueFilter['scope'],
    iids: wire.iids.length > 0 ? wire.iids : undefined,
    author: toUserMatch(wire.author),
    assignee: toUserMatch(wire.assignee),
    labels: toTitleMatch(wire.labels),
    milestone: toMilestoneMatch(wire.milestone),
    search:
      words.length > 0
        ? { words: words.slice(0, maxWords), title: wire.searchTitle, description: wire.searchDescription }
        : undefined,
    confidential: wire.confidential,
    issueType: (wire.issueType || undefined) as IssueType | undefined,
    weight: toWeightMatch(wire.weight),
    dueDate: (wire.dueDate || undefined) as DueMatch | undefined,
    reaction: toReactionMatch(wire.reaction),
    createdAfter: wire.createdAfter,
    createdBefore: wire.createdBefore,
    updatedAfter: wire.updatedAfter,
    updatedBefore: wire.updatedBefore,
    nonArchived: wire.nonArchived || undefined,
    not: wire.not === undefined ? undefined : toExclusion(wire.not),
  };
}
