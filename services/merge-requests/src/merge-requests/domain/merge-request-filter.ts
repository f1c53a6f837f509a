import type { MergeRequestState } from './merge-request';

/** How users are matched: no one, anyone, or every one of those named. */
export type UserMatch = 'none' | 'any' | { readonly ids: readonly number[]; readonly usernames: readonly string[] };

/** How labels or milestones are matched: none, some, or every title, compared exactly. */
export type TitleMatch = 'none' | 'any' | { readonly titles: readonly string[] };

/** Reactions of the viewer: none, some, or one of this name. */
export type ReactionMatch = 'none' | 'any' | { readonly name: string };

/** What a list of merge requests is narrowed by (api.md 4.2, G-4.2-2). */
export interface MergeRequestFilter {
  readonly state?: MergeRequestState;
  readonly scope?: 'created_by_me' | 'assigned_to_me' | 'reviews_for_me';
  readonly iids?: readonly number[];
  readonly sourceBranch?: string;
  readonly targetBranch?: string;
  readonly author?: UserMatch;
  readonly assignee?: UserMatch;
  readonly reviewer?: UserMatch;
  readonly mergeUser?: UserMatch;
  /** Someone has approved it. */
  readonly approved?: boolean;
  readonly approvedBy?: UserMatch;
  /** Users whom rules name themselves. */
  readonly approver?: UserMatch;
  readonly labels?: TitleMatch;
  readonly milestone?: TitleMatch;
  readonly milestoneId?: number;
  readonly search?: { readonly words: readonly string[]; readonly title: boolean; readonly description: boolean };
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  readonly draft?: boolean;
  readonly sourceProjectId?: number;
  readonly nonArchived?: boolean;
  readonly reaction?: ReactionMatch;
  /** Full id of a commit that is one of their own, or that they landed as. */
  readonly commit?: string;
  readonly not?: MergeRequestExclusion;
  readonly deployment?: DeploymentMatch;
}

/** What one successful deployment that brought a merge request in has to meet, all of it. */
export interface DeploymentMatch {
  /** Name of its environment. */
  readonly environment?: string | undefined;
  readonly after?: Date | undefined;
  readonly before?: Date | undefined;
  readonly id?: number | undefined;
}

/** What must not match (G-1-6). */
export interface MergeRequestExclusion {
  readonly labels?: TitleMatch;
  readonly milestone?: TitleMatch;
  readonly author?: UserMatch;
  readonly assignee?: UserMatch;
  readonly reviewer?: UserMatch;
  readonly sourceBranch?: string;
  readonly targetBranch?: string;
  readonly reaction?: ReactionMatch;
}
