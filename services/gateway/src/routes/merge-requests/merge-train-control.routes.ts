import { MergeTrainServiceService } from '@switchyard/protos/merge_requests/v1/merge_train';
import { inWords } from '../../http/check-parameters';
import { dateTime, documented, oneOf, text } from '../../http/params';
import type { RawParameters } from '../../http/read-parameters';
import { defineRoute } from '../../http/route';
import { oneLineOrNone } from '../field-facts';

const controlPath = '/projects/:id/merge_trains/:target_branch/control' as const;
const branch = { target_branch: text() };

/** Days that one request can pause or drain a train for. */
const maxDays = 30;
const maxMs = maxDays * 86_400_000;
const until = dateTime();

/** `until` lies ahead, and not too far. */
function untilIsNear(sent: RawParameters): string | undefined {
  const { data } = until.safeParse(sent.until);
  const aheadMs = data === undefined ? 1 : data.getTime() - Date.now();
  return aheadMs > 0 && aheadMs <= maxMs ? undefined : `until must be within the next ${maxDays} days`;
}

/** A train that runs has nothing to go back to. */
const untilHasEnd = (sent: RawParameters): string | undefined =>
  Object.hasOwn(sent, 'until') && sent.state === 'running'
    ? 'until goes with the states paused and draining only'
    : undefined;

/** Controls of a train: whether it runs, is paused or drains. */
export const mergeTrainControlRoutes = [
  defineRoute({
    method: 'get',
    path: controlPath,
    section: 'Merge trains',
    summary: 'Get what the merge train of a target branch does',
    docs: {
      description:
        'Get whether the train runs, is paused or drains, since when, why, and who decided it, with the newest 20 changes. A train that has stopped itself because the target branch seems to fail is `paused` with the reason `target_failing`; `probe` is the pipeline that is to show whether the branch fails.',
    },
    access: { project: 'read_merge_train' },
    tier: 'premium',
    path_params: branch,
    returns: { 200: 'MergeTrainControl' },
    handle: ({ path, access, call }) =>
      call(MergeTrainServiceService).getMergeTrainControl({
        projectId: access.id,
        targetBranch: path.target_branch,
      }),
  }),
  defineRoute({
    method: 'put',
    path: controlPath,
    section: 'Merge trains',
    summary: 'Pause, drain or start the merge train of a target branch',
    docs: {
      description:
        'Decide what the train does. `running`: it tests and lands. `paused`: it takes new entries and keeps every place, but starts no pipeline and lands nothing. `draining`: it lands those that are on it and takes no new one. At `until`, if it is given, the train runs again by itself.',
      example: { state: 'paused', reason: 'Release 4.2 is being cut' },
    },
    access: { project: 'admin_merge_train' },
    tier: 'premium',
    path_params: branch,
    params: {
      state: documented(oneOf('running', 'paused', 'draining'), { description: 'What the train is to do.' }),
      reason: documented(text({ max: 255, oneLine: true }), {
        ...oneLineOrNone,
        description: 'Why; one line, shown to the owners of the merge requests on the train.',
      }).optional(),
      until: documented(until, {
        description: `When the train runs again by itself: within the next ${maxDays} days, with the states \`paused\` and \`draining\` only.`,
      }).optional(),
    },
    relations: [inWords(untilIsNear), inWords(untilHasEnd)],
    returns: { 200: 'MergeTrainControl' },
    handle: ({ params, path, access, call }) =>
      call(MergeTrainServiceService).setMergeTrainControl({
        projectId: access.id,
        targetBranch: path.target_branch,
        state: params.state,
        reason: params.reason,
        until: params.until?.toISOString(),
      }),
  }),
];
