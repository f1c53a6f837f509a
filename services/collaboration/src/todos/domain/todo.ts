import type { PlaceType } from '../../targets';

/** Why a to-do was raised (G-4.9-5, G-2-23). */
type TodoAction =
  | 'assigned'
  | 'review_requested'
  | 'mentioned'
  | 'directly_addressed'
  | 'build_failed'
  | 'unmergeable'
  | 'merge_train_removed'
  | 'approval_required'
  | 'review_submitted'
  | 'marked';

/** Users to be notified. */
type Recipients =
  | { readonly ids: readonly number[] }
  /** Names in a text. */
  | { readonly usernames: readonly string[] }
  /** Least access level of the members of the target's project, direct ones and those of the groups above. */
  | { readonly membersFrom: number };

/** To-dos to be raised. */
export interface Raise {
  readonly action: TodoAction;
  readonly to: Recipients;
  /** Who caused it; undefined: each recipient themselves, where no other person is behind it. */
  readonly authorId: number | undefined;
  /** Distinguishes events that each raise a to-do; default: one pending to-do is enough. */
  readonly cause?: string;
  /** What the to-do says; default: the title of its target. */
  readonly body?: string;
  /** The note it comes from: the to-do says what the note says, is seen by those who may read it, and goes with it. */
  readonly noteId?: number;
}

/** What follows from an event, in this order. */
export interface Consequences {
  /** Every to-do on the target goes. */
  readonly removeAll: boolean;
  /** The pending to-dos of this user on the target are done. */
  readonly resolveFor: number | undefined;
  readonly raise: readonly Raise[];
}

/** Nothing follows. */
export const noConsequences: Consequences = { removeAll: false, resolveFor: undefined, raise: [] };

/** Selects to-dos of one user; what is undefined selects all. */
export interface TodoFilter {
  action?: string;
  authorId?: number;
  projectId?: number;
  /** Groups below it count as well. */
  groupId?: number;
  /** Default `pending` (G-4.9-2). */
  state: 'pending' | 'done';
  targetType?: string;
}

/** A request of a user to become a member of a project or group. */
export interface RequestedAccess {
  readonly requestId: number;
  readonly userId: number;
  readonly place: { readonly type: PlaceType; readonly id: number };
}

/** A membership that ended. */
export interface EndedMembership {
  readonly userId: number;
  readonly place: { readonly projectId: number } | { readonly groupId: number };
  readonly at: Date;
}

/** A share of a group or project with a group that has ended. */
export interface EndedShare extends Omit<EndedMembership, 'userId'> {
  /** The invited group. */
  readonly groupId: number;
}
