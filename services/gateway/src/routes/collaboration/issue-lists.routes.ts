import { IssueFilter, IssueServiceService } from '@switchyard/protos/collaboration/v1/issue';
import { TitleFilter_Kind as Kind, type TitleFilter } from '@switchyard/protos/rpc/v1/filter';
import type { z } from 'zod';
import { mutuallyExclusive } from '../../http/check-parameters';
import { boolean, hash, integerOrNoneAny, integers, oneOf, textOrNoneAny, unsupported } from '../../http/params';
import {
  sharedExclusion,
  sharedExclusions,
  sharedFilter,
  sharedFilters,
  sharedRules,
  titleFilter,
} from '../issuable-filters';
import { issuableLists } from '../issuable-lists';

const milestones = ['None', 'Any', 'Upcoming', 'Started', 'none', 'any', 'upcoming', 'started'] as const;

/** What belongs to epics; iterations do not exist yet. */
const planning = {
  epic_id: integerOrNoneAny().optional(),
  iteration_id: unsupported(textOrNoneAny()),
  iteration_title: unsupported(textOrNoneAny()),
};

const healthStatus = oneOf('on_track', 'needs_attention', 'at_risk', 'None', 'Any', 'none', 'any');

const exclusions = {
  ...planning,
  health_status: healthStatus.optional(),
  ...sharedExclusions,
  milestone_id: oneOf(...milestones).optional(),
  iids: integers().optional(),
  weight: integerOrNoneAny({ min: 0, max: 2_147_483_647 }).optional(),
  my_reaction_emoji: textOrNoneAny().optional(),
};

const counted = {
  scope: oneOf('created_by_me', 'created-by-me', 'assigned_to_me', 'assigned-to-me', 'all').optional(),
  ...sharedFilters,
  ...planning,
  health_status: healthStatus.optional(),
  milestone_id: oneOf(...milestones).optional(),
  my_reaction_emoji: textOrNoneAny().optional(),
  iids: integers().optional(),
  confidential: boolean().optional(),
  not: hash(exclusions).optional(),
};

const filters = {
  ...counted,
  state: oneOf('opened', 'closed', 'all').default('all'),
  issue_type: oneOf('issue', 'incident', 'task').optional(),
  weight: integerOrNoneAny({ min: 0, max: 2_147_483_647 }).optional(),
  due_date: oneOf(
    '0',
    'none',
    'any',
    'today',
    'tomorrow',
    'overdue',
    'week',
    'month',
    'next_month_and_previous_two_weeks',
    '',
  ).optional(),
  with_labels_details: boolean().default(false),
  render_html: boolean().default(false),
};

const rules = sharedRules(mutuallyExclusive('milestone', 'milestone_id'));

const listed = {
  ...rules,
  list: {
    orderBy: [
      'created_at',
      'updated_at',
      'priority',
      'due_date',
      'relative_position',
      'label_priority',
      'milestone_due',
      'popularity',
      'weight',
      'title',
    ],
    sort: 'desc',
  },
  returns: { 200: ['IssueListed'] },
} as const;

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;

const words: Readonly<Record<string, TitleFilter['kind']>> = {
  none: Kind.KIND_NONE,
  any: Kind.KIND_ANY,
  upcoming: Kind.KIND_UPCOMING,
  started: Kind.KIND_STARTED,
};

/** A milestone by title, or by one of the words; `#upcoming` and `#started` stand for what their dates say. */
const milestone = (title: string | undefined, word: string | undefined): TitleFilter => {
  const said = word ?? (title === '#upcoming' || title === '#started' ? title.slice(1) : undefined);
  return said === undefined ? titleFilter(title) : { kind: words[said.toLowerCase()] as never, titles: [] };
};

const weight = (given: number | 'None' | 'Any' | undefined) =>
  given === undefined
    ? undefined
    : { none: given === 'None', any: given === 'Any', weight: typeof given === 'number' ? given : 0 };

const epicOf = (given: number | 'None' | 'Any' | undefined) =>
  given === undefined
    ? undefined
    : { none: given === 'None', any: given === 'Any', epicId: typeof given === 'number' ? given : 0 };

/** The words of a health status in lower case, as they travel. */
const healthMatch = (given: string | undefined): string => given?.toLowerCase() ?? '';

const excluded = (not: Values<typeof exclusions>) => ({
  ...sharedExclusion(not),
  milestone: milestone(not.milestone, not.milestone_id),
  iids: not.iids ?? [],
  healthStatus: healthMatch(not.health_status),
  weight: weight(not.weight),
  epic: epicOf(not.epic_id),
  reaction: titleFilter(not.my_reaction_emoji),
});

const countedFilter = (params: Values<typeof counted>, scope: string | undefined) =>
  IssueFilter.fromPartial({
    ...sharedFilter(params, scope),
    iids: params.iids,
    healthStatus: healthMatch(params.health_status),
    milestone: milestone(params.milestone, params.milestone_id),
    reaction: titleFilter(params.my_reaction_emoji),
    confidential: params.confidential,
    epic: epicOf(params.epic_id),
    not: params.not === undefined ? undefined : excluded(params.not),
  });

const filterOf = (params: Values<typeof filters>, scope: string | undefined): IssueFilter => ({
  ...countedFilter(params, scope),
  state: params.state === 'all' ? '' : params.state,
  issueType: params.issue_type ?? '',
  weight: weight(params.weight),
  dueDate: params.due_date === '0' ? 'none' : (params.due_date ?? ''),
});

const shared = { section: 'Issues', read: 'read_issue' } as const;

/** Lists and counts of issues: of the instance, of a group, of a project (G §10 Issues). */
export const issueListRoutes = [
  ...issuableLists({
    ...shared,
    ...listed,
    name: 'issues',
    summary: 'List issues',
    filters,
    more: { non_archived: boolean().default(true) },
    moreOf: { instance: ['non_archived'], group: ['non_archived'] },
    answer: ({ params, scope, source, page, call }) =>
      call(IssueServiceService).listIssues({
        ...source,
        filter: { ...filterOf(params, scope), nonArchived: params.non_archived ?? false },
        page,
        withLabelsDetails: params.with_labels_details,
        renderHtml: params.render_html,
      }),
  }),
  ...issuableLists({
    ...shared,
    ...rules,
    name: 'issues_statistics',
    summary: 'Count issues',
    filters: counted,
    more: {},
    moreOf: {},
    returns: { 200: 'IssuesStatistics' },
    answer: ({ params, scope, source, call }) =>
      call(IssueServiceService).getIssuesStatistics({ ...source, filter: countedFilter(params, scope) }),
  }),
];
