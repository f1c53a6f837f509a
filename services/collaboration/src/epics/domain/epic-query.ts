import type { Viewer } from '@switchyard/directory';
import type { EpicState } from './epic';

/** How authors are matched: none, any, or each of those named. */
export type AuthorMatch = 'none' | 'any' | { readonly ids: readonly number[]; readonly usernames: readonly string[] };

/** How labels are matched: none, some, or every title, compared exactly. */
export type LabelMatch = 'none' | 'any' | { readonly titles: readonly string[] };

/** Reactions of the viewer: none, some, or this one. */
export type EpicReactionMatch = 'none' | 'any' | { readonly name: string };

/** What a list of epics is narrowed by. */
export interface EpicFilter {
  readonly state?: EpicState;
  readonly author?: AuthorMatch;
  readonly labels?: LabelMatch;
  readonly search?: { readonly words: readonly string[]; readonly title: boolean; readonly description: boolean };
  readonly confidential?: boolean;
  readonly reaction?: EpicReactionMatch;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  readonly not?: EpicExclusion;
}

/** What must not match (G-1-6). */
export interface EpicExclusion {
  readonly labels?: LabelMatch;
  readonly author?: AuthorMatch;
}

/** Which epics a list is about. */
export interface EpicScope {
  readonly groupId: number;
  /** Those of the groups above as well. */
  readonly above: boolean;
  /** Those of the groups below as well. */
  readonly below: boolean;
}

/** What lists of epics are asked for. */
export interface EpicQuery {
  readonly scope: EpicScope;
  readonly filter: EpicFilter;
  readonly viewer: Viewer;
}

/** Which epic. */
export type EpicKey = { readonly id: number } | { readonly groupId: number; readonly iid: number };
