import { type Consequences, noConsequences, type Raise, type TodoTarget } from './todo';

interface Mentions {
  readonly usernames: readonly string[];
  readonly directlyAddressed: readonly string[];
}

/** What can happen to a merge request, as far as to-dos depend on it. */
export type MergeRequestFact =
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
  | { readonly kind: 'deleted' }
  | { readonly kind: 'became_unmergeable'; readonly mergeUserId: number }
  | { readonly kind: 'pipeline_failed'; readonly mergeUserId: number };

/** Something that happened to a merge request. */
export interface MergeRequestHappening {
  readonly target: TodoTarget;
  readonly authorId: number;
  /** 0 when nobody caused it. */
  readonly actorId: number;
  /** History brought in from elsewhere asks nobody for anything (D6). */
  readonly imported: boolean;
  readonly fact: MergeRequestFact;
}

/**
 * To-dos that follow from a happening (G-4.9-5). Whoever acts on a merge request, be it by an edit, a comment, closing or merging it, is
 * done with what they were asked there; what others were asked stays. An edit resolves before it raises: assigning oneself leaves the new to-do.
 */
export function consequencesOf({ authorId, actorId, imported, fact }: MergeRequestHappening): Consequences {
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
    case 'became_unmergeable':
      return { ...noConsequences, raise: [toThoseInCharge('unmergeable', authorId, fact.mergeUserId)] };
    case 'pipeline_failed':
      return { ...noConsequences, raise: [toThoseInCharge('build_failed', authorId, fact.mergeUserId)] };
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
  return raise.filter(({ to }) => ('ids' in to ? to.ids : to.usernames).length > 0);
}

/** The author, and whoever set auto-merge and waits for it. */
const toThoseInCharge = (action: 'unmergeable' | 'build_failed', authorId: number, mergeUserId: number): Raise => ({
  action,
  to: { ids: [...new Set([authorId, mergeUserId])].filter((id) => id > 0) },
  authorId: undefined,
});
