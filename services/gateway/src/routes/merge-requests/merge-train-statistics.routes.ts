import { MergeTrainServiceService } from '@switchyard/protos/merge_requests/v1/merge_train';
import { inWords } from '../../http/check-parameters';
import { date, documented, text } from '../../http/params';
import type { RawParameters } from '../../http/read-parameters';
import { defineRoute } from '../../http/route';

const ofBranch = '/projects/:id/merge_trains/:target_branch' as const;
const branch = { target_branch: text() };

/** Most days of one request: a leap year. */
const maxDays = 366;
const dayMs = 86_400_000;
const day = date();

/** Days from `after` to `before`, both included; undefined when a date is none, or there is no first one. */
function daysOf(sent: RawParameters): number | undefined {
  const { data: first } = day.safeParse(sent.after);
  const { data: last } = day.safeParse(sent.before ?? new Date().toISOString());
  if (first === undefined || last === undefined) return undefined;
  return (Date.parse(last) - Date.parse(first)) / dayMs + 1;
}

const isInOrder = (sent: RawParameters): string | undefined =>
  (daysOf(sent) ?? 1) < 1 ? 'after must not be later than before' : undefined;

const isShort = (sent: RawParameters): string | undefined =>
  (daysOf(sent) ?? 1) > maxDays ? `after and before must span at most ${maxDays} days` : undefined;

/** What is expected of a train, and what it did. */
export const mergeTrainStatisticsRoutes = [
  defineRoute({
    method: 'get',
    path: `${ofBranch}/forecast`,
    section: 'Merge trains',
    summary: 'Get when the entries of the merge train of a target branch are expected to land',
    docs: {
      description:
        'Get for each entry the median and the 90th percentile of its landing, from the durations and failures that were seen on this branch. The times are null with the `reason` `too_few_runs` while fewer than five runs are known, and `paused` while the train is.',
    },
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: branch,
    returns: { 200: 'MergeTrainForecast' },
    handle: ({ path, access, call }) =>
      call(MergeTrainServiceService).getMergeTrainForecast({ projectId: access.id, targetBranch: path.target_branch }),
  }),
  defineRoute({
    method: 'get',
    path: `${ofBranch}/statistics`,
    section: 'Merge trains',
    summary: 'Get what the merge train of a target branch did in a time',
    docs: {
      description: `Get landings, turnaround, removals, pipelines, pauses, and failures and flakes by the name of the status, in all and day by day. The time has at most ${maxDays} days.`,
    },
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: branch,
    params: {
      after: documented(day, {
        description:
          'The first day, in UTC, not later than `before`; 27 days before it, which makes 28 days, unless given.',
      }).optional(),
      before: documented(day, { description: 'The last day, in UTC; today unless given.' }).optional(),
    },
    relations: [inWords(isInOrder), inWords(isShort)],
    returns: { 200: 'MergeTrainStatistics' },
    handle: ({ params, path, access, call }) =>
      call(MergeTrainServiceService).getMergeTrainStatistics({
        projectId: access.id,
        targetBranch: path.target_branch,
        after: params.after,
        before: params.before,
      }),
  }),
];
