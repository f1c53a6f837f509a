import type { HealthStatus } from '@switchyard/texts';
import type { IssueState, IssueType } from './issue';

/** How users are matched: none, any, or each of those named. */
export type UserMatch = 'none' | 'any' | { readonly ids: readonly number[]; readonly usernames: readonly string[] };

/** How labels or milestones are matched: none, some, or every title, compared exactly. */
export type TitleMatch = 'none' | 'any' | { readonly titles: readonly string[] };

/** Milestones by where today lies, beside none, some, and titles. */
export type MilestoneMatch = TitleMatch | 'upcoming' | 'started';

/** Weights: none, some, or this one. */
export type WeightMatch = 'none' | 'any' | number;

/** Epics: none, some, or this one. */
export type EpicMatch = 'none' | 'any' | number;

/** Health statuses: none, some, or this one. */
export type HealthMatch = 'none' | 'any' | HealthStatus;

/** Reactions of the viewer: none, some, or this one. */
export type ReactionMatch = 'none' | 'any' | { readonly name: string };

/** Due dates: none, some, or one of the spans that lead up to or follow today. */
export type DueMatch =
  | 'none'
  | 'any'
  | 'today'
  | 'tomorrow'
  | 'overdue'
  | 'week'
  | 'month'
  | 'next_month_and_previous_two_weeks';

/** What a list of issues is narrowed by. */
export interface IssueFilter {
  readonly state?: IssueState;
  readonly scope?: 'created_by_me' | 'assigned_to_me';
  readonly iids?: readonly number[];
  readonly author?: UserMatch;
  readonly assignee?: UserMatch;
  readonly labels?: TitleMatch;
  readonly milestone?: MilestoneMatch;
  readonly milestoneId?: number;
  readonly search?: { readonly words: readonly string[]; readonly title: boolean; readonly description: boolean };
  readonly confidential?: boolean;
  readonly issueType?: IssueType;
  readonly weight?: WeightMatch;
  readonly healthStatus?: HealthMatch;
  readonly epic?: EpicMatch;
  readonly dueDate?: DueMatch;
  readonly reaction?: ReactionMatch;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  readonly nonArchived?: boolean;
  readonly not?: IssueExclusion;
}

/** What must not match (G-1-6). */
export interface IssueExclusion {
  readonly labels?: TitleMatch;
  readonly milestone?: MilestoneMatch;
  readonly author?: UserMatch;
  readonly assignee?: UserMatch;
  readonly iids?: readonly number[];
  readonly weight?: WeightMatch;
  readonly healthStatus?: HealthMatch;
  readonly epic?: EpicMatch;
  readonly reaction?: ReactionMatch;
}
