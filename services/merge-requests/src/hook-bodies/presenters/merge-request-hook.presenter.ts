import { type DirectoryProjectRow, hookLabel, hookProject } from '@switchyard/directory';
import { timeStats } from '@switchyard/texts';
import { checksOf, detailedMergeStatus, shownMergeStatus } from '../../merge-requests';
import { optionalDateTime } from '../../repositories';
import type { HookMergeRequest, MergeRequestHappening } from '../domain/hook-event';
import type { HookMergeRequestView } from '../domain/hook-facts';
import type { AutoMergeHappened, HookChange, MergeRequestHook, TrainHappened } from '../domain/merge-request-hook';
import {
  commitPart,
  type HookRendering,
  pageUrl,
  projectParts,
  type RenderedHook,
  userPart,
  userParts,
} from './hook-parts';

const labelParts = ({ facts }: HookRendering, ids: readonly number[]) =>
  ids.flatMap((id) => {
    const label = facts.labels.get(id);
    return label === undefined ? [] : hookLabel(label);
  });

const changePart = (change: HookChange, rendering: HookRendering) => {
  if (change.type === 'value') return { previous: change.previous, current: change.current };
  const parts = (ids: readonly number[]) =>
    change.type === 'labels' ? labelParts(rendering, ids) : userParts(rendering, ids);
  return { previous: parts(change.previous), current: parts(change.current) };
};

const evidencePart = ({ evidence }: Extract<TrainHappened, { event: 'removed' }>) =>
  evidence === undefined
    ? null
    : {
        tested_sha: evidence.testedSha ?? null,
        base_sha: evidence.baseSha,
        pipeline_id: evidence.pipelineId ?? null,
        statuses: evidence.statuses.map(({ name, targetUrl }) => ({ name, target_url: targetUrl ?? null })),
        reruns: evidence.reruns,
      };

/** What happened on the merge train: a part of our own beside those that GitLab documents. */
function trainPart(train: TrainHappened) {
  const { event, entryId, targetBranch } = train;
  const common = { event, entry_id: entryId, target_branch: targetBranch };
  switch (train.event) {
    case 'added':
    case 'moved_to_front':
      return { ...common, position: train.position };
    case 'overtaken':
      return { ...common, position: train.position, by_iid: train.byIid, added_by_id: train.addedById || null };
    case 'removed':
      return {
        ...common,
        added_by_id: train.addedById || null,
        reason: train.reason,
        pipeline_id: train.pipelineId ?? null,
        evidence: evidencePart(train),
      };
    default:
      return {
        ...common,
        reason: train.reason ?? null,
        until: optionalDateTime(train.until),
        target_failing: train.targetFailing,
        status_names: train.statusNames,
      };
  }
}

const autoMergePart = ({ event, mergeTrain, setById, reason }: AutoMergeHappened) => ({
  event,
  merge_train: mergeTrain,
  set_by_id: setById || null,
  reason: reason ?? null,
});

/** Numbers of states (`locked`: it is being merged). */
const stateIds: Readonly<Record<string, number>> = { opened: 1, closed: 2, merged: 3, locked: 4 };

const actionPart = ({ action, push, systemAction }: MergeRequestHook) => ({
  action,
  ...(push === undefined ? {} : { oldrev: push.oldSha }),
  ...(systemAction === undefined ? {} : { system: true, system_action: systemAction }),
});

/** What an event itself says of its merge request: all there is of one that was deleted since. */
const namedAttributes = (mergeRequest: HookMergeRequest, project: DirectoryProjectRow, rendering: HookRendering) => ({
  id: mergeRequest.id,
  iid: mergeRequest.iid,
  target_project_id: project.id,
  author_id: mergeRequest.authorId,
  title: mergeRequest.title,
  state: mergeRequest.state,
  state_id: stateIds[mergeRequest.state] ?? null,
  labels: labelParts(rendering, mergeRequest.labelIds),
  url: pageUrl(project, rendering.externalUrl, `merge_requests/${mergeRequest.iid}`),
  target: hookProject(project, rendering.externalUrl),
});

function currentAttributes(
  { view, firstContribution }: HookMergeRequestView,
  lastSha: string | undefined,
  project: DirectoryProjectRow,
  { facts, externalUrl, now }: HookRendering,
) {
  const { mergeRequest: mr, settings } = view;
  const source = facts.projects.get(view.sourceProjectId ?? 0);
  const commit = facts.commits.get(project.id)?.commits.get(lastSha ?? mr.sourceSha ?? '');
  const [assigneeId = null] = view.assigneeIds;
  const times = timeStats(mr);
  return {
    target_branch: mr.targetBranch,
    source_branch: mr.sourceBranch,
    source_project_id: view.sourceProjectId ?? null,
    assignee_id: assigneeId,
    assignee_ids: view.assigneeIds,
    reviewer_ids: view.reviewerIds,
    description: mr.description ?? '',
    draft: mr.draft,
    work_in_progress: mr.draft,
    created_at: mr.createdAt.toISOString(),
    updated_at: mr.updatedAt.toISOString(),
    prepared_at: optionalDateTime(mr.preparedAt),
    merged_at: optionalDateTime(mr.mergedAt),
    milestone_id: mr.milestoneId ?? null,
    head_pipeline_id: mr.headPipelineId ?? null,
    merge_status: shownMergeStatus(mr.mergeStatus),
    detailed_merge_status: detailedMergeStatus(checksOf(view), now),
    merge_error: mr.mergeError ?? null,
    merge_user_id: mr.mergeUserId ?? null,
    merge_commit_sha: mr.mergeCommitSha ?? null,
    squash_commit_sha: mr.squashCommitSha ?? null,
    merge_when_pipeline_succeeds: mr.autoMergeStrategy !== undefined,
    merge_params: { force_remove_source_branch: mr.forceRemoveSourceBranch ?? null },
    discussion_locked: mr.discussionLocked ?? null,
    blocking_discussions_resolved:
      !settings.onlyAllowMergeIfAllDiscussionsAreResolved || mr.unresolvedDiscussionsCount === 0,
    first_contribution: firstContribution,
    ...times,
    time_estimate: mr.timeEstimate,
    total_time_spent: mr.totalTimeSpent,
    source: source === undefined ? null : hookProject(source, externalUrl),
    last_commit: commit === undefined ? null : commitPart(commit, project, externalUrl),
  };
}

/** A reviewer, with where the review stands. */
const reviewerParts = ({ view, reviews }: HookMergeRequestView, rendering: HookRendering) =>
  view.reviewerIds.flatMap((id) => {
    const user = userPart(rendering, id);
    return user === null ? [] : { ...user, state: reviews.get(id) ?? 'unreviewed' };
  });

/** A merge request as it is now, in the bodies of notes on it (G-6-4); undefined where its project is gone. */
export function presentMergeRequestPart(found: HookMergeRequestView, rendering: HookRendering): object | undefined {
  const { mergeRequest: mr, labels, assigneeIds } = found.view;
  const project = rendering.facts.projects.get(mr.projectId);
  if (project === undefined) return undefined;
  return {
    ...currentAttributes(found, undefined, project, rendering),
    ...namedAttributes({ ...mr, labelIds: labels.map(({ id }) => id) }, project, rendering),
    assignee: userPart(rendering, assigneeIds[0] ?? 0),
  };
}

/** Something that happened to a merge request (G-6-4). */
export function presentMergeRequestHook(
  happening: MergeRequestHappening,
  project: DirectoryProjectRow,
  rendering: HookRendering,
): RenderedHook {
  const { mergeRequest, hook, actorId } = happening;
  const found = rendering.facts.mergeRequests.get(mergeRequest.id);
  const { project: part, repository } = projectParts(project, rendering.externalUrl);
  const current = found === undefined ? {} : currentAttributes(found, hook.push?.newSha, project, rendering);
  return {
    kind: 'merge_request',
    action: hook.action,
    ref: '',
    objectKey: `merge_request:${mergeRequest.id}`,
    feature: 'merge_requests',
    json: {
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: userPart(rendering, actorId),
      project: part,
      repository,
      // The event wins over what has happened to the merge request since.
      object_attributes: {
        ...current,
        ...namedAttributes(mergeRequest, project, rendering),
        ...actionPart(hook),
      },
      labels: labelParts(rendering, mergeRequest.labelIds),
      changes: Object.fromEntries(hook.changes.map((change) => [change.name, changePart(change, rendering)])),
      assignees: userParts(rendering, found?.view.assigneeIds ?? []),
      reviewers: found === undefined ? [] : reviewerParts(found, rendering),
      ...(hook.train === undefined ? {} : { merge_train: trainPart(hook.train) }),
      ...(hook.autoMerge === undefined ? {} : { auto_merge: autoMergePart(hook.autoMerge) }),
    },
  };
}
