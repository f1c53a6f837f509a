import { conflict, invalid } from '@switchyard/errors';
import {
  changedSet,
  countTasks,
  type DescribedRequest,
  displayText,
  issueReferences,
  mentionsIn,
  newMentions,
  type TimeTracking,
  trackAll,
} from '@switchyard/texts';
import { noAutoMerge, onMergeTrain } from './auto-merge';
import { fieldChanges } from './field-change';
import { beingMerged, checkMergeRequestFields, isDraftTitle, type MergeRequestState } from './merge-request';
import {
  type DiffVersion,
  type LockedMergeRequest,
  type MergeRequestChange,
  type MergeRequestFact,
  type MergeRequestPatch,
  timeChangesOf,
} from './merge-request-change';
import { unchecked } from './mergeability';
import type { RemovalReason } from './removal-reason';

/** An edit; what is undefined stays. */
export interface MergeRequestEdit extends Omit<DescribedRequest, 'dueDate' | 'confidential'> {
  readonly targetBranch?: string;
  readonly reviewerIds?: readonly number[];
  readonly removeSourceBranch?: boolean;
  readonly squash?: boolean;
  readonly allowCollaboration?: boolean | undefined;
  /** null takes it away. */
  readonly mergeAfter?: Date | null;
  /** Assignees who may not read it are refused; they are passed over otherwise. */
  readonly strict?: boolean;
}

/** What was looked up before the row is locked. */
export interface PreparedEdit {
  readonly assigneeIds: readonly number[] | undefined;
  readonly addedAssigneeIds: readonly number[] | undefined;
  readonly reviewerIds: readonly number[] | undefined;
  readonly labelIds: readonly number[] | undefined;
  readonly addedLabelIds: readonly number[];
  readonly removedLabelIds: readonly number[];
  readonly milestoneId: number | null | undefined;
  readonly target: { readonly sha: string; readonly diff: DiffVersion | undefined } | undefined;
  readonly source: string | undefined;
  /** The state event was requested by itself. */
  readonly stateAsked: boolean;
  /** Time tracking commands of the description. */
  readonly tracking: readonly TimeTracking[];
}

const without = (from: readonly number[], ids: readonly number[]): number[] => from.filter((id) => !ids.includes(id));

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

/**
 * The state after an event; undefined when it stays.
 * @param asked requested by itself, not by a command in a description, which is skipped where it is not possible
 */
function nextState(
  state: MergeRequestState,
  event: 'close' | 'reopen' | undefined,
  asked: boolean,
): MergeRequestState | undefined {
  if (asked && event !== undefined && state === 'merged')
    throw conflict('409 Conflict: the merge request has been merged');
  if (event === 'close') {
    // While it is being merged it is not known whether there is anything left to close (D8).
    if (state === 'locked') throw beingMerged();
    return state === 'opened' ? 'closed' : undefined;
  }
  return event === 'reopen' && state === 'closed' ? 'opened' : undefined;
}

/**
 * Decides an edit.
 * @throws AppError conflict for a state that cannot follow, and while it is being merged; invalid for too many assignees, or to reopen without a
 *   source branch
 */
export function decideEdit(
  locked: LockedMergeRequest,
  command: MergeRequestEdit,
  prepared: PreparedEdit,
  { userId, now, externalUrl }: { readonly userId: number; readonly now: Date; readonly externalUrl: string },
): MergeRequestChange | undefined {
  const { mergeRequest: mr } = locked;
  const fields: string[] = [];
  let patch: MergeRequestPatch = {};
  const set = (name: string, changed: boolean, values: MergeRequestPatch): void => {
    if (!changed) return;
    fields.push(name);
    patch = { ...patch, ...values };
  };
  const title = command.title === undefined ? undefined : displayText(command.title);
  if (title !== undefined) {
    set('title', title !== mr.title, { title });
    set('draft', isDraftTitle(title) !== mr.draft, { draft: isDraftTitle(title) });
  }
  if (command.description !== undefined) {
    const tasks = countTasks(command.description);
    set('description', command.description !== (mr.description ?? ''), {
      description: command.description === '' ? null : command.description,
      taskCount: tasks.count,
      completedTaskCount: tasks.completed,
    });
  }
  // Where it went is a fact: the target of one that is merged stays what it was.
  if (command.targetBranch !== undefined && prepared.target !== undefined && mr.state !== 'merged') {
    if (mr.state === 'locked') throw beingMerged();
    set('target_branch', command.targetBranch !== mr.targetBranch, {
      targetBranch: command.targetBranch,
      targetSha: prepared.target.sha,
      changesCount: prepared.target.diff?.filesCount ?? null,
      ...unchecked(mr),
    });
  }
  if (prepared.milestoneId !== undefined) {
    set('milestone', prepared.milestoneId !== (mr.milestoneId ?? null), { milestoneId: prepared.milestoneId });
  }
  const { discussionLocked, squash, allowCollaboration, removeSourceBranch, mergeAfter } = command;
  if (discussionLocked !== undefined) {
    set('discussion_locked', discussionLocked !== (mr.discussionLocked ?? false), { discussionLocked });
  }
  if (squash !== undefined) set('squash', squash !== mr.squash, { squash });
  if (allowCollaboration !== undefined) {
    set('allow_collaboration', allowCollaboration !== mr.allowCollaboration, { allowCollaboration });
  }
  if (removeSourceBranch !== undefined) {
    set('force_remove_source_branch', removeSourceBranch !== (mr.forceRemoveSourceBranch ?? false), {
      forceRemoveSourceBranch: removeSourceBranch,
    });
  }
  if (mergeAfter !== undefined) {
    set('merge_after', mergeAfter?.getTime() !== mr.mergeAfter?.getTime(), { mergeAfter });
  }

  const { times, logs } = trackAll(mr, prepared.tracking);
  const timeChanges = timeChangesOf(mr, times);
  fields.push(...timeChanges.map(({ field }) => field));
  patch = { ...patch, ...times };

  const assigneeIds = changedSet(locked.assigneeIds, {
    all: prepared.assigneeIds,
    added: prepared.addedAssigneeIds,
    removed: command.removeAssigneeIds,
  });
  const reviewerIds = prepared.reviewerIds ?? locked.reviewerIds;
  const labelIds = changedSet(locked.labelIds, {
    all: prepared.labelIds,
    added: prepared.addedLabelIds,
    removed: prepared.removedLabelIds,
  });
  const addedAssigneeIds = without(assigneeIds, locked.assigneeIds);
  if (addedAssigneeIds.length > 0) checkMergeRequestFields({ assignees: assigneeIds.length });
  if (!same(assigneeIds, locked.assigneeIds)) fields.push('assignees');
  if (!same(reviewerIds, locked.reviewerIds)) fields.push('reviewers');
  if (!same(labelIds, locked.labelIds)) fields.push('labels');

  // An edit of what was tested, or of the target, removes it from the train.
  let removalReason: RemovalReason | undefined;
  if (mr.autoMergeStrategy === onMergeTrain && mr.state === 'opened') {
    if (patch.targetBranch !== undefined) removalReason = 'retargeted';
    else if (patch.draft === true) removalReason = 'draft';
    if (removalReason !== undefined) patch = { ...patch, ...noAutoMerge };
  }

  const facts: MergeRequestFact[] = [];
  if (fields.length > 0) {
    const description = command.description ?? mr.description;
    facts.push({
      kind: 'updated',
      addedAssigneeIds,
      removedAssigneeIds: without(locked.assigneeIds, assigneeIds),
      addedReviewerIds: without(reviewerIds, locked.reviewerIds),
      removedReviewerIds: without(locked.reviewerIds, reviewerIds),
      mentions: newMentions(mentionsIn(mr.title, mr.description), mentionsIn(title ?? mr.title, description)),
      issueReferences:
        fields.includes('title') || fields.includes('description')
          ? issueReferences([title ?? mr.title, description], externalUrl)
          : undefined,
      changedFields: fields,
      timeChanges,
      changes: fieldChanges(locked, patch, { assigneeIds, reviewerIds, labelIds }, fields),
      discussionLocked: patch.discussionLocked ?? undefined,
    });
  }

  const state = nextState(mr.state, command.stateEvent, prepared.stateAsked);
  if (state === 'closed') {
    patch = { ...patch, ...noAutoMerge, state, closedById: userId, closedAt: now, mergeError: null };
    removalReason = 'closed';
    facts.push({ kind: 'closed' });
  } else if (state === 'opened') {
    if (prepared.source === undefined) throw invalid({ source_branch: ['does not exist'] });
    patch = {
      ...patch,
      state,
      closedById: null,
      closedAt: null,
      sourceBranchExists: true,
      ...unchecked(mr),
    };
    facts.push({ kind: 'reopened' });
  }
  if (facts.length === 0) return undefined;
  const recheck = state === 'opened' || (patch.targetBranch !== undefined && mr.state === 'opened');
  return {
    patch,
    assigneeIds,
    reviewerIds,
    labelIds,
    newHead: state === 'opened' ? prepared.source : undefined,
    diff: fields.includes('target_branch') || state === 'opened' ? prepared.target?.diff : undefined,
    participants: [userId, ...assigneeIds, ...reviewerIds],
    timelogs: logs,
    removalReason,
    facts,
    jobs: [
      ...(recheck ? [{ kind: 'mergeability', projectId: mr.projectId } as const] : []),
      ...(mr.autoMergeStrategy === undefined || removalReason !== undefined
        ? []
        : [{ kind: 'auto_merge', mergeRequestId: mr.id } as const]),
    ],
  };
}

/**
 * Decides that a merge request follows its target branch to where that landed; undefined when it has another target, or
 * is closed.
 * @throws AppError conflict while it is being merged
 */
export function decideRetargeting(
  locked: LockedMergeRequest,
  wanted: { readonly from: string; readonly to: string; readonly target: NonNullable<PreparedEdit['target']> },
  userId: number,
  { clock, externalUrl }: { readonly clock: () => Date; readonly externalUrl: string },
): MergeRequestChange | undefined {
  const { state, targetBranch } = locked.mergeRequest;
  if (targetBranch !== wanted.from || (state !== 'opened' && state !== 'locked')) return undefined;
  const change = decideEdit(
    locked,
    { targetBranch: wanted.to, addLabels: [], removeLabels: [] },
    { ...nothingPrepared, target: wanted.target },
    { userId, now: clock(), externalUrl },
  );
  // Who merges the one below takes no part in this one.
  return change === undefined ? undefined : { ...change, participants: [] };
}

const nothingPrepared: PreparedEdit = {
  assigneeIds: undefined,
  addedAssigneeIds: [],
  reviewerIds: undefined,
  labelIds: undefined,
  addedLabelIds: [],
  removedLabelIds: [],
  milestoneId: undefined,
  target: undefined,
  source: undefined,
  stateAsked: false,
  tracking: [],
};
