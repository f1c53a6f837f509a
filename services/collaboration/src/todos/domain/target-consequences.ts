import { levels } from '@switchyard/rights';
import {
  isOwnStop,
  overtakenSentence,
  overtakenUserIds,
  removalSentence,
  type TrainOvertaking,
  type TrainRemoval,
  type TrainStateChange,
  trainStoppedSentence,
} from '../../merge-requests';
import type { Target } from '../../targets';
import { type Consequences, noConsequences, type Raise } from './todo';

interface Mentions {
  readonly usernames: readonly string[];
  readonly directlyAddressed: readonly string[];
}

/** What can happen to a target, as far as to-dos depend on it. */
export type TargetFact =
  | {
      readonly kind: 'created';
      readonly assigneeIds: readonly number[];
      readonly reviewerIds: readonly number[];
      readonly mentions: Mentions;
    }
  | {
      readonly kind: 'updated';
      readonly addedAssigneeIds: readonly number[];
      readonly addedReviewerIds: readonly number[];
      readonly mentions: Mentions;
    }
  | { readonly kind: 'acted' }
  /** Rules demand the approval of users. */
  | { readonly kind: 'approval_requested'; readonly userIds: readonly number[] }
  /** A reviewer has submitted a review. */
  | { readonly kind: 'reviewed' }
  /** Neither raises nor resolves to-dos. */
  | { readonly kind: 'noted' }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'became_unmergeable'; readonly mergeUserId: number }
  | { readonly kind: 'pipeline_failed'; readonly mergeUserId: number }
  | {
      readonly kind: 'train_removed';
      readonly entryId: number;
      readonly addedById: number;
      readonly removal: TrainRemoval;
    }
  | {
      readonly kind: 'train_overtaken';
      readonly eventId: string;
      /** 0: unknown. */
      readonly addedById: number;
      readonly overtaking: TrainOvertaking;
    }
  | {
      readonly kind: 'train_state_changed';
      readonly eventId: string;
      readonly change: TrainStateChange;
      /** True on one merge request of the train. */
      readonly firstCar: boolean;
    };

/** Something that happened to a target. */
export interface TargetEvent {
  readonly target: Target;
  readonly authorId: number;
  /** 0 when no user caused it. */
  readonly actorId: number;
  /** Imported history raises no to-dos (D6). */
  readonly imported: boolean;
  readonly fact: TargetFact;
}

/**
 * To-dos that follow from an event (G-4.9-5). A user who acts on a target, by an edit, a comment, closing or merging
 * it, has done their to-dos there; those of others stay. An edit resolves before it raises: users who assign themselves
 * keep the new to-do.
 */
export function consequencesOf({ authorId, actorId, imported, fact }: TargetEvent): Consequences {
  if (fact.kind === 'deleted') return { ...noConsequences, removeAll: true };
  if (imported) return noConsequences;
  const resolveFor = actorId === 0 ? undefined : actorId;
  const by = actorId === 0 ? authorId : actorId;
  switch (fact.kind) {
    case 'created':
      return { ...noConsequences, raise: asked(by, fact.assigneeIds, fact.reviewerIds, fact.mentions) };
    case 'updated':
      return {
        ...noConsequences,
        resolveFor,
        raise: asked(by, fact.addedAssigneeIds, fact.addedReviewerIds, fact.mentions),
      };
    case 'acted':
      return { ...noConsequences, resolveFor };
    case 'approval_requested':
      return {
        ...noConsequences,
        raise: [{ action: 'approval_required', to: { ids: fact.userIds }, authorId: by }],
      };
    case 'reviewed':
      return { ...noConsequences, resolveFor, raise: reviewSubmitted(authorId, actorId) };
    case 'noted':
      return noConsequences;
    case 'became_unmergeable':
      return { ...noConsequences, raise: [toThoseInCharge('unmergeable', authorId, fact.mergeUserId)] };
    case 'pipeline_failed':
      return { ...noConsequences, raise: [toThoseInCharge('build_failed', authorId, fact.mergeUserId)] };
    case 'train_removed':
      return { ...noConsequences, raise: removedFromTrain(authorId, actorId, fact) };
    case 'train_overtaken':
      return { ...noConsequences, raise: overtaken(authorId, actorId, fact) };
    case 'train_state_changed':
      return { ...noConsequences, raise: stoppedTrain(fact) };
  }
}

function asked(
  authorId: number,
  assignees: readonly number[],
  reviewers: readonly number[],
  mentions: Mentions,
): Raise[] {
  const addressed = new Set(mentions.directlyAddressed.map((name) => name.toLowerCase()));
  const raise: Raise[] = [
    { action: 'assigned', to: { ids: assignees }, authorId },
    { action: 'review_requested', to: { ids: reviewers }, authorId },
    { action: 'directly_addressed', to: { usernames: mentions.directlyAddressed }, authorId },
    {
      action: 'mentioned',
      to: { usernames: mentions.usernames.filter((name) => !addressed.has(name.toLowerCase())) },
      authorId,
    },
  ];
  return raise.filter(({ to }) => ('ids' in to ? to.ids : 'usernames' in to ? to.usernames : []).length > 0);
}

/** The author has something to look at; who reviews their own work knows. */
const reviewSubmitted = (authorId: number, actorId: number): Raise[] =>
  actorId === 0 || authorId === actorId
    ? []
    : [{ action: 'review_submitted', to: { ids: [authorId] }, authorId: actorId }];

/** The author, and the user who set auto-merge. */
const toThoseInCharge = (action: 'unmergeable' | 'build_failed', authorId: number, mergeUserId: number): Raise => ({
  action,
  to: { ids: [...new Set([authorId, mergeUserId])].filter((id) => id > 0) },
  authorId: undefined,
});

/**
 * A removal from a train raises a to-do for the author and for the user who added the merge request, always for both
 * (G-4.1-5), once for each entry and whatever removed it: it has not landed. There is none when it was merged outside the
 * train or a push brought its commits into the target branch, since nothing is left to do. Users who may no longer see
 * the merge request are left out where the to-do is saved.
 */
function removedFromTrain(
  authorId: number,
  actorId: number,
  { entryId, addedById, removal }: Extract<TargetFact, { kind: 'train_removed' }>,
): Raise[] {
  if (removal.reason === 'merged_by_push' || removal.reason === 'skipped') return [];
  const recipients = new Set([authorId, addedById].filter((id) => id > 0));
  return [
    {
      action: 'merge_train_removed',
      to: { ids: [...recipients] },
      authorId: actorId === 0 ? addedById || authorId : actorId,
      cause: `merge_train_entry:${entryId}`,
      body: removalSentence(removal),
    },
  ];
}

/**
 * A car that was overtaken raises a to-do for its author and for the user who added it, each time: it costs them time,
 * and each text has the position of its own event. It is a mention, since the system note on it mentions them, and the
 * API has no action of its own for it. The actor knows.
 */
function overtaken(
  authorId: number,
  actorId: number,
  { eventId, addedById, overtaking }: Extract<TargetFact, { kind: 'train_overtaken' }>,
): Raise[] {
  const ids = overtakenUserIds(actorId, authorId, addedById);
  if (ids.length === 0) return [];
  const body = overtakenSentence(overtaking);
  return [{ action: 'mentioned', to: { ids }, authorId: actorId || authorId, cause: eventId, body }];
}

/** A train that stopped itself raises one to-do for each Maintainer, on one of its cars, once for each stop. */
function stoppedTrain({ eventId, change, firstCar }: Extract<TargetFact, { kind: 'train_state_changed' }>): Raise[] {
  if (!firstCar || !isOwnStop(change)) return [];
  const to = { membersFrom: levels.maintainer };
  return [{ action: 'build_failed', to, authorId: undefined, cause: eventId, body: trainStoppedSentence(change) }];
}
