import { reactionMatch, titleMatch, userMatch } from '@switchyard/messages';
import type {
  IssueEpicFilter,
  IssueWeightFilter,
  IssueExclusion as WireExclusion,
  IssueFilter as WireFilter,
} from '@switchyard/protos/collaboration/v1/issue';
import { TitleFilter_Kind as Kind, type TitleFilter } from '@switchyard/protos/rpc/v1/filter';
import { searchMatch } from '@switchyard/texts';
import type { IssueState, IssueType } from '../domain/issue';
import type {
  DueMatch,
  EpicMatch,
  HealthMatch,
  IssueExclusion,
  IssueFilter,
  MilestoneMatch,
  WeightMatch,
} from '../domain/issue-filter';

function milestoneMatch(filter: TitleFilter | undefined): MilestoneMatch | undefined {
  if (filter?.kind === Kind.KIND_UPCOMING) return 'upcoming';
  return filter?.kind === Kind.KIND_STARTED ? 'started' : titleMatch(filter);
}

const epicMatch = (filter: IssueEpicFilter | undefined): EpicMatch | undefined =>
  filter === undefined ? undefined : filter.none ? 'none' : filter.any ? 'any' : filter.epicId;

const weightMatch = (filter: IssueWeightFilter | undefined): WeightMatch | undefined =>
  filter === undefined ? undefined : filter.none ? 'none' : filter.any ? 'any' : filter.weight;

const toExclusion = (wire: WireExclusion): IssueExclusion => ({
  labels: titleMatch(wire.labels),
  milestone: milestoneMatch(wire.milestone),
  author: userMatch(wire.author),
  assignee: userMatch(wire.assignee),
  iids: wire.iids.length > 0 ? wire.iids : undefined,
  weight: weightMatch(wire.weight),
  epic: epicMatch(wire.epic),
  healthStatus: (wire.healthStatus || undefined) as HealthMatch | undefined,
  reaction: reactionMatch(wire.reaction),
});

/** A filter as the domain has it. */
export function toIssueFilter(wire: WireFilter | undefined): IssueFilter {
  if (wire === undefined) return {};
  return {
    state: (wire.state || undefined) as IssueState | undefined,
    scope: (wire.scope || undefined) as IssueFilter['scope'],
    iids: wire.iids.length > 0 ? wire.iids : undefined,
    author: userMatch(wire.author),
    assignee: userMatch(wire.assignee),
    labels: titleMatch(wire.labels),
    milestone: milestoneMatch(wire.milestone),
    milestoneId: wire.milestoneId || undefined,
    search: searchMatch(wire),
    confidential: wire.confidential,
    issueType: (wire.issueType || undefined) as IssueType | undefined,
    weight: weightMatch(wire.weight),
    epic: epicMatch(wire.epic),
    healthStatus: (wire.healthStatus || undefined) as HealthMatch | undefined,
    dueDate: (wire.dueDate || undefined) as DueMatch | undefined,
    reaction: reactionMatch(wire.reaction),
    createdAfter: wire.createdAfter,
    createdBefore: wire.createdBefore,
    updatedAfter: wire.updatedAfter,
    updatedBefore: wire.updatedBefore,
    nonArchived: wire.nonArchived || undefined,
    not: wire.not === undefined ? undefined : toExclusion(wire.not),
  };
}
