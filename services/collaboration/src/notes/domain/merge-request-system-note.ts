import {
  additionNote,
  overtakenNote,
  removalNote,
  type TrainAddition,
  type TrainOvertaking,
  type TrainRemoval,
  type TrainStateChange,
  trainStateNote,
} from '../../merge-requests';
import { emphasized, type SystemNotePart as Part, people, type SystemNote } from './system-note';
import { timeNotes } from './time-note';

/** What can change on a merge request, as far as it gets system notes. */
export type MergeRequestNoteFact =
  | {
      readonly kind: 'updated';
      readonly title: string;
      readonly addedAssigneeIds: readonly number[];
      readonly removedAssigneeIds: readonly number[];
      readonly addedReviewerIds: readonly number[];
      readonly removedReviewerIds: readonly number[];
      /** Public names. */
      readonly changedFields: readonly string[];
      /** Those that count time, in seconds. */
      readonly timeChanges: readonly { readonly field: string; readonly old: number; readonly new: number }[];
      /** After the edit; undefined where that stayed. */
      readonly discussionLocked?: boolean | undefined;
    }
  | {
      readonly kind: 'pushed';
      /** Undefined: no longer known. */
      readonly push:
        | { readonly oldSha: string; readonly newSha: string; readonly commits: number; readonly rewritten: boolean }
        | undefined;
    }
  | { readonly kind: 'reviewed'; readonly review: 'approved' | 'unapproved' | 'requested_changes' }
  | { readonly kind: 'train_added'; readonly addition: TrainAddition }
  | { readonly kind: 'train_removed'; readonly removal: TrainRemoval; readonly addedById: number }
  | {
      readonly kind: 'train_overtaken';
      readonly overtaking: TrainOvertaking;
      /** Users whom it concerns; the actor is none of them. */
      readonly userIds: readonly number[];
    }
  | {
      readonly kind: 'train_state_changed';
      readonly change: TrainStateChange;
      /** Who added the merge request, else its author. */
      readonly addedById: number;
    }
  | {
      readonly kind: 'auto_merge_changed';
      readonly change: 'set' | 'canceled' | 'aborted';
      /** True: it is added to a merge train once its checks pass. */
      readonly mergeTrain: boolean;
      readonly setById: number;
      /** Ends a sentence; empty: none. */
      readonly reason: string;
    };

const draftMark = /^\s*(\[draft\]|\(draft\)|draft:)/i;

function editNotes(actorId: number, fact: Extract<MergeRequestNoteFact, { kind: 'updated' }>): SystemNote[] {
  const changed = new Set(fact.changedFields);
  const notes: SystemNote[] = [];
  const addNote = (action: string, ...parts: Part[]): void => {
    if (parts.length > 0) notes.push({ action, authorId: actorId, parts });
  };
  if (changed.has('title')) addNote('title', `changed the title to ${emphasized(fact.title)}`);
  if (changed.has('draft'))
    addNote('draft', `marked this merge request as **${draftMark.test(fact.title) ? 'draft' : 'ready'}**`);
  if (changed.has('description')) addNote('description', 'changed the description');
  for (const change of fact.timeChanges) {
    const fieldNote = timeNotes[change.field];
    if (fieldNote !== undefined) addNote(change.field, fieldNote(change));
  }
  if (fact.discussionLocked !== undefined)
    addNote('discussion_locked', `${fact.discussionLocked ? 'locked' : 'unlocked'} the discussion`);
  if (changed.has('target_branch')) addNote('branch', 'changed the target branch');
  addNote(
    'assignee',
    ...people(fact.addedAssigneeIds, fact.removedAssigneeIds, { added: 'assigned to', removed: 'unassigned' }),
  );
  addNote(
    'reviewer',
    ...people(fact.addedReviewerIds, fact.removedReviewerIds, {
      added: 'requested review from',
      removed: 'removed the review request for',
    }),
  );
  return notes;
}

/**
 * System notes that follow from a change of a merge request. Changes of labels, state and milestone get none (api.md
 * section 2, Note). The author of the note on what a train did itself is the user who added the merge request to it.
 */
export function systemNotesOf(actorId: number, fact: MergeRequestNoteFact): SystemNote[] {
  switch (fact.kind) {
    case 'updated':
      return editNotes(actorId, fact);
    case 'pushed':
      return fact.push === undefined ? [] : [{ action: 'commit', authorId: actorId, parts: [pushNote(fact.push)] }];
    case 'reviewed':
      return [{ action: fact.review, authorId: actorId, parts: [reviewNotes[fact.review]] }];
    case 'train_added':
      return [trainNote(actorId, additionNote(fact.addition))];
    case 'train_removed':
      return [trainNote(actorId || fact.addedById, removalNote(fact.removal))];
    case 'train_overtaken': {
      const named = people(fact.userIds, [], { added: ' This concerns', removed: '' });
      return [trainNote(actorId, overtakenNote(fact.overtaking), ...named, ...(named.length === 0 ? [] : ['.']))];
    }
    case 'train_state_changed':
      return [trainNote(actorId || fact.addedById, trainStateNote(fact.change, actorId === 0))];
    case 'auto_merge_changed':
      return [{ action: 'auto_merge', authorId: actorId || fact.setById, parts: [autoMergeNote(fact)] }];
  }
}

const reviewNotes = {
  approved: 'approved this merge request',
  unapproved: 'unapproved this merge request',
  requested_changes: 'requested changes',
} as const;

const trainNote = (authorId: number, ...parts: Part[]): SystemNote => ({ action: 'merge_train', authorId, parts });

/** Most commits of a push that are counted (see the proto). */
const countedCommits = 10_000;

function pushNote({
  oldSha,
  newSha,
  commits,
  rewritten,
}: NonNullable<Extract<MergeRequestNoteFact, { kind: 'pushed' }>['push']>): string {
  const number = commits > countedCommits ? 'more than 10,000' : String(commits);
  const added = `added ${number} commit${commits === 1 ? '' : 's'}`;
  const what = !rewritten ? added : commits === 0 ? 'took commits away' : `rewrote the branch and ${added}`;
  return `${what} (${oldSha.slice(0, 8)}...${newSha.slice(0, 8)})`;
}

function autoMergeNote({
  change,
  mergeTrain,
  reason,
}: Extract<MergeRequestNoteFact, { kind: 'auto_merge_changed' }>): string {
  const what = mergeTrain ? 'adding this merge request to the merge train automatically' : 'the automatic merge';
  const because = reason === '' ? '' : ` because ${reason}`;
  switch (change) {
    case 'set':
      return mergeTrain
        ? 'enabled adding this merge request to the merge train automatically when its checks pass'
        : 'enabled an automatic merge when its checks pass';
    case 'canceled':
      return `canceled ${what}`;
    case 'aborted':
      return `aborted ${what}${because}`;
  }
}
