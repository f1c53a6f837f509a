import { conflict, forbidden, invalid, notFound } from '@switchyard/errors';
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
  withCommands,
} from '@switchyard/texts';
import type { Caller } from '../../callers';
import { readHeads, type Sha } from '../../git';
import { developer } from '../../repositories';
import { noAutoMerge, onMergeTrain } from '../domain/auto-merge';
import {
  allowedPeople,
  beingMerged,
  checkMergeRequestFields,
  isDraftTitle,
  type MergeRequestState,
} from '../domain/merge-request';
import {
  type DiffVersion,
  type LockedMergeRequest,
  type MergeRequestChange,
  type MergeRequestFact,
  type MergeRequestPatch,
  timeChangesOf,
} from '../domain/merge-request-change';
import type { MergeRequestView } from '../domain/merge-request-view';
import { unchecked } from '../domain/mergeability';
import type { RemovalReason } from '../domain/removal-reason';
import { compareBranches } from './compare-branches';
import type { MergeRequestEdges } from './merge-request.edges';

/** What an edit asks for; what is undefined stays. */
export interface UpdateMergeRequestCommand extends Omit<DescribedRequest, 'dueDate' | 'confidential'> {
  readonly targetBranch?: string;
  readonly reviewerIds?: readonly number[];
  readonly removeSourceBranch?: boolean;
  readonly squash?: boolean;
  readonly allowCollaboration?: boolean;
  /** null takes it away. */
  readonly mergeAfter?: Date | null;
  /** Assignees who may not read it are refused; they are passed over otherwise. */
  readonly strict?: boolean;
}

/** Who may edit: the author, assignees, Developers (G-4.2-7). */
export const mayUpdate = (caller: Caller, view: MergeRequestView): boolean =>
  caller.level >= developer ||
  (caller.userId > 0 && (view.mergeRequest.authorId === caller.userId || view.assigneeIds.includes(caller.userId)));

/** What was looked up before the row is locked. */
interface Prepared {
  readonly assigneeIds: readonly number[] | undefined;
  readonly addedAssigneeIds: readonly number[] | undefined;
  readonly reviewerIds: readonly number[] | undefined;
  readonly labelIds: readonly number[] | undefined;
  readonly addedLabelIds: readonly number[];
  readonly removedLabelIds: readonly number[];
  readonly milestoneId: number | null | undefined;
  readonly target: { readonly sha: Sha; readonly diff: DiffVersion | undefined } | undefined;
  readonly source: Sha | undefined;
  /** The state event was asked for by itself. */
  readonly stateAsked: boolean;
  /** What the description says was worked. */
  readonly tracking: readonly TimeTracking[];
}

const without = (from: readonly number[], ids: readonly number[]): number[] => from.filter((id) => !ids.includes(id));

const same = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

/**
 * The state after an event; undefined when it stays.
 * @param asked it was asked for by itself, not by a command in a description, which is passed over where it cannot come true
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

function decide(
  locked: LockedMergeRequest,
  command: UpdateMergeRequestCommand,
  prepared: Prepared,
  { caller, now, externalUrl }: { caller: Caller; now: Date; externalUrl: string },
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

  const times = trackAll(mr, prepared.tracking);
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

  // On a train, whoever edits what was tested, or where it goes, takes it off.
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
      discussionLocked: patch.discussionLocked ?? undefined,
    });
  }

  const state = nextState(mr.state, command.stateEvent, prepared.stateAsked);
  if (state === 'closed') {
    patch = { ...patch, ...noAutoMerge, state, closedById: caller.userId, closedAt: now, mergeError: null };
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
    participants: [caller.userId, ...assigneeIds, ...reviewerIds],
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

/** Changes, closes or reopens a merge request; answers its id. Commands in a description count as what they set. Refusals are those of G-4.2-5. */
export const updateMergeRequest =
  (edges: MergeRequestEdges) =>
  async (
    caller: Caller,
    key: { projectId: number; iid: number },
    wanted: UpdateMergeRequestCommand,
  ): Promise<number> => {
    const view = await edges.mergeRequests.view(key);
    if (view === undefined) throw notFound();
    if (!mayUpdate(caller, view)) throw forbidden();
    const { tracking, ...command } = await withCommands(
      edges.commandSteps,
      wanted,
      { kind: 'MergeRequest', age: 'existing' },
      {
        userId: caller.userId,
        projectId: key.projectId,
        tier: caller.tier,
        title: wanted.title ?? view.mergeRequest.title,
        assigneeIds: wanted.assigneeIds ?? view.assigneeIds,
      },
    );
    checkMergeRequestFields({
      title: command.title,
      description: command.description,
      assignees: command.assigneeIds?.length,
      reviewers: command.reviewerIds?.length,
    });
    const { projectId } = key;
    const people = async (ids: readonly number[] | undefined, strict = false): Promise<number[] | undefined> => {
      if (ids === undefined) return undefined;
      const wanted = allowedPeople(caller.tier, ids);
      const readers = await edges.directory.readers(projectId, wanted);
      if (strict && readers.length < wanted.length) throw forbidden();
      return readers;
    };
    const labelIds = async (titles: readonly string[]): Promise<number[]> =>
      (await edges.ensureLabels(caller, projectId, titles)).map(({ id }) => id);
    const removed = new Set(command.removeLabels.map((title) => displayText(title).toLowerCase()));
    const prepared: Prepared = {
      stateAsked: wanted.stateEvent !== undefined,
      assigneeIds: await people(command.assigneeIds, command.strict),
      addedAssigneeIds: await people(command.addAssigneeIds, command.strict),
      reviewerIds: await people(command.reviewerIds),
      labelIds: command.labels === undefined ? undefined : await labelIds(command.labels),
      addedLabelIds: await labelIds(command.addLabels),
      removedLabelIds: view.labels.filter(({ title }) => removed.has(title.toLowerCase())).map(({ id }) => id),
      milestoneId: await milestoneOf(edges, projectId, command.milestoneId),
      ...(await branchesOf(edges, view, command)),
      tracking,
    };
    const now = edges.clock();
    const { id } = view.mergeRequest;
    await edges.mergeRequests.change(id, caller.userId, (locked) =>
      decide(locked, command, prepared, { caller, now, externalUrl: edges.externalUrl }),
    );
    return id;
  };

async function milestoneOf(
  edges: MergeRequestEdges,
  projectId: number,
  id: number | undefined,
): Promise<number | null | undefined> {
  if (id === undefined) return undefined;
  return id !== 0 && (await edges.directory.hasMilestone(projectId, id)) ? id : null;
}

async function branchesOf(
  edges: MergeRequestEdges,
  { mergeRequest }: MergeRequestView,
  { targetBranch, stateEvent }: UpdateMergeRequestCommand,
): Promise<Pick<Prepared, 'target' | 'source'>> {
  const moves = targetBranch !== undefined && targetBranch !== mergeRequest.targetBranch;
  if (!moves && stateEvent !== 'reopen') return { target: undefined, source: undefined };
  if (moves && targetBranch === mergeRequest.sourceBranch) {
    throw invalid({ branch_conflict: ["You can't use same project/branch for source and target"] });
  }
  const { repo } = await edges.openRepository(mergeRequest.projectId);
  const into = targetBranch ?? mergeRequest.targetBranch;
  const heads = await readHeads(repo, [mergeRequest.sourceBranch, into]);
  const [source, target] = [heads.get(mergeRequest.sourceBranch), heads.get(into)];
  if (target === undefined) {
    if (moves) throw invalid({ target_branch: ['does not exist'] });
    return { target: undefined, source };
  }
  return {
    source,
    target: { sha: target, diff: source === undefined ? undefined : await compareBranches(repo, target, source) },
  };
}
